#include <cstring>

#include "app/app.hpp"
#include "app/cluster_view.hpp"
#include "app/spool.hpp"
#include "app/version.hpp"
#include "config/validate.hpp"
#include "http/target.hpp"

// The part of App that is about the admin listener: what its pages show, and what they may do.

namespace ticketgate {
namespace {

admin::Limits admin_limits(const config::AdminLimits& limits) {
    return {limits.max_connections, limits.read_timeout, limits.write_timeout};
}

}  // namespace

void App::start_admin(const config::Config& config) {
    const ids::Machine& machine = identities_.machine;  // its lane comes after those of the loops
    admin_ids_ = std::make_unique<ids::Generator>(
        machine, ids::lane_of(machine, config.threads, config.threads + 1));
    PageSources sources{.standing = [this] { return standing(); },
                        .pools = [this] { return supervisor_.pools(); },
                        .upstreams = [this] { return upstreams(); },
                        .elsewhere = [this](const std::string& queue) { return place(queue); }};
    if (replica_)
        sources.cluster = [this](const std::set<std::string>& queues) {
            return cluster_picture(*replica_, reload_.path(), queues, wall_now());
        };
    live_ =
        make_live(control_, config.admin_limits.max_viewers, assembly_.gates(), std::move(sources));
    live_->start();
    admin_ = std::make_unique<admin::Server>(
        control_.io(), endpoint_of(*config.admin), admin_limits(config.admin_limits),
        admin::Pages{metrics_, assembly_.gates(), admin_actions(), admin_ids_.get(),
                     !identities_.overlap()},
        [this](int error) { tell_admin_shut(error); },
        [live = live_](const admin::HttpRequest& request) { return watch(*live, request); },
        [this](const net::Endpoint& at) { return passed_.open(at); });
}

void App::note_certificates() {
    certificates_.serve(
        served_certificates(*assembly_.snapshot(), addresses(), replica_ != nullptr));
}

admin::Standing App::standing() const {
    admin::Standing standing;
    standing.version = version;
    standing.ready = shutdown_.ready();
    if (const auto left = shutdown_.cuts_in(monotonic_now()))
        standing.drain = admin::drain_text(*left);
    standing.started = started_;
    standing.certificates = certificates_.served();
    standing.spool = spool_trouble(assembly_.commons().spool, monotonic_now());
    standing.upgrade = admin::upgrade_text(upgrading());
    reload_.tell(standing);
    return standing;
}

std::vector<admin::UpstreamState> App::upstreams() const {
    std::vector<admin::UpstreamState> all;
    assembly_.upstreams().for_each([&](const std::string& name, const auto& known) {
        all.push_back({name, known.config.url, known.upstream->failures.told(), known.workers});
    });
    return all;
}

void App::tell_admin_shut(int error) {
    const Time now = monotonic_now();
    if (now < tell_admin_at_) return;
    tell_admin_at_ = now + 1s;
    log_.error("the admin listener cannot accept a connection", {{"why", std::strerror(error)}});
}

admin::Actions App::admin_actions() {
    admin::Actions actions;
    actions.ready = [this] { return shutdown_.ready(); };
    actions.cuts_in = [this] { return shutdown_.cuts_in(monotonic_now()); };
    actions.token = [this] { return assembly_.config().admin_token; };
    actions.release = [this](Gate& gate, const ToRelease& what) { return release(gate, what); };
    actions.has_route = [this](const std::string& queue) {
        return config::queues_of_routes(assembly_.config()).contains(queue);
    };
    actions.pause = [this](Gate& gate, milliseconds time) { pauses_.pause(gate, time); };
    actions.resume = [this](Gate& gate) { pauses_.resume(gate); };
    actions.resume_there = [this](const std::string& name) { return pauses_.resume_there(name); };
    actions.drain = [this] { drain(); };
    if (replica_)
        actions.cluster = [this] { return cluster_page(*replica_, reload_.path(), wall_now()); };
    actions.reload = [this] { return reload_now(admin::ReadBy::command); };
    actions.config = [this] {
        auto view = reload_.view();
        view.watched = config_watch_ != nullptr;
        return view;
    };
    actions.worker_pools = [this] { return supervisor_.pools(); };
    actions.upstreams = [this] { return upstreams(); };
    actions.spool_trouble = [this] {
        return spool_trouble(assembly_.commons().spool, monotonic_now());
    };
    actions.upgrade = [this] { return upgrade(); };
    actions.upgrading = [this] { return upgrading(); };
    actions.viewers_full = [this] { return live_->full(); };
    actions.elsewhere = [this](const std::string& queue) { return place(queue); };
    return actions;
}

Released App::release(Gate& gate, const ToRelease& what) {
    Released released = gate.release(what);
    const auto& label = released.label;
    const Log::Fields about = {{"request_id", label.request_id()},
                               {"queue", gate.name()},
                               {"number", what.number},
                               {"method", label.method()},
                               {"path", http::path_of(label.target())}};
    if (released.how == Release::failed_open)
        log_.error("an operator released a slot though its backend may still run", about);
    if (released.how == Release::not_sent)
        log_.warn("an operator ended a request that had not been sent to the backend", about);
    return released;
}

}  // namespace ticketgate
