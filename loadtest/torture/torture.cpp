// Drives one proxy through scenario after scenario and prints the results. README.md says how
// to run it by hand; run.sh starts everything that it needs.

#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>

#include "../options_lite.hpp"
#include "bench.hpp"
#include "table.hpp"

namespace loadtest {

namespace {

constexpr const char* usage =
    "tg_torture http[s]://HOST:PORT --backend HOST:PORT [--list] [--quick] [--strict] [--explain]\n"
    "           [--bare] [--must-break] [--fastcgi] [--workers]\n"
    "  --backend ADDRESS  tg_backend behind the proxy, for its log\n"
    "  --kind NAME        ticketgate, haproxy, nginx, apache, caddy, none (ticketgate)\n"
    "  --scenario A,B     only these; all that fit the proxy, unless said\n"
    "  --skip A,B         not these\n"
    "  --seed N           of all dice (1)\n"
    "  --proxy-pid PID    its descriptors and memory are watched; it gets signals\n"
    "  --admin ADDRESS    ticketgate's admin listener, for its own counter\n"
    "  --config FILE      ticketgate's configuration, rewritten by the operator's scenarios\n"
    "  --access-log FILE  ticketgate's access log, for rotate\n"
    "  --clock FILE       libfaketime's control file, for clock\n"
    "  --slack-us N       inversions count if the overtaken one was ready so much earlier (1000)\n"
    "  --sure-us N        and break the promise if it was so much earlier (10000)\n"
    "  --grace-us N       a client counts as gone so long after it left (5000)\n"
    "  --patience MS      longest wait for an answer (20000)\n"
    "  --requests N       of one round of the mix (20000)\n"
    "  --total N          soak: rounds of the mix until so many requests were sent\n"
    "  --seconds N        soak: rounds of the mix for so long\n"
    "  --json FILE        a line a scenario is added to it\n"
    "--strict: exit 1 if a promise is broken; --quick: a fraction of each; --explain: what broke, "
    "by request; --bare: no heading;\n"
    "--must-break: exit 1 unless every row shows a broken promise; --fastcgi: the proxy speaks "
    "it;\n"
    "--workers: to workers of its own";

Endpoint proxy_of(std::string url) {
    if (const auto scheme = url.find("://"); scheme != std::string::npos) url.erase(0, scheme + 3);
    return resolve(url.substr(0, url.find('/')));
}

Settings settings_of(const Options& options) {
    Settings settings;
    settings.proxy = proxy_of(options.words().front());
    settings.tls = options.words().front().starts_with("https://");
    settings.host = settings.proxy.text;
    settings.backend = options.text("--backend");
    settings.kind = options.text("--kind", "ticketgate");
    settings.seed = options.number("--seed", 1);
    settings.fastcgi = options.given("--fastcgi");
    settings.workers = options.given("--workers");
    settings.quick = options.given("--quick");
    settings.explain = options.given("--explain");
    settings.slack_us = options.number("--slack-us", 1000);
    settings.sure_us = options.number("--sure-us", 10'000);
    settings.grace_us = options.number("--grace-us", 5000);
    settings.patience_us = options.number("--patience", 20'000) * 1000;
    settings.requests = options.number("--requests", 0);
    return settings;
}

bool named(const std::string& list, const char* name) {
    return ("," + list + ",").find("," + std::string{name} + ",") != std::string::npos;
}

class Torture {
 public:
    explicit Torture(const Options& options)
        : options_{options},
          watch_{{static_cast<pid_t>(options.number("--proxy-pid")), options.given("--workers"),
                  options.text("--admin"), options.text("--config"), options.text("--access-log"),
                  options.text("--clock")}},
          world_{loop_, settings_of(options), watch_} {}

    int run() {
        warm_up(world_);
        if (!options_.given("--bare")) std::fputs(table_head().c_str(), stdout);
        if (options_.given("--total") || options_.given("--seconds")) {
            soak();
        } else {
            for (const auto& scenario : all_scenarios()) {
                if (wanted(scenario)) show(run_scenario(world_, scenario));
            }
        }
        if (shown_ == 0) std::fputs("no scenario of that name fits this proxy\n", stderr);
        if (shown_ == 0) return 1;
        if (options_.given("--must-break")) return broken_ == shown_ ? 0 : 1;
        return options_.given("--strict") && broken_ > 0 ? 1 : 0;
    }

 private:
    bool wanted(const Scenario& scenario) const {
        if (named(options_.text("--skip"), scenario.name)) return false;
        if (options_.given("--scenario")) {
            return named(options_.text("--scenario"), scenario.name) && fits(scenario);
        }
        return scenario.need != Need::start && fits(scenario);
    }

    bool fits(const Scenario& scenario) const {
        if (scenario.need == Need::nothing) return true;
        if (scenario.need == Need::http) return !world_.settings.fastcgi;
        if (world_.settings.kind != "ticketgate") return false;
        // The script of a tg_worker runs at the backend, and is over with its answer.
        if (scenario.need == Need::fastcgi)
            return world_.settings.fastcgi && !world_.settings.workers;
        if (scenario.need == Need::workers) return world_.settings.workers;
        if (scenario.need == Need::tunnels) return !world_.settings.fastcgi;
        return scenario.need != Need::config || watch_.has_config();
    }

    // All is idle between two rounds, so each is judged by itself.
    void soak() {
        constexpr std::uint64_t spare_kib = 8 * 1024;  // what an allocator keeps
        const auto until = now_us() + options_.number("--seconds", 86'400) * 1'000'000;
        const auto total = options_.number("--total", ~0ULL);
        const auto scenario = mix_scenarios().front();
        Row first;
        while (requests_ < total && now_us() < until && broken_ == 0) {
            auto row = run_scenario(world_, scenario);
            if (world_.round++ == 0) first = row;
            if (row.rss_after_kib > first.rss_after_kib + spare_kib) {
                row.complaints.push_back("memory has grown since the first round");
            }
            show(row);
        }
        std::printf("soak: %llu requests\n", static_cast<unsigned long long>(requests_));
    }

    void show(const Row& row) {
        ++shown_;
        requests_ += row.requests;
        if (!row.kept()) ++broken_;
        std::fputs(table_line(row).c_str(), stdout);
        std::fflush(stdout);
        if (!options_.given("--json")) return;
        std::ofstream{options_.text("--json"), std::ios::app} << json_line(row);
    }

    const Options& options_;
    Loop loop_;
    ProxyWatch watch_;
    World world_;
    std::uint64_t shown_ = 0;
    std::uint64_t broken_ = 0;
    std::uint64_t requests_ = 0;
};

int list() {
    for (const auto& scenario : all_scenarios()) std::puts(scenario.name);
    return 0;
}

}  // namespace

}  // namespace loadtest

int main(int argc, char** argv) {
    const loadtest::Options options{argc, argv, loadtest::usage};
    if (options.given("--list")) return loadtest::list();
    if (options.words().size() != 1 || !options.given("--backend")) options.stop("no URL");
    std::signal(SIGPIPE, SIG_IGN);
    try {
        return loadtest::Torture{options}.run();
    } catch (const std::exception& failure) {
        std::fprintf(stderr, "tg_torture: %s\n", failure.what());
        return 1;
    }
}
