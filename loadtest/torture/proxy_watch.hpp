#pragma once
// The operator's access to the proxy: its process, config file and metrics. All parts are optional:
// a URL alone is enough for many scenarios.

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace loadtest {

// One number of a page of /metrics, such as `name{queue="one"}`; of a bare name the sum of all its
// series; nothing if there is none.
std::optional<double> metric_in(const std::string& page, const std::string& name);

// The time that the hypervisor took from this machine's processors, all together, since it started.
// A thread that runs then stands still.
std::uint64_t stolen_us();

class ProxyWatch {
 public:
    struct Names {
        pid_t pid = 0;
        bool alone = false;  // its children are workers, which come and go
        std::string admin;   // HOST:PORT
        std::string config;  // rewritten by the operator's scenarios
        std::string log;     // its access log
        std::string clock;   // libfaketime's control file
    };
    explicit ProxyWatch(Names names);

    bool has_pid() const { return names_.pid > 0; }
    bool has_admin() const { return !names_.admin.empty(); }
    const std::string& admin() const { return names_.admin; }
    bool has_config() const { return has_pid() && !config_.empty(); }

    // Open descriptors and resident KiB of the process and its children.
    std::uint64_t fds() const;
    std::uint64_t rss_kib() const;
    // How long each thread, by its id, has stood in the kernel's run queue, ready and not running,
    // in all; also those of the kernel that deliver packets.
    std::map<pid_t, std::uint64_t> run_delays_us() const;
    bool alive() const;
    void signal(int number) const;

    // One number of /metrics, for times when no client runs: blocks the thread.
    std::optional<double> metric(const std::string& name) const;

    // The processes that ticketgate has started (`workers:`).
    std::vector<pid_t> workers() const;

    // Releases the slot of the request that runs in the queue. Returns false if none runs or the
    // proxy refused.
    bool release(const std::string& queue) const;

    const std::string& config() const { return config_; }
    void write_config(const std::string& text) const;

    // Moves the access log aside, as logrotate does, under this number.
    void rotate_log(int number) const;
    // Lines that contain `mark`, in the log and in so many that were moved aside.
    std::uint64_t log_lines(const std::string& mark, int rotated) const;
    bool log_is_there() const;
    // Its wall clock from now on, such as "-1d"; the monotonic one goes on.
    void set_clock(const std::string& offset) const;
    bool has_log() const { return !names_.log.empty(); }
    bool has_clock() const { return !names_.clock.empty(); }

 private:
    Names names_;
    std::string config_;  // as it was at the start
};

}  // namespace loadtest
