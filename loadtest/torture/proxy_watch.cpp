#include "proxy_watch.hpp"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string_view>

#include "../fetch.hpp"

namespace loadtest {

namespace {

namespace fs = std::filesystem;

std::string read_file(const fs::path& path) {
    std::ifstream in{path};
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

// The process and its descendants.
void walk(pid_t pid, const std::function<void(const fs::path&)>& visit) {
    const auto folder = fs::path{"/proc"} / std::to_string(pid);
    visit(folder);
    std::error_code gone;
    for (const auto& thread : fs::directory_iterator(folder / "task", gone)) {
        std::istringstream children{read_file(thread.path() / "children")};
        for (pid_t child = 0; children >> child;) walk(child, visit);
    }
}

// The kernel's threads that deliver packets when a processor is busy.
const std::vector<fs::path>& delivery_threads() {
    static const auto threads = [] {
        std::vector<fs::path> found;
        for (const auto& process : fs::directory_iterator("/proc"))
            if (read_file(process.path() / "comm").starts_with("ksoftirqd/"))
                found.push_back(process.path());
        return found;
    }();
    return threads;
}

void note_delay(const fs::path& thread, std::map<pid_t, std::uint64_t>& delays) {
    std::istringstream times{read_file(thread / "schedstat")};
    std::uint64_t ran_ns = 0;
    std::uint64_t waited_ns = 0;
    times >> ran_ns >> waited_ns;
    delays[std::atoi(thread.filename().c_str())] = waited_ns / 1000;
}

}  // namespace

ProxyWatch::ProxyWatch(Names names) : names_{std::move(names)} {
    if (!names_.config.empty()) config_ = read_file(names_.config);
}

std::uint64_t ProxyWatch::fds() const {
    std::uint64_t count = 0;
    if (!has_pid()) return 0;
    const fs::path own = fs::path("/proc") / std::to_string(names_.pid);
    walk(names_.pid, [&](const fs::path& folder) {
        if (names_.alone && folder != own) return;
        std::error_code gone;
        for (auto at = fs::directory_iterator(folder / "fd", gone);
             !gone && at != fs::directory_iterator(); at.increment(gone)) {
            ++count;
        }
    });
    return count;
}

std::uint64_t ProxyWatch::rss_kib() const {
    std::uint64_t sum = 0;
    if (!has_pid()) return 0;
    walk(names_.pid, [&sum](const fs::path& folder) {
        const auto status = read_file(folder / "status");
        const auto at = status.find("VmRSS:");
        if (at != std::string::npos) sum += std::strtoull(status.c_str() + at + 6, nullptr, 10);
    });
    return sum;
}

std::uint64_t stolen_us() {
    std::istringstream line{read_file("/proc/stat")};
    std::string name;
    std::uint64_t ticks = 0;
    line >> name;
    for (int column = 0; column < 8; ++column) line >> ticks;  // steal: proc_stat(5)
    return ticks * (1'000'000 / static_cast<std::uint64_t>(::sysconf(_SC_CLK_TCK)));
}

std::map<pid_t, std::uint64_t> ProxyWatch::run_delays_us() const {
    std::map<pid_t, std::uint64_t> delays;
    std::error_code gone;
    const auto tasks = fs::path{"/proc"} / std::to_string(names_.pid) / "task";
    for (const auto& thread : fs::directory_iterator(tasks, gone)) note_delay(thread, delays);
    for (const auto& thread : delivery_threads()) note_delay(thread, delays);
    return delays;
}

bool ProxyWatch::alive() const {
    if (!has_pid()) return true;
    // A zombie answers signals too: its parent has not looked yet.
    const auto status = read_file(fs::path{"/proc"} / std::to_string(names_.pid) / "status");
    return !status.empty() && status.find("State:\tZ") == std::string::npos;
}

void ProxyWatch::signal(int number) const {
    if (has_pid()) (void)::kill(names_.pid, number);
}

std::optional<double> metric_in(const std::string& page, const std::string& name) {
    const auto text = "\n" + page;
    std::optional<double> sum;
    for (auto at = text.find("\n" + name); at != std::string::npos;
         at = text.find("\n" + name, at)) {
        at += name.size() + 1;
        if (text[at] != ' ' && text[at] != '{') continue;
        const auto value = text.find(' ', at);
        sum = sum.value_or(0) + std::strtod(text.c_str() + value, nullptr);
    }
    return sum;
}

std::optional<double> ProxyWatch::metric(const std::string& name) const {
    if (!has_admin()) return std::nullopt;
    try {
        return metric_in(fetch(names_.admin, "/metrics"), name);
    } catch (const std::exception&) {
        return std::nullopt;  // it is stopping, or has no descriptor left for us
    }
}

std::vector<pid_t> ProxyWatch::workers() const {
    std::vector<pid_t> pids;
    try {
        const std::string view = fetch(names_.admin, "/api/v1/workers");
        for (std::size_t at = 0; (at = view.find(R"("pid":)", at)) != std::string::npos; ++at)
            pids.push_back(static_cast<pid_t>(std::atoi(view.c_str() + at + 6)));
    } catch (const std::exception&) {
        // It is stopping, or has no descriptor left for us.
    }
    return pids;
}

bool ProxyWatch::release(const std::string& queue) const {
    const auto page = "/api/v1/queues/" + queue;
    try {
        const auto view = fetch(names_.admin, page);
        const auto running = view.find(R"("in_flight":[{)");
        if (running == std::string::npos) return false;
        const auto number = json_number(view.substr(running), "number", 0);
        (void)fetch(names_.admin, page + "/release?number=" + std::to_string(number), "POST");
        return true;
    } catch (const std::exception&) {
        return false;
    }
}

// Renamed into place: the proxy never reads half a file.
void ProxyWatch::write_config(const std::string& text) const {
    const auto beside = names_.config + ".new";
    std::ofstream{beside} << text;
    fs::rename(beside, names_.config);
}

void ProxyWatch::rotate_log(int number) const {
    std::error_code missing;
    fs::rename(names_.log, names_.log + "." + std::to_string(number), missing);
}

std::uint64_t ProxyWatch::log_lines(const std::string& mark, int rotated) const {
    std::uint64_t lines = 0;
    for (int i = 0; i <= rotated; ++i) {
        std::ifstream log{i == 0 ? names_.log : names_.log + "." + std::to_string(i)};
        for (std::string line; std::getline(log, line) && !log.eof();)
            lines += line.find(mark) == std::string::npos ? 0 : 1;
    }
    return lines;
}

bool ProxyWatch::log_is_there() const {
    return fs::exists(names_.log);
}

void ProxyWatch::set_clock(const std::string& offset) const {
    std::ofstream{names_.clock} << offset << "\n";
}

}  // namespace loadtest
