#include "driver_plan.hpp"

#include <algorithm>

namespace loadtest {

const char* const driver_usage =
    "tg_driver http://HOST:PORT/PATH [options]   (or unix:SOCKET and --path)\n"
    "  --connections N        keep-alive connections (64)\n"
    "  --requests N           stop after so many; default 10000, or without end with --seconds\n"
    "  --seconds N            send for so long\n"
    "  --timeout N            whole run, seconds (60)\n"
    "  --ramp N               spread the first sends over N ms (0)\n"
    "  --also HOST:PORT       every second connection goes there\n"
    "  --path P --method M --body-size N --host H\n"
    "  --ms N --us N --size N service time and answer size asked of tg_backend\n"
    "  [--check]              without --backend: look at X-Seq and size of answers all the same\n"
    "  --retry-ms N           goes on N ms after a refused connection or another status (at once)\n"
    "  --backend HOST:PORT    reset it before, fetch its counts after\n"
    "  --limit N              requests that may run at once (1)\n"
    "  --slack-us N           see tg_backend (1000)\n"
    "  --leave-queued PCT     clients that close while their request waits\n"
    "  --leave-ahead N        ... with at least so many in line before them (8)\n"
    "  --leave-running PCT    clients that close while their request runs\n"
    "  --leave-running-ms N   ... which then takes at least so long (5)\n"
    "  --slow-readers N       further connections: a large answer read slowly\n"
    "  --slow-reader-bytes N  ... bytes a second; 0: never (1024)\n"
    "  --slow-reader-size N   ... size of that answer (8388608)\n"
    "  --slow-uploaders N     further connections: Content-Length 1000, 1 byte a second\n"
    "  --hold N               N connections with a request each, kept until SIGTERM or --seconds\n"
    "  --expect-status N      (200)\n"
    "  [--strict]             exit 1 on anything lost, wrong, overlapping, inverted or ghostly\n"
    "  [--text]               lines for people instead of one line of JSON";

namespace {

constexpr Micros second = 1'000'000;

struct Url {
    std::string address;
    std::string path = "/";
};

Url split(const Options& options) {
    if (options.words().size() != 1) options.stop("one URL is needed");
    std::string_view text = options.words().front();
    if (text.starts_with("unix:")) return {std::string{text}};
    if (text.starts_with("http://")) text.remove_prefix(7);
    const auto slash = text.find('/');
    Url url{std::string{text.substr(0, slash)}};
    if (slash != std::string_view::npos) url.path = text.substr(slash);
    if (url.address.find(':') == std::string::npos) url.address += ":80";
    return url;
}

}  // namespace

Plan::Plan(const Options& options)
    : method{options.text("--method", options.given("--body-size") ? "POST" : "GET")},
      backend{options.text("--backend")},
      connections{options.number("--connections", 64)},
      requests{options.number("--requests", options.given("--seconds") ? 0 : 10'000)},
      seconds_us{options.number("--seconds", 3600) * second},
      timeout_us{options.number("--timeout", 60) * second},
      ramp_us{options.number("--ramp", 0) * 1000},
      body_size{options.number("--body-size", 0)},
      answer_size{options.number("--size", 1024)},
      size_given{options.given("--size")},
      work_us{options.number("--ms", 0) * 1000 + options.number("--us", 0)},
      work_given{options.given("--ms") || options.given("--us")},
      limit{options.number("--limit", 1)},
      slack_us{options.number("--slack-us", 1000)},
      leave_queued_percent{options.number("--leave-queued", 0)},
      leave_running_percent{options.number("--leave-running", 0)},
      leave_ahead{options.number("--leave-ahead", 8)},
      leave_running_work_us{options.number("--leave-running-ms", 5) * 1000},
      slow_readers{options.number("--slow-readers", 0)},
      slow_reader_bytes{options.number("--slow-reader-bytes", 1024)},
      slow_reader_size{options.number("--slow-reader-size", 8 << 20)},
      slow_uploaders{options.number("--slow-uploaders", 0)},
      hold{options.number("--hold", 0)},
      expected_status{static_cast<int>(options.number("--expect-status", 200))},
      strict{options.given("--strict")},
      check{options.given("--check") || options.given("--backend")},
      retry_us{options.number("--retry-ms", 0) * 1000},
      text{options.given("--text")} {
    const auto url = split(options);
    proxy = resolve(url.address);
    other_proxy = options.given("--also") ? resolve(options.text("--also")) : proxy;
    host = options.text("--host", url.address.starts_with("unix:") ? "localhost" : url.address);
    path = options.text("--path", url.path);
    if (hold > 0) connections = requests = hold;
    // A run that sends for a time must also have time to finish its last requests.
    if (options.given("--seconds")) timeout_us = std::max(timeout_us, seconds_us + 10 * second);
}

}  // namespace loadtest
