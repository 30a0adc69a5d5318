// Exports the spans of finished requests to a collector: takes them from the buffer that the loops
// fill, and posts them in batches. A collector that is slow, or away, costs spans and never a
// request. Owned by App; control thread, unless noted. What it runs there ends with the io_context,
// which may not run any more when it is destroyed.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "log/log.hpp"
#include "metrics/registry.hpp"
#include "otlp/collector.hpp"
#include "trace/buffer.hpp"
#include "trace/otlp.hpp"

namespace ticketgate::otlp {

class Exporter {
 public:
    /// `self`: the version and the instance of this process; its name is the collector's setting.
    Exporter(boost::asio::io_context& io, trace::Buffer& buffer, Log& log,
             metrics::Registry& metrics, trace::Service self);
    ~Exporter();
    Exporter(const Exporter&) = delete;
    Exporter& operator=(const Exporter&) = delete;

    /// For use(). Throws std::runtime_error that names a bad file. Null: the same for no settings.
    std::shared_ptr<Collector> connect(std::optional<Settings> settings);
    /// From now on spans go there; null: nowhere, and those that wait are dropped.
    void use(std::shared_ptr<Collector> collector);
    /// For the end of the process: sends what waits, at once and once. True when that is done, or
    /// has taken too long; call it until then.
    bool flushed();
    /// The process goes on after all, whatever flushed() has begun or done.
    void take_back();
    /// Exports on, after an exception.
    void go_on();

 private:
    void start();
    Awaitable<void> run();
    Awaitable<void> pause();
    Time due() const;
    bool load();
    void settle(const Posted& posted);
    void count(const Posted& posted, bool lost);
    void tell(const Posted& posted);
    std::string collector_url() const;
    void drop_all();
    void wake();

    boost::asio::io_context& io_;
    trace::Buffer& buffer_;
    Log& log_;
    const trace::Service self_;
    metrics::Counter &exported_, &rejected_, &undelivered_;
    boost::asio::steady_timer timer_;
    std::shared_ptr<Collector> collector_;
    trace::Delivery delivery_;
    std::string batch_;  // encoded; empty: none
    std::size_t batch_spans_ = 0;
    Time resume_at_{};  // after a failure
    enum class State : std::uint8_t {
        exports,
        flushes,  // what waits goes out once, until flush_until_
        flushed   // run() ends
    };
    State state_ = State::exports;
    Time flush_until_{};
    bool runs_ = false;  // run() is under way
    bool rejects_ = false;
};

}  // namespace ticketgate::otlp
