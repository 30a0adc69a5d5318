// A crew counts the deaths of its workers, and logs their starts and ends.
#include <sys/wait.h>

#include <cstring>
#include <utility>

#include "spawn/crew.hpp"

namespace ticketgate::spawn {
namespace {

std::string reason_of(const Pool::Ended& was, int status) {
    switch (was.ending) {
        case Ending::idle:
            return "idle";
        case Ending::max_requests:
            return "max_requests";
        case Ending::reload:
            return "reload";
        case Ending::stop:
            return "stop";
        case Ending::late:
            return "start_timeout";
        case Ending::protocol:
            return "protocol";
        case Ending::none:
            break;
    }
    return WIFSIGNALED(status) ? "signal" : "exit";
}

std::string describe(int status) {
    if (WIFSIGNALED(status))
        return "killed by signal " + std::to_string(WTERMSIG(status)) + " (" +
               ::strsignal(WTERMSIG(status)) + ")";
    return "exit status " + std::to_string(WEXITSTATUS(status));
}

}  // namespace

void Supervisor::Crew::tell_not_started(const NotStarted& why) {
    pause_.failed(monotonic_now());
    const std::string text = std::string(why.step) + ": " + std::strerror(why.error);
    pool_->trouble(text);
    supervisor_.log_.error(
        "a worker cannot be started",
        {{"upstream", pool_->name()}, {"command", recipe_.command.program}, {"why", text}});
}

// Then the supervisor looks at all of them: this crew may be over, and orphans may wait behind it.
void Supervisor::Crew::note_end(const Worker& worker, const Pool::Ended& was, int status) {
    metrics_.deaths(reason_of(was, status)).add();
    if (!was.was_idle && was.ending != Ending::late)
        pool_->trouble(recipe_.command.program + ": " + describe(status) +
                       " before it took a request");
    tell_end(worker, was, status);
    look_soon();
}

void Supervisor::Crew::tell_end(const Worker& worker, const Pool::Ended& was, int status) {
    const Field upstream("upstream", pool_->name()), pid("pid", std::uint64_t(worker.pid));
    const std::string text = describe(status), why = reason_of(was, status);
    const bool late = was.ending == Ending::late;
    if (was.ending != Ending::none && was.ending != Ending::protocol && !late)
        return supervisor_.log_.info("a worker has ended", {upstream, pid, {"why", why}});
    if (was.ending != Ending::none)
        return supervisor_.log_.error(
            late ? "a worker did not wait for a request within start_timeout and was ended"
                 : "a worker broke the rules of its transport and was ended",
            {upstream, pid});
    const std::string_view request_id = was.request_id.data();
    if (request_id.empty())
        return supervisor_.log_.warn("a worker has died",
                                     {upstream, pid, {"why", why}, {"status", text}});
    supervisor_.log_.error("a worker has died with its request",
                           {upstream, pid, {"status", text}, {"request_id", request_id}});
}

void Supervisor::Crew::tell_dying(const Worker& worker) {
    supervisor_.log_.error(
        "a worker has died with its request, and a process of its group does not end: the slot "
        "stays held",
        {{"upstream", pool_->name()},
         {"pid", std::uint64_t(worker.pid)},
         {"remedy",
          "see in `ps -eo pgid,pid,stat,wchan,args` what the processes of this group "
          "wait for, as for a disk that hangs"}});
}

void Supervisor::Crew::tell_hidden() {
    if (std::exchange(hidden_told_, true)) return;
    supervisor_.log_.warn(
        "/proc hides whether what a dead worker has started is over: it is killed, and the slot is "
        "given back without that",
        {{"upstream", pool_->name()},
         {"remedy",
          "mount /proc without hidepid (systemd: ProtectProc=default), or let the workers "
          "be of ticketgate's own user"}});
}

}  // namespace ticketgate::spawn
