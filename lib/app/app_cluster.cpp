// How the replica of this process, the gates of its queues and php-fpm come together.
#include "app/app.hpp"
#include "app/replica.hpp"
#include "proxy/lost_work.hpp"

namespace ticketgate {

GateRegistry::Permits App::permits() const {
    if (!replica_) return {};
    return [replica = replica_.get()](const std::string& queue) {
        return replica->has(queue) ? &replica->permit(queue) : nullptr;
    };
}

void App::join_lines(const config::Config& config) {
    for (const auto& [name, queue] : config.queues)
        if (queue.cluster) replica_->join(name, assembly_.gates().share(name));
    if (!replica_) return;
    replica_->ask_backend_with(
        [this](const std::string& queue, const cluster::Prior& lost) { ask_backend(queue, lost); });
}

// A replica that is not sure may have been replaced as the keeper without knowing it. One that
// leaves lets another one take over.
std::string_view App::kept_elsewhere(const std::string& queue) const {
    if (!replica_ || !replica_->has(queue)) return {};
    const auto role = replica_->view(queue).role;
    if (role == cluster::Role::settling) return "earlier_keeper";
    const bool keeps = role == cluster::Role::idle || role == cluster::Role::open;
    return keeps && replica_->sure() > Duration{0} ? "" : "other_replica";
}

// On the thread of the replica.
void App::ask_backend(const std::string& queue, const cluster::Prior& lost) {
    if (lost.keeper.backends != replica_->self().backends)
        return log_.error(
            "the lost replica's requests may run at other backends than this replica's, so nobody "
            "is asked: see where they run, then settle the queue",
            {{"queue", queue}, {"lost", lost.keeper.address}});
    Station& station = assembly_.station(0);
    station.loop.post([this, &station, queue, lost] {
        const Snapshot& now = *station.snapshot();
        if (!shows_lost_work_of(now.config, lost.keeper.address, replica_->self().address)) return;
        LostWorkQuestion question;
        question.queue = queue;
        question.wanted = [this, queue, term = lost.epoch] {
            const auto line = replica_->view(queue);
            if (line.role != cluster::Role::settling || !line.record) return false;
            return line.record->prior && line.record->prior->epoch == term;
        };
        question.over = [this, queue, term = lost.epoch] { replica_->workers_idle(queue, term); };
        ask_for_lost_work(station, std::move(question));
    });
}

}  // namespace ticketgate
