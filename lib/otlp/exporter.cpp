#include "otlp/exporter.hpp"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <exception>
#include <new>
#include <utility>

#include "base/spare_memory.hpp"
#include "trace/spans.hpp"

namespace ticketgate::otlp {
namespace {

namespace asio = boost::asio;

// Some 300 KB of JSON.
constexpr std::size_t most_batch = 512;
// The longest time that the end of the process waits for a collector.
constexpr Duration longest_flush = 2s;

metrics::Counter& dropped(metrics::Registry& registry, const char* reason) {
    return registry.counter("ticketgate_trace_spans_dropped_total",
                            "Spans that did not reach the collector.", {{"reason", reason}});
}

}  // namespace

Exporter::Exporter(asio::io_context& io, trace::Buffer& buffer, Log& log,
                   metrics::Registry& metrics, trace::Service self)
    : io_(io),
      buffer_(buffer),
      log_(log),
      self_(std::move(self)),
      exported_(metrics.counter("ticketgate_trace_spans_exported_total",
                                "Spans that the collector has taken.")),
      rejected_(dropped(metrics, "rejected")),
      undelivered_(dropped(metrics, "undelivered")),
      timer_(io) {
    metrics.counter_fn("ticketgate_trace_spans_dropped_total",
                       "Spans that did not reach the collector.", {{"reason", "full"}},
                       [&buffer] { return static_cast<double>(buffer.dropped()); });
    buffer_.on_half_full([this] { asio::post(io_, [this] { wake(); }); });
}

Exporter::~Exporter() {
    buffer_.on_half_full([] {});
}

std::shared_ptr<Collector> Exporter::connect(std::optional<Settings> settings) {
    if (!settings) return nullptr;
    return std::make_shared<Collector>(io_, std::move(*settings));
}

void Exporter::use(std::shared_ptr<Collector> collector) {
    collector_ = std::move(collector);
    delivery_ = {};
    resume_at_ = {};
    if (!collector_) drop_all();
    go_on();
    timer_.cancel();
}

void Exporter::go_on() {
    if (collector_ && !runs_ && state_ != State::flushed) start();
}

// Without memory a post ends by an exception; the batch has its turn again.
void Exporter::start() {
    if (!refill_spare_memory()) throw std::bad_alloc();
    asio::co_spawn(io_, run(), [this](const std::exception_ptr&) {
        runs_ = false;
        go_on();  // it has failed, or was taken back as it ended
    });
    runs_ = true;
}

bool Exporter::flushed() {
    if (!collector_) return true;
    const Time now = monotonic_now();
    if (state_ == State::exports) {
        state_ = State::flushes;
        flush_until_ = now + longest_flush;
        timer_.cancel();
    }
    if (state_ == State::flushes && now < flush_until_) return false;
    const std::size_t lost = buffer_.spans() + batch_spans_;
    if (lost != 0) log_.warn("spans are lost at the end of the process", {{"spans", lost}});
    drop_all();
    return true;
}

void Exporter::take_back() {
    state_ = State::exports;
    go_on();
}

// Each round posts one batch.
Awaitable<void> Exporter::run() {
    while (state_ != State::flushed) {
        co_await pause();
        if (!load()) continue;
        const auto collector = collector_;  // a reload may replace it meanwhile
        Time deadline = monotonic_now() + collector->settings().timeout;
        if (state_ == State::flushes) deadline = std::min(deadline, flush_until_);
        const Posted posted = co_await collector->post(batch_, deadline);
        settle(posted);
    }
}

Awaitable<void> Exporter::pause() {
    boost::system::error_code ended;
    timer_.expires_at(due());
    co_await timer_.async_wait(asio::redirect_error(asio::use_awaitable, ended));
}

Time Exporter::due() const {
    const Time now = monotonic_now();
    if (state_ != State::exports) return now;
    if (!collector_) return now + never;
    if (!batch_.empty()) return resume_at_;
    const bool full = buffer_.spans() >= most_batch;
    return std::max(resume_at_, full ? now : now + collector_->settings().interval);
}

// False: there is nothing to send. Without memory the batch is lost.
bool Exporter::load() try {
    if (!collector_) return false;
    if (!batch_.empty()) return true;
    std::vector<trace::Span> spans;
    for (const auto& request : buffer_.take(most_batch))
        for (auto& span : trace::spans_of(request)) spans.push_back(std::move(span));
    if (spans.empty() && state_ == State::flushes) state_ = State::flushed;
    if (spans.empty()) return false;
    trace::Service service = self_;
    service.name = collector_->settings().service_name;
    batch_spans_ = spans.size();
    batch_ = trace::encode(service, spans);
    return true;
} catch (const std::bad_alloc&) {
    undelivered_.add(std::exchange(batch_spans_, 0));
    return false;
}

void Exporter::settle(const Posted& posted) {
    const auto random = static_cast<std::uint32_t>(monotonic_now().time_since_epoch().count() >> 8);
    const auto next = delivery_.after(posted.reply, posted.pause, random);
    resume_at_ = monotonic_now() + next.pause;
    count(posted, next.lost);
    if (!next.again) {
        batch_.clear();
        batch_spans_ = 0;
    }
    if (delivery_.changed()) tell(posted);
    if (delivery_.failing() && state_ == State::flushes) state_ = State::flushed;
}

void Exporter::count(const Posted& posted, bool lost) {
    if (posted.reply == trace::Reply::refused) return rejected_.add(batch_spans_);
    if (lost) undelivered_.add(batch_spans_);
    if (posted.reply != trace::Reply::taken) return;
    const auto partial = trace::read_partial(posted.body);
    const auto rejected = std::min<std::uint64_t>(partial.rejected, batch_spans_);
    exported_.add(batch_spans_ - rejected);
    rejected_.add(rejected);
    if (rejected != 0 && !rejects_)
        log_.warn("the collector rejects some of the spans",
                  {{"endpoint", collector_url()}, {"spans", rejected}, {"why", partial.why}});
    rejects_ = rejected != 0;
}

// One line for each change: a collector may be away for days.
void Exporter::tell(const Posted& posted) {
    if (!delivery_.failing())
        return log_.info("spans are exported again", {{"endpoint", collector_url()}});
    log_.warn("spans cannot be exported; requests go on",
              {{"endpoint", collector_url()}, {"why", posted.why}});
}

std::string Exporter::collector_url() const {
    return collector_ ? collector_->url() : "off";
}

void Exporter::drop_all() {
    undelivered_.add(buffer_.clear() + std::exchange(batch_spans_, 0));
    batch_.clear();
}

// The buffer has become half full. What failed keeps its pause.
void Exporter::wake() {
    if (!delivery_.failing()) timer_.cancel();
}

}  // namespace ticketgate::otlp
