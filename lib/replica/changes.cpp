#include "replica/changes.hpp"

namespace ticketgate::replica {
namespace {

using cluster::Role;

std::string name_of(const cluster::Instance& replica) {
    return replica.name + " (" + replica.address + ')';
}

std::string settle_command(const std::string& queue, cluster::Epoch epoch,
                           const std::string& options) {
    return "ticketgate settle " + queue + ' ' + std::to_string(epoch) +
           (options.empty() ? "" : ' ' + options);
}

// The keeper before it may never give its word, so the line names the command that ends the wait.
void log_wait(Log& log, const std::string& queue, const LineView& view,
              const std::string& options) {
    const cluster::Prior& prior = *view.record->prior;
    log.warn("the queue stands: it waits for the end of what another replica had started",
             {{"queue", queue},
              {"epoch", view.epoch},
              {"replica", name_of(prior.keeper)},
              {"lost", prior.lost},
              {"if_it_has_ended", settle_command(queue, prior.epoch, options)}});
}

void log_takeover(Log& log, const std::string& queue, const LineView& view) {
    log.info("this replica keeps the queue", {{"queue", queue}, {"epoch", view.epoch}});
}

void log_settled(Log& log, const std::string& queue, const LineView& before,
                 const LineView& after) {
    const auto is_by = [&](cluster::Settled how) {
        const auto index = static_cast<std::size_t>(how);
        return after.settled[index] != before.settled[index];
    };
    const Field name("queue", queue);
    const Field epoch("epoch", after.epoch != 0 ? after.epoch : before.epoch);
    if (is_by(cluster::Settled::word)) log.info("the queue goes on: that has ended", {name, epoch});
    if (is_by(cluster::Settled::workers))
        log.info("the queue goes on: php-fpm runs nothing of that", {name, epoch});
    if (is_by(cluster::Settled::by_operator))
        log.error("the queue goes on: an operator said that what ran there has ended",
                  {name, epoch});
    if (is_by(cluster::Settled::hold_timeout))
        log.error("the queue goes on after hold_timeout: two requests may run at once",
                  {name, epoch});
}

void log_end(Log& log, const std::string& queue, const LineView& before, const LineView& after) {
    const bool kept = after.record && after.record->state != cluster::LineState::free;
    log.info("this replica keeps the queue no longer",
             {{"queue", queue},
              {"epoch", before.epoch},
              {"keeper", kept ? name_of(after.record->keeper) : "none"}});
}

}  // namespace

// `settle` writes, too.
void log_kept(Log& log, const std::string& queue, const LineView& view, const StoreProblem& problem,
              const std::string& options) {
    if (view.rid || !view.record) return;
    const auto awaited = cluster::term_to_await(*view.record);
    if (!awaited) return;
    const char* const usual = view.role == Role::settling
                                  ? "it waits for the end of what another replica had started"
                                  : "the cluster's store did not answer in time";
    log.error(problem.full
                  ? "the queue could not be given up: it stands until the cluster's store takes "
                    "writes again, and an operator settles it then"
                  : "the queue could not be given up: it stands until an operator settles it",
              {{"queue", queue},
               {"epoch", awaited->epoch},
               {"why", problem.why.empty() ? usual : problem.why},
               {"command", settle_command(queue, awaited->epoch, options)}});
}

void log_changes(Log& log, const std::string& queue, const LineView& before, const LineView& after,
                 const std::string& options) {
    if (after.takeovers != before.takeovers) log_takeover(log, queue, after);
    if (before.role != Role::settling && after.role == Role::settling)
        log_wait(log, queue, after, options);
    log_settled(log, queue, before, after);
    if (before.role != Role::follower && after.role == Role::follower)
        log_end(log, queue, before, after);
    if (after.ended_pauses != before.ended_pauses)
        log.warn("the pause of a queue has ended: another replica keeps it, and is not paused",
                 {{"queue", queue}});
}

}  // namespace ticketgate::replica
