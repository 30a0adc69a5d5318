#include "app/lost_backends.hpp"

#include <array>
#include <cstdint>
#include <cstdio>
#include <set>

namespace ticketgate {
namespace {

// FNV-1a. Nobody gains by a collision: the texts are an operator's.
std::uint64_t hash_of(const std::set<std::string>& texts, std::uint64_t hash) {
    for (const auto& text : texts)
        for (const char c : text + '\n')
            hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
    return hash;
}

bool asks_workers(const config::Queue& queue) {
    return queue.cluster && queue.release == config::Release::worker_idle;
}

}  // namespace

std::string lost_backends(const config::Config& config) {
    if (!config.cluster) return {};
    std::set<std::string> queues, urls;
    for (const auto& [name, queue] : config.queues)
        if (asks_workers(queue)) queues.insert(name);
    for (const auto& [name, upstream] : config.upstreams)
        if (upstream.fcgi && upstream.fcgi->status) urls.insert(upstream.url);
    if (queues.empty()) return {};
    std::array<char, 17> text{};
    std::snprintf(
        text.data(), text.size(), "%016llx",
        static_cast<unsigned long long>(hash_of(urls, hash_of(queues, 14695981039346656037U))));
    return text.data();
}

std::vector<config::Problem> lost_backend_problems(const config::Config& started,
                                                   const config::Config& next) {
    config::Problems problems;
    if (started.cluster && next.cluster && lost_backends(started) != lost_backends(next))
        problems.error(next.mark_of("upstreams"), "upstreams",
                       "a reload cannot change which php-fpm the requests of clustered queues with "
                       "release: worker_idle go to, nor which queues these are: after a loss "
                       "another replica would ask the wrong one. Restart this replica instead");
    return problems.take();
}

}  // namespace ticketgate
