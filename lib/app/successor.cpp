#include "app/successor.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <exception>
#include <new>

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
    if (pid_ != 0) return "the new process of the last upgrade has not ended yet; try again";
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
} catch (const std::exception& error) {
    link_.reset();
    if (pid_ != 0) (void)::kill(pid_, SIGKILL);  // it may hang, and the next upgrade waits for it
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

// Without memory nothing changes. From give_way() on nothing fails for good: go_on() goes on.
void Successor::hand_over() {
    owes_end_ = false;
    owes_take_back_ = true;  // also while it gives way: it may end nothing then
    try {
        give_way();
        owes_take_back_ = false;
    } catch (const std::exception& error) {
        link_.reset();  // so the new process ends, and is reaped
        log_.error("upgrade: this process cannot hand over", {{"why", error.what()}});
        return give_up_hand_over();
    }
    phase_ = Phase::handed_over;
    shared_->start();
    tell_losses_later();
    link_->flush();
}

// The order matters: the new process accepts from `yours` on, also from the operator, and by then
// it knows which queues it may not grant from, and their pauses. It hears nothing before all is
// said.
void Successor::give_way() {
    guests_ = 0;
    shared_.reset();  // of an upgrade that failed: gates know one such object
    const auto put = [link = link_](const upgrade::Message& message) { link->put(message); };
    shared_ = std::make_unique<SharedQueues>(
        control_, gates_, upgrade::Side::old_process,
        SharedQueues::Link{.put = put, .flush = [link = link_] { link->flush(); }});
    losses_ = std::make_unique<QueueLosses>(gates_, put);
    runs_ = std::make_unique<OldRequests>(gates_, put);
    steps_.hand_over(pid_);
    gates_.for_each([&](const LocalGate& gate) {
        shared_->add(gate.name());
        put({Kind::queue, 0, gate.name()});
        if (const Time until = gate.paused_until(); until != Time{})
            put(upgrade::at_time(Kind::pause, gate.name(), until));
    });
    put({Kind::yours});
    put({Kind::ids});
}

// Its end is told by reap(), as that of a new process that fails by itself.
void Successor::give_up_hand_over() {
    losses_.reset();
    runs_.reset();
    if (shared_) (void)shared_->alone();
    shared_.reset();  // the last that knows the link
    (void)steps_.take_back();
    owes_take_back_ = false;
    limit_start(longest_end);
}

void Successor::tell_losses_later() {
    next_losses_.expires_after(between_losses);
    next_losses_.async_wait([this](const error_code& error) {
        if (error || !losses_) return;
        tell_losses_later();
        tell_losses();
        if (link_->all_sent()) runs_->tell();
        link_->flush();
    });
}

void Successor::tell_losses() {
    if (!losses_) return;
    losses_->tell();
    link_->flush();
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

void Successor::tell_end(upgrade::Left left) {
    if (!shared_ || !link_) return;
    if (left == upgrade::Left::requests) return shared_->stop();
    link_->send({Kind::finished, static_cast<std::uint64_t>(left)});
}

void Successor::go_on() {
    if (owes_take_back_) give_up_hand_over();
    if (phase_ == Phase::starting) limit_start(link_ ? longest_start : longest_end);
    if (link_ && under_way()) link_->go_on();
    if (losses_) tell_losses_later();
    if (shared_) shared_->go_on();
    reap();
}

// Before it took over, its end is told by reap(), with its exit code. Where memory is short, this
// is called again: the phase changes when all is done.
void Successor::ended() {
    losses_.reset();
    if (phase_ == Phase::starting) return limit_start(longest_end);
    owes_end_ = true;  // meanwhile this process must not end as one that has given all
    steps_.ended();
    if (phase_ == Phase::handed_over) {
        take_back();
    } else if (phase_ == Phase::drains) {
        (void)shared_->alone();
        phase_ = Phase::none;
    }
    owes_end_ = false;
}

void Successor::reap() {
    int status = 0;
    if (pid_ == 0 || ::waitpid(pid_, &status, WNOHANG) != pid_) return;
    pid_ = 0;
    if (phase_ == Phase::starting) fail(status);
}

void Successor::fail(int status) {
    phase_ = Phase::failed;  // so a last `ready` changes nothing
    start_limit_.cancel();
    try {
        tell_failure(how_it_ended(status));
    } catch (const std::bad_alloc&) {
        log_.error("upgrade: the new process ended before it took over; nothing changed");
    }
    link_.reset();
    steps_.failed();
}

void Successor::tell_failure(const std::string& how) {
    if (link_)
        for (const Packet& packet : link_->last_words()) heard(packet);
    log_.error("upgrade: the new process ended before it took over; nothing changed",
               {{"how", how}, {"why", why_.empty() ? "its log says why" : why_}});
    why_ = "the new process ended before it took over (" + how + ")" +
           (why_.empty() ? "; its log says why\n" : ":\n" + why_);
}

// The new process may have granted from the queues that it had; this one cannot know. Such requests
// may still run in the backend, as after any crash.
void Successor::take_back() {
    const auto& taken = shared_->alone();
    const std::string now = steps_.take_back()
                                ? "this one accepts again"
                                : "this one drains, so nobody accepts; start a new one";
    why_ = "the new process ended after it had taken over; " + now + "\n";
    if (!taken.empty()) line_started_s_ = wall_now().unix_s();
    tell_taken_back(now, taken);
    phase_ = Phase::failed;
    steps_.failed();
}

void Successor::tell_taken_back(const std::string& now, const std::vector<std::string>& taken) {
    if (taken.empty())
        return log_.error("upgrade: the new process ended; " + now +
                          "; it ran no request of a queue");
    log_.error("upgrade: the new process ended; " + now +
                   "; it may have run requests of the queues that it had, and the backend may "
                   "still run them",
               {{"queues_it_had", taken.size()}, {"first", taken.front()}});
}

}  // namespace ticketgate
