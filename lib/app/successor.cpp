#include "app/successor.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <system_error>

#include "app/new_process.hpp"
#include "base/error.hpp"

namespace ticketgate {
namespace {

using upgrade::Kind;

// The time that a new process has to read its config and to say that it is ready.
constexpr auto longest_start = std::chrono::seconds(60);
// And to end when it does not take over.
constexpr auto longest_end = std::chrono::seconds(10);
constexpr std::size_t most_why = 8192;
// How soon the new process counts what the queues here have refused.
constexpr auto between_losses = std::chrono::milliseconds(250);
// The most connections to the admin listener that pass on; the others end, and connect again.
constexpr std::size_t most_guests = 64;

std::string how_it_ended(int status) {
    if (WIFSIGNALED(status)) return std::string("signal ") + std::to_string(WTERMSIG(status));
    return "exit code " + std::to_string(WEXITSTATUS(status));
}

}  // namespace

Successor::Successor(Control& control, Log& log, GateRegistry& gates, HandOver steps)
    : control_(control),
      log_(log),
      gates_(gates),
      steps_(std::move(steps)),
      start_limit_(control.io()),
      next_losses_(control.io()) {}

std::string Successor::begin() try {
    auto [own, other] = make_link();
    pid_ = start_new_process(other);
    why_.clear();
    phase_ = Phase::starting;
    log_.info("upgrade: a new process starts", {{"pid", pid_}});
    link_ = std::make_shared<UpgradeLink>(
        control_.io(), std::move(own), [this](const Packet& packet) { heard(packet); },
        [this] { ended(); });
    link_->start();
    offer_sockets();
    limit_start(longest_start);
    return {};
} catch (const std::system_error& error) {
    link_.reset();  // so a process that has started ends
    phase_ = Phase::failed;
    why_ = std::string("no new process starts: ") + error.what() + "\n";
    return error.what();
}

void Successor::offer_sockets() {
    link_->send({Kind::hello, upgrade::protocol});
    for (const int socket : steps_.sockets())
        link_->send({Kind::socket}, Descriptor(::fcntl(socket, F_DUPFD_CLOEXEC, 0)));
    link_->send({Kind::offered, steps_.facts()});
}

void Successor::limit_start(std::chrono::seconds longest) {
    start_limit_.expires_after(longest);
    start_limit_.async_wait([this](const error_code& error) {
        if (error || phase_ != Phase::starting) return;
        why_ += "it was not ready in time\n";
        (void)::kill(pid_, SIGKILL);  // a child that is not reaped: the pid is still its own
    });
}

void Successor::heard(const Packet& packet) {
    const upgrade::Message& message = packet.message;
    switch (message.kind) {
        case Kind::problem:
            if (why_.size() < most_why) why_ += message.text + "\n";
            return;
        case Kind::ready:
            if (phase_ != Phase::starting) return;
            if (steps_.may_hand_over()) return hand_over();
            return link_.reset();  // so it ends
        case Kind::give:
        case Kind::ask:
            if (shared_) shared_->heard(message);
            return;
        case Kind::pause:
            return steps_.pause(message.text, upgrade::time_of(message));
        case Kind::drain:
            if (phase_ == Phase::handed_over) phase_ = Phase::drains;
            return steps_.drain();
        default:
            return;
    }
}

// The order matters: the new process accepts from `yours` on, also from the operator, and by then
// it knows which queues it may not grant from, and their pauses.
void Successor::hand_over() {
    phase_ = Phase::handed_over;
    guests_ = 0;
    shared_.reset();  // of an upgrade that failed: gates know one such object
    shared_ = std::make_unique<SharedQueues>(
        control_, gates_, upgrade::Side::old_process,
        [link = link_](const upgrade::Message& message) { link->send(message); });
    steps_.hand_over(pid_);
    gates_.for_each([this](const LocalGate& gate) {
        shared_->add(gate.name());
        link_->send({Kind::queue, 0, gate.name()});
        if (const Time until = gate.paused_until(); until != Time{}) tell_pause(gate.name(), until);
    });
    link_->send({Kind::yours});
    link_->send({Kind::ids});
    shared_->start();
    const auto send = [link = link_](const upgrade::Message& message) { link->send(message); };
    losses_ = std::make_unique<QueueLosses>(gates_, send);
    runs_ = std::make_unique<OldRequests>(gates_, send);
    tell_losses_later();
}

void Successor::tell_losses_later() {
    next_losses_.expires_after(between_losses);
    next_losses_.async_wait([this](const error_code& error) {
        if (error || !losses_) return;
        tell_losses_later();
        tell_losses();
        if (link_->all_sent()) runs_->tell();
    });
}

void Successor::tell_losses() {
    if (losses_) losses_->tell();
}

void Successor::tell_pause(const std::string& queue, Time until) {
    if (phase_ == Phase::handed_over) link_->send(upgrade::at_time(Kind::pause, queue, until));
}

// Behind `yours`: the new process serves nobody before.
void Successor::pass_on(Descriptor connection, std::string arrived) {
    if (!under_way() || !link_ || guests_ == most_guests) return;
    ++guests_;
    link_->send({Kind::guest, 0, std::move(arrived)}, std::move(connection));
}

void Successor::tell_end(bool left) {
    if (!shared_ || !link_) return;
    if (left) return shared_->stop();
    link_->send({Kind::finished});
}

void Successor::go_on() {
    if (phase_ == Phase::starting) limit_start(longest_start);
    if (link_ && under_way()) link_->go_on();
    if (losses_) tell_losses_later();
    if (shared_) shared_->go_on();
    reap();
}

// Before it took over, its end is told by reap(), with its exit code.
void Successor::ended() {
    losses_.reset();
    if (phase_ == Phase::starting) return limit_start(longest_end);
    steps_.ended();
    if (phase_ == Phase::handed_over) {
        take_back();
    } else if (phase_ == Phase::drains) {
        (void)shared_->alone();
        phase_ = Phase::none;
    }
}

void Successor::reap() {
    int status = 0;
    if (pid_ == 0 || ::waitpid(pid_, &status, WNOHANG) != pid_) return;
    pid_ = 0;
    if (phase_ == Phase::starting) fail(how_it_ended(status));
}

void Successor::fail(const std::string& how) {
    phase_ = Phase::failed;  // so a last `ready` changes nothing
    if (link_)
        for (const Packet& packet : link_->last_words()) heard(packet);
    link_.reset();
    start_limit_.cancel();
    why_ = "the new process ended before it took over (" + how + ")" +
           (why_.empty() ? "; its log says why\n" : ":\n" + why_);
    log_.error("upgrade: the new process ended before it took over; nothing changed",
               {{"how", how}});
    steps_.failed();
}

// The new process may have granted from the queues that it had; this one cannot know. Such requests
// may still run in the backend, as after any crash.
void Successor::take_back() {
    phase_ = Phase::failed;
    const auto taken = shared_->alone();
    const std::string now = steps_.take_back()
                                ? "this one accepts again"
                                : "this one drains, so nobody accepts; start a new one";
    why_ = "the new process ended after it had taken over; " + now + "\n";
    if (!taken.empty()) line_started_s_ = wall_now().unix_s();
    if (taken.empty())
        return log_.error("upgrade: the new process ended; " + now +
                          "; it ran no request of a queue");
    log_.error("upgrade: the new process ended; " + now +
                   "; it may have run requests of the queues that it had, and the backend may "
                   "still run them",
               {{"queues_it_had", taken.size()}, {"first", taken.front()}});
}

}  // namespace ticketgate
