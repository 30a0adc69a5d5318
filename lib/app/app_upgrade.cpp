#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <stdexcept>
#include <utility>

#include "app/app.hpp"
#include "app/id_service.hpp"
#include "base/shortage.hpp"
#include "config/validate.hpp"
#include "proxy/settings.hpp"

// The part of App that is about upgrades: what was passed to this process, and what it passes on.

namespace ticketgate {
namespace {

std::string_view name(Successor::Phase phase) {
    switch (phase) {
        case Successor::Phase::none:
            return "none";
        case Successor::Phase::starting:
            return "starting";
        case Successor::Phase::handed_over:
            return "handed_over";
        case Successor::Phase::drains:
            return "drains";
        case Successor::Phase::failed:
            break;
    }
    return "failed";
}

std::string_view old_ended(const Predecessor* before) {
    if (before == nullptr || before->lives()) return "";
    return before->finished() ? "finished" : "cut";
}

}  // namespace

// The id service of an old process has the state file until it ends, so it takes its socket later.
void App::take_sockets() {
    if (link_.get() >= 0) {
        assembly_.commons().last_ends.note_others(Time::max());
        predecessor_ = std::make_unique<Predecessor>(
            control_, log_, assembly_.gates(), std::move(link_), inherited_line_s_,
            Predecessor::Steps{.begin_ids = [this] { begin_id_service(true); },
                               .gives_queue = [this] { assembly_.close_idle_backends(); },
                               .pause = [this](const std::string& queue,
                                               Time until) { adopt_pause(queue, until); },
                               .ended = [this](bool all) { note_old_ended(all); },
                               .losses =
                                   [this](const upgrade::Message& message) {
                                       add_losses(assembly_.gates(), metrics_, message);
                                   },
                               .guest = [this](Packet packet) { adopt_guest(packet); }});
    } else {
        begin_id_service(false);
    }
    if (passed_.of_systemd) refuse_left_sockets();
}

void App::note_old_ended(bool all) {
    if (all) assembly_.commons().last_ends.note_others(monotonic_now());
    pauses_.other_ended();
    passed_.remove_files();
}

// systemd would keep clients waiting on such a socket, and nobody but systemd can end it.
void App::refuse_left_sockets() const {
    const auto left = passed_.left(predecessor_ ? id_service_socket() : std::nullopt);
    if (left.empty()) return;
    if (!predecessor_)
        throw std::runtime_error("systemd passed a socket on " + left.front() +
                                 ", which no listener of the configuration has");
    throw std::runtime_error(
        "with socket activation an upgrade keeps all listeners, and none of the configuration "
        "has " +
        left.front() + " any more; change the .socket unit, and restart it and the service");
}

std::optional<net::Endpoint> App::id_service_socket() const {
    const auto& ids = assembly_.config().id_service;
    return ids ? std::optional(endpoint_of(ids->address)) : std::nullopt;
}

void App::register_upgrade_metrics() {
    metrics_.gauge_fn(
        "ticketgate_line_start_time_seconds",
        "Since when no request was forgotten, unix seconds: the start of the process, "
        "or of the first one of a chain of upgrades.",
        {}, [this] { return static_cast<double>(line_started_s()); });
    metrics_.gauge_fn("ticketgate_upgrade_last_successful",
                      "0: the last upgrade failed, and this process goes on.", {}, [this] {
                          return successor_.phase() == Successor::Phase::failed ? 0.0 : 1.0;
                      });
}

// The files of unix sockets are the old process's until nothing can fail any more: a start that
// fails leaves them.
void App::take_over() {
    predecessor_->take_over();
    end_left_sockets();
    if (passed_.of_systemd) return;
    front_.own_files();
    if (admin_) admin_->file().own();
}

// Not before the old process has handed over: a start that fails leaves them. The id service takes
// its socket later.
void App::end_left_sockets() {
    for (const auto& address : passed_.end_left(id_service_socket()))
        log_.warn("upgrade: no listener has this address any more", {{"address", address}});
}

// At the start a failure ends it; in a process that runs, the old service has ended already.
void App::begin_id_service(bool runs) {
    const config::Config& config = assembly_.config();
    if (!config.id_service || id_service_) return;
    try {
        if (runs && !id_thread_) id_thread_.emplace();  // first: so its socket ends if it fails
        id_service_ = make_id_service(*config.id_service, *identities_.id_service, log_, metrics_,
                                      [this](const net::Endpoint& at) { return passed_.open(at); });
        if (!passed_.of_systemd) id_service_->file().own();
        if (runs) start_id_service();
    } catch (const std::exception& why) {
        end_id_service();
        if (!runs || lacks_means(why)) throw;  // it begins again when there are means
        log_.error("upgrade: the id service cannot start", {{"why", why.what()}});
    }
    if (runs) (void)passed_.end_left();  // its clients would wait for the old process to end
}

void App::end_id_service() {
    id_service_.reset();
    id_thread_.reset();
}

void App::start_id_service() {
    id_service_->start(*std::move(id_thread_));
    id_thread_.reset();
}

HandOver App::steps_of_hand_over() {
    return {.may_hand_over = [this] { return shutdown_.ready() && keep_id_socket(); },
            .sockets = [this] { return listening(); },
            .hand_over = [this](pid_t successor) { hand_over(successor); },
            .failed = [this] { read_missed_change(); },
            .ended = [this] { pauses_.other_ended(); },
            .take_back = [this] { return take_back(); },
            .drain = [this] { shutdown_.drain(); },
            .pause = [this](const std::string& queue, Time until) { adopt_pause(queue, until); },
            .facts =
                [this] {
                    return inherited_facts({.side = 1 - side_,
                                            .of_systemd = passed_.of_systemd,
                                            .line_started_s = line_started_s()});
                }};
}

// In the order in which the new process opens its listeners.
std::vector<int> App::listening() const {
    auto sockets = front_.descriptors();
    if (admin_) sockets.push_back(admin_->descriptor());
    if (id_service_) sockets.push_back(id_service_->descriptor());
    return sockets;
}

// The id service may have to begin again. False: no descriptor is free, so nothing is handed over.
bool App::keep_id_socket() {
    if (!id_service_) return true;
    Descriptor kept(::fcntl(id_service_->descriptor(), F_DUPFD_CLOEXEC, 0));
    if (kept.get() < 0) return false;
    passed_.add(std::move(kept));
    return true;
}

// Should the new process end early, the scripts that it ran may run on.
void App::hand_over(pid_t successor) {
    LastEnds& ends = assembly_.commons().last_ends;
    knew_others_ = !ends.others_run();
    ends.note_others(Time::max());
    log_.info("upgrade: the new process accepts; this one finishes its line", {{"pid", successor}});
    notify_.main_process(successor);
    if (admin_)
        admin_->hand_over([this](Descriptor connection, std::string arrived) {
            successor_.pass_on(std::move(connection), std::move(arrived));
        });
    if (id_service_) {
        id_service_->file().lend();
        id_service_.reset();
    }
    shutdown_.hand_over([this] { return !control_.failed() && successor_.gave_all(); });
    // It may have read the config before the change. It is not reaped yet, so the pid is its own.
    if (missed_change_) (void)::kill(successor, SIGHUP);
}

// A process that drains accepts no more clients; its operator, and systemd, still find it.
bool App::take_back() {
    const bool accepts = shutdown_.handed_over() || shutdown_.ready();
    if (accepts) {
        shutdown_.take_back();
        begin_id_service(true);
    }
    if (admin_) admin_->hand_over(nullptr);
    if (accepts) tell_lost_files();
    notify_.main_process(::getpid());
    return accepts;
}

void App::tell_lost_files() {
    auto lost = front_.without_file();
    if (admin_ && !admin_->file().there()) lost.push_back(admin_->local());
    if (id_service_ && !id_service_->file().there()) lost.push_back(id_service_->local());
    for (const auto& at : lost)
        log_.error(
            "the file of a unix socket is gone, so nobody finds it; an upgrade makes it again",
            {{"address", at.text()}});
}

// A configuration without an admin listener ends it.
void App::adopt_guest(Packet& packet) {
    if (admin_) admin_->adopt(std::move(packet.descriptor), std::move(packet.message.text));
}

upgrade::Left App::left() const {
    bool requests = false;
    assembly_.gates().for_each([&](const Gate& gate) { requests |= !gate.figures().empty(); });
    if (requests) return upgrade::Left::requests;
    const Commons& all = assembly_.commons();
    const bool over = all.runs == 0 && !all.last_ends.stray() && knew_others_;
    return over ? upgrade::Left::nothing : upgrade::Left::unknown;
}

void App::tell_end() {
    const upgrade::Left left = this->left();
    successor_.tell_end(left);
    if (predecessor_) predecessor_->tell_end(left);
}

// Reads the file that --watch saw change, or that HUP named, during an upgrade that did not last.
void App::read_missed_change() {
    if (!shutdown_.drains() && missed_change_)
        (void)reload_now(*std::exchange(missed_change_, std::nullopt));
}

std::string App::why_no_upgrade() const {
    if (replica_)
        return "a replica of a cluster takes no upgrade: restart it, and its lines pass to other "
               "replicas";
    if (::getpid() == 1)
        return "process 1 of a container takes no upgrade: its container would end with it";
    if (predecessor_ && predecessor_->lives())
        return "the process before this one still finishes its line; try again when it has ended";
    if (successor_.under_way()) return "an upgrade is under way already";
    if (!shutdown_.ready()) return "the process drains";
    return {};
}

std::string App::upgrade() {
    auto why = why_no_upgrade();
    if (why.empty()) why = successor_.begin();
    if (!why.empty()) log_.error("upgrade: refused", {{"why", why}});
    return why;
}

admin::Upgrading App::upgrading() const {
    return {.pid = ::getpid(),
            .state = name(successor_.phase()),
            .successor = successor_.pid(),
            .old_process = predecessor_ && predecessor_->lives(),
            .old_pid = predecessor_ && predecessor_->lives() ? predecessor_->pid() : 0,
            .old_ended = old_ended(predecessor_.get()),
            .why = successor_.why()};
}

// An upgrade does not end the line, unless the other process ended with requests in it.
std::int64_t App::line_started_s() const {
    const auto inherited = predecessor_ ? predecessor_->line_started_s() : 0;
    const auto started = inherited != 0 ? inherited : started_.unix_s();
    return std::max(started, successor_.line_started_s());
}

// Nobody accepts here while a new process does, but an answer may be on its way by then.
std::string_view App::elsewhere(const std::string& queue) const {
    using enum Successor::Phase;
    if (predecessor_ && predecessor_->has(queue)) return "old_process";
    const auto phase = successor_.phase();
    if (phase == handed_over || phase == drains) return "new_process";
    return kept_elsewhere(queue);
}

admin::Place App::place(const std::string& queue) const {
    const auto where = elsewhere(queue);
    if (where != "old_process") return {where};
    return {where, predecessor_->oldest(queue), static_cast<int>(predecessor_->pid())};
}

// After a reload. A queue that lost its routes here may have requests in the old process.
void App::tell_of_queues_there(std::vector<std::string>& warnings) {
    if (!predecessor_ || !predecessor_->lives()) return;
    const auto used = config::queues_of_routes(assembly_.config());
    for (const auto& queue : predecessor_->queues()) {
        if (used.contains(queue)) continue;
        warnings.push_back("queue " + queue +
                           " has no route any more, but the old process has not finished its line: "
                           "until then, requests of other queues may run beside them");
        log_.warn(warnings.back());
    }
}

// A pause holds in both processes, whichever the operator reached.
bool App::tell_pause(const std::string& queue, Time until) {
    successor_.tell_pause(queue, until);
    if (predecessor_) predecessor_->tell_pause(queue, until);
    return predecessor_ && predecessor_->lives();
}

// A drain ends a pause, so none begins behind it: the line would be cut at drain_timeout.
void App::adopt_pause(const std::string& queue, Time until) {
    if (until == Time{} || !shutdown_.drains()) return pauses_.adopt(queue, until);
    log_.warn("upgrade: this process drains, so its line goes on beside the pause of a queue",
              {{"queue", queue}});
}

}  // namespace ticketgate
