// The commands that speak to the store of a cluster.
#include <unistd.h>

#include <cstdio>
#include <stdexcept>

#include "app/admin_listener.hpp"
#include "app/cluster_store.hpp"
#include "app/cluster_view.hpp"
#include "app/commands.hpp"
#include "app/connect_check.hpp"
#include "app/replica.hpp"

namespace ticketgate::commands {
namespace {

using cluster::Written;

int complain(const std::string& text) {
    std::fprintf(stderr, "ticketgate: %s\n", text.c_str());
    return failed;
}

int no_store(const std::string& why) {
    return complain("the cluster's store cannot be used: " + why);
}

// Calls use(name of the cluster, its store).
template <class Use>
int with_store(const std::string& file, Use use) {
    const auto config = load(file, false);
    if (!config) return bad_config;
    if (!config->cluster) {
        complain(file + " has no cluster:");
        return bad_config;
    }
    try {
        ClusterStore store(*config->cluster);
        return use(config->cluster->name, store);
    } catch (const std::runtime_error& error) {
        return complain(error.what());
    }
}

int tell_missing(const std::string& name, const std::string& file) {
    return complain("the store has no cluster " + name +
                    "; for a new one, run once: ticketgate cluster init -c " + file);
}

std::string look_again(const std::string& file) {
    const auto options = options_for_file(file);
    return "; look again: ticketgate cluster status" + (options.empty() ? "" : " " + options);
}

bool no_proof(Written written) {
    return written == Written::unknown || written == Written::failed;
}

// etcd may store a write that it refuses for want of room.
std::string tell_no_proof(Written written, const std::string& why) {
    if (written == Written::unknown) return "the store did not answer: " + why;
    return "the store is full and refused the write, which it may have stored all the same (" +
           why + "); make room, then run this again unless it is there";
}

// For the record of who has said it.
std::string operator_name() {
    const auto user = environment("SUDO_USER");
    return "operator " + user.value_or(environment("USER").value_or("unknown"));
}

}  // namespace

int try_store(const config::Config& config) {
    if (!config.cluster) return ok;
    try {
        ClusterStore store(*config.cluster);
        std::string why;
        const auto contents = store.read(why);
        if (!contents) return no_store(why);
        std::printf("the cluster's store: answers, cluster %s %s\n", config.cluster->name.c_str(),
                    contents->id.empty() ? "is not initialised" : "is initialised");
        for (const auto& line : shared_addresses(*contents))
            std::fprintf(stderr, "warning: %s\n", line.c_str());
        int code = ok;
        for (const auto& [good, line] : try_replicas(config.cluster->peer, contents->replicas)) {
            std::fprintf(good ? stdout : stderr, "%s\n", line.c_str());
            if (!good) code = failed;
        }
        return code;
    } catch (const std::runtime_error& error) {
        return complain(error.what());
    }
}

int cluster_init(const std::string& file) {
    return with_store(file, [&file](const std::string& name, ClusterStore& store) {
        std::string why;
        const auto contents = store.read(why);
        if (!contents) return no_store(why);
        if (!contents->id.empty())
            return complain("cluster " + name + " has been initialised before, with id " +
                            contents->id + "; nothing was changed");
        const std::string id = random_id();
        cluster::etcd::Transaction first;
        first.conditions.push_back({store.keys().cluster(), std::nullopt, 0});
        first.puts.push_back({store.keys().cluster(), cluster::write_cluster(id), 0});
        const Written written = store.write(first, why);
        if (no_proof(written)) return complain(tell_no_proof(written, why) + look_again(file));
        if (written == Written::refused)
            return complain("another init of cluster " + name + " was first; nothing was changed");
        std::printf("cluster %s is initialised, id %s\n", name.c_str(), id.c_str());
        return ok;
    });
}

int cluster_status(const std::string& file, View view) {
    const bool table = view == View::table || (view == View::automatic && ::isatty(STDOUT_FILENO));
    return with_store(file, [&](const std::string& name, ClusterStore& store) {
        std::string why;
        const auto contents = store.read(why);
        if (!contents) return no_store(why);
        if (contents->id.empty()) return tell_missing(name, file);
        const auto text = table ? cluster_table(name, *contents, file, wall_now())
                                : cluster_json(name, *contents, file, wall_now());
        std::fputs(text.c_str(), stdout);
        return ok;
    });
}

int settle(const std::string& file, const std::string& queue, std::uint64_t epoch) {
    return with_store(file, [&](const std::string& name, ClusterStore& store) {
        std::string why;
        const auto contents = store.read(why);
        if (!contents) return no_store(why);
        if (contents->id.empty()) return tell_missing(name, file);
        why = why_not_settled(*contents, queue, epoch);
        if (!why.empty()) return complain(why + "; nothing was changed");
        cluster::Write word;
        word.version = contents->lines.find(queue)->second.version;
        word.put_word = epoch;
        const auto transaction = cluster::transaction_of(store.keys(), contents->cluster, queue,
                                                         operator_name(), word, wall_now());
        const Written written = store.write(transaction, why);
        if (no_proof(written)) return complain(tell_no_proof(written, why) + look_again(file));
        if (written == Written::refused)
            return complain("the line changed meanwhile" + look_again(file));
        std::printf("queue %s goes on behind epoch %llu\n", queue.c_str(),
                    static_cast<unsigned long long>(epoch));
        return ok;
    });
}

}  // namespace ticketgate::commands
