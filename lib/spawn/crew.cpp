#include "spawn/crew.hpp"

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "spawn/group.hpp"

namespace ticketgate::spawn {
namespace {

// While workers are told to end.
constexpr Duration look_at_ending = 100ms;

// After SIGKILL, at the end of ticketgate. A process that waits for a disk dies when that answers.
constexpr Duration killed_takes = 2s;

// While the processes of a killed group end. Each look goes through all of /proc.
constexpr Duration look_at_dying = 2ms, look_at_dying_at_most = 200ms;
constexpr Duration dies_slowly = 2s;  // as where a disk hangs

// The step of a start that would take the descriptors of requests.
constexpr const char* all_workers =
    "beside the workers of all upstreams, which may take half of the open files (raise "
    "LimitNOFILE= or ulimit -n, or lower workers.min and max)";

}  // namespace

Supervisor::Crew::Crew(Supervisor& supervisor, std::string name, Recipe recipe, MakeLink link)
    : supervisor_(supervisor),
      recipe_(std::move(recipe)),
      make_link_(std::move(link)),
      metrics_(supervisor.metrics_, name),
      pool_(std::make_shared<Pool>(
          std::move(name),
          [&supervisor](const Pool& pool) {
              boost::asio::post(supervisor.io_, [&supervisor, key = &pool] {
                  if (Crew* const crew = supervisor.crew_of(*key)) crew->look();
              });
          },
          &metrics_.busy_seconds)),
      timer_(supervisor.io_) {
    metrics_.watch(*pool_);
}

void Supervisor::Crew::in_force(bool yes) {
    in_force_ = yes;
    if (!yes) pool_->retire();
    look();
}

void Supervisor::Crew::look() {
    const Time now = monotonic_now();
    const Pool::News news = pool_->news();
    if (news.served) pause_.served(*news.served);
    if (news.started) pool_->trouble({});
    reap();
    for (const pid_t pid : pids()) look_at_birth(pid);
    for (const auto& [pid, child] : children_) child.voice->tell_dropped(false);
    const Pool::Orders orders = pool_->orders(pause_.until(), recipe_.start_timeout, now);
    for (const auto& worker : orders.stop) end(*worker);
    for (std::size_t i = 0; i < orders.start && monotonic_now() >= pause_.until(); ++i) start_one();
    Duration soon = orders.stop.empty() ? look_at_least : look_at_ending;
    if (orders.start != 0) soon = std::min<Duration>(soon, recipe_.start_timeout);
    const Time next = std::min(now + soon, look_at_dying_);
    look_at(std::min(orders.look_again.value_or(Time::max()), next));
    supervisor_.tell_if_ended();
}

void Supervisor::Crew::look_at(Time when) {
    if (over()) return supervisor_.forget_soon();
    timer_.expires_at(std::chrono::time_point_cast<boost::asio::steady_timer::duration>(when));
    timer_.async_wait([weak = weak_from_this()](const error_code& error) {
        const auto self = weak.lock();
        if (!error && self) self->look();
    });
}

// ── the start of a worker ──

void Supervisor::Crew::start_one() {
    if (supervisor_.is_full()) return tell_not_started({EMFILE, all_workers});
    Wires wires;
    NotStarted why{};
    const bool wired = recipe_.transport == Transport::socket
                           ? listen_at(recipe_.directory, wires, why)
                           : make_control(wires, why);
    if (!wired || !make_pipe(wires, why)) return tell_not_started(why);
    begin_one(std::move(wires));
}

// Here it is a worker that starts, also while its program is still looked for: start_timeout holds.
void Supervisor::Crew::begin_one(Wires wires) {
    const Wiring wiring{wires.input.get(), wires.output.get(), wires.theirs.get()};
    Command command = recipe_.command;
    if (wiring.control >= 0)
        command.environment.push_back("FCGI_LISTENSOCK_DESCRIPTORS=" +
                                      std::to_string(wiring.control));
    const auto worker =
        pool_->add(Wire{std::move(wires.input), std::move(wires.path), std::move(wires.ours)});
    NotStarted why{};
    Begun begun;
    try {
        begun = begin(command, wiring, why);
        if (begun.pid != 0) note_begun(worker, begun, std::move(wires.pipe));
    } catch (...) {
        forget(*worker, begun.pid);
        throw;
    }
    if (begun.pid != 0) return wait_for_birth(begun.pid, children_.at(begun.pid));
    forget(*worker, 0);
    tell_not_started(why);
}

void Supervisor::Crew::note_begun(const std::shared_ptr<Worker>& worker, Begun& begun,
                                  Descriptor pipe) {
    worker->pid = begun.pid;
    worker->life = Life(begun.pid);
    auto voice = std::make_shared<Voice>(supervisor_.log_, pool_->name(), begun.pid, lines_);
    auto output = Output::read(
        supervisor_.io_, std::move(pipe),
        [voice](std::string_view line, std::string_view id) { voice->says(line, id); });
    worker->written = output->written();
    auto report = std::make_unique<Report>(supervisor_.io_);
    report->assign(begun.report.get());
    (void)begun.report.release();
    children_.emplace(begun.pid,
                      Child{worker, std::move(output), std::move(voice), std::move(report)});
}

// A child that there was no memory to note would be one more than `max`, and outlive this process.
void Supervisor::Crew::forget(Worker& worker, pid_t pid) {
    if (pid != 0) {
        (void)::kill(pid, SIGKILL);
        (void)::waitpid(pid, nullptr, 0);
    }
    (void)pool_->ended(worker);
}

void Supervisor::Crew::wait_for_birth(pid_t pid, Child& child) {
    const auto told = [pid, weak = weak_from_this()](const error_code& error) {
        const auto self = weak.lock();
        if (error || !self) return;
        self->look_at_birth(pid);
        // Another child may have the number now.
        const auto found = self->children_.find(pid);
        if (found != self->children_.end() && found->second.report)
            self->wait_for_birth(pid, found->second);
    };
    child.report->async_wait(Report::wait_read, told);
}

// Also at each look: without memory nothing waits for the report.
void Supervisor::Crew::look_at_birth(pid_t pid) {
    const auto found = children_.find(pid);
    if (found == children_.end() || !found->second.report) return;
    NotStarted why{};
    switch (birth_of(found->second.report->native_handle(), why)) {
        case Birth::pending:
            return;
        case Birth::runs:
            return note_birth(found->second);
        case Birth::failed:
            bury_unborn(pid, why);
            look_soon();
    }
}

void Supervisor::Crew::note_birth(Child& child) {
    Worker& worker = *child.worker;
    if (!worker.told_to_end) worker.link = make_link_(pool_, worker);
    child.report.reset();            // not before: without memory the next look comes here again
    if (worker.told_to_end) return;  // it was killed before
    metrics_.starts.add();
    supervisor_.log_.info("a worker starts",
                          {{"upstream", pool_->name()}, {"pid", std::uint64_t(worker.pid)}});
    pool_->started(worker, *supervisor_.loops_[next_loop_++ % supervisor_.loops_.size()]);
}

// Nothing of the program has run; the child ends behind its report.
void Supervisor::Crew::bury_unborn(pid_t pid, const NotStarted& why) {
    (void)::waitpid(pid, nullptr, 0);
    const auto found = children_.find(pid);
    const Child child = std::move(found->second);
    children_.erase(found);
    child.output->close();
    (void)pool_->ended(*child.worker);
    tell_not_started(why);
}

// Its end may be seen before its report is.
bool Supervisor::Crew::ends_before_birth(pid_t pid, const Child& child) {
    if (!child.report || child.worker->told_to_end) return false;
    look_at_birth(pid);
    return !children_.contains(pid);
}

// ── the end ──

// The signal comes again at each look: many programs, php-cgi too, miss one that comes just before
// they wait for a connection. The end of the socket reaches each process that waits there, also if
// it is not the one that was started.
void Supervisor::Crew::end(Worker& worker) {
    const Time now = monotonic_now();
    if (!std::exchange(worker.told_to_end, true)) {
        worker.told_at = now;
        worker.kill_at = now + recipe_.stop_timeout;
        // Now, not when it has ended: the next one would have started by then.
        if (worker.ending == Ending::late) note_late(now);
    }
    if (at_once_) worker.kill_at = std::min(worker.kill_at, now);
    const auto child = children_.find(worker.pid);
    if (child == children_.end()) return;  // its number may be another process's
    (void)::shutdown(worker.wire.listener.get(), SHUT_RDWR);
    // There is no program yet that could end well, and no group perhaps.
    if (child->second.report) return (void)::kill(worker.pid, SIGKILL);
    if (now < worker.kill_at) return (void)::kill(worker.pid, SIGTERM);
    (void)::kill(-worker.pid, SIGKILL);
    (void)::kill(worker.pid, SIGKILL);  // it may have left its group
}

void Supervisor::Crew::note_late(Time now) {
    pause_.failed(now);
    pool_->trouble(recipe_.command.program + ": did not wait for a request within start_timeout");
}

bool Supervisor::Crew::ended() const {
    const Time now = monotonic_now();
    return std::ranges::all_of(children_, [&](const auto& entry) {
        const Worker& worker = *entry.second.worker;
        const Time killed = entry.second.report ? worker.told_at : worker.kill_at;
        return worker.told_to_end && now - killed > killed_takes;
    });
}

std::vector<pid_t> Supervisor::Crew::pids() const {
    std::vector<pid_t> out;
    out.reserve(children_.size());
    for (const auto& [pid, child] : children_) out.push_back(pid);
    return out;
}

void Supervisor::Crew::reap() {
    look_at_dying_ = Time::max();
    for (const pid_t pid : pids())
        if (has_ended(pid)) (void)reap(pid);
}

bool Supervisor::Crew::reap(pid_t pid) {
    const auto found = children_.find(pid);
    if (found == children_.end()) return false;
    if (ends_before_birth(pid, found->second)) return true;
    // What it started may run the request's script: that is over when none of them is left.
    const Rest rest = rest_of(pid, found->second);
    if (rest == Rest::may_run) return true;
    if (rest == Rest::hidden) tell_hidden();
    int status = 0;
    (void)::waitpid(pid, &status, 0);
    const Child child = std::move(found->second);
    children_.erase(found);
    (void)::shutdown(child.worker->wire.listener.get(), SHUT_RDWR);
    // Up to here nothing fails: nobody reaps this child again.
    const Pool::Ended was = pool_->ended(*child.worker);
    if (was.in_vain()) pause_.failed(monotonic_now());
    if (child.output->outlives()) supervisor_.read_on(child.output, child.voice);
    child.voice->tell_dropped(true);
    note_end(*child.worker, was, status);
    return true;
}

// Looks less and less often, after a quarter of the time so far.
Rest Supervisor::Crew::rest_of(pid_t pid, Child& child) {
    if (!pool_->works(*child.worker)) return Rest::over;
    const Time now = monotonic_now();
    if (!child.dies) child.dies = Dies{.since = now, .look_at = now};
    Dies& dies = *child.dies;
    if (now >= dies.look_at) {
        const Rest rest = kill_rest(pid);
        if (rest != Rest::may_run) return rest;
        const Duration so_far = now - dies.since;
        dies.look_at = now + std::clamp(so_far / 4, look_at_dying, look_at_dying_at_most);
        if (so_far >= dies_slowly && !std::exchange(dies.told, true)) tell_dying(*child.worker);
    }
    look_at_dying_ = std::min(look_at_dying_, dies.look_at);
    return Rest::may_run;
}

void Supervisor::Crew::look_soon() {
    boost::asio::post(supervisor_.io_, [&all = supervisor_] { all.reap(); });
}

Supervisor::Crew* Supervisor::crew_of(const Pool& pool) {
    const auto found =
        std::ranges::find_if(crews_, [&](const auto& crew) { return crew->pool().get() == &pool; });
    return found == crews_.end() ? nullptr : found->get();
}

}  // namespace ticketgate::spawn
