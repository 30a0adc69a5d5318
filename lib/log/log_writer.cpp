#include "log/log_writer.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <new>
#include <string>
#include <system_error>
#include <utility>

#include "base/blocked_signals.hpp"

namespace ticketgate {
namespace {

constexpr auto look_again = 100ms;  // between two tries while the reader stalls
constexpr Duration between_tellings = 10s;
// At the end, for a thread that has nothing to write at hand: on a busy machine it may have to wait
// for a processor.
constexpr Duration longest_without_turn = 10s;
// Room beyond the bound for the message that lines were lost: the queue is full at that time.
constexpr std::size_t room_to_tell = 1 << 10;

// The lines at the front that fit.
std::string_view fitting(std::string_view lines, std::size_t room) {
    if (lines.size() <= room) return lines;
    const auto newline = room == 0 ? std::string_view::npos : lines.rfind('\n', room - 1);
    return lines.substr(0, newline == std::string_view::npos ? 0 : newline + 1);
}

}  // namespace

struct LogWriter::Shared {
    Shared(std::shared_ptr<LogFile> f, std::size_t most, Lost l)
        : file(std::move(f)), max_buffer(most), lost(std::move(l)) {}

    bool append(std::string_view lines);
    void drop(std::size_t lines) { dropped.fetch_add(lines, std::memory_order_relaxed); }
    void drop_short_of(int what, std::size_t lines) {
        shortage.store(what, std::memory_order_relaxed);
        drop(lines);
    }
    bool next_batch(std::string& batch);
    void write(std::string_view batch);
    void finish_line();
    enum class When : std::uint8_t {
        between,  ///< two batches, if the last telling is some time ago
        waiting,  ///< as between, for the reader of this log
        end       ///< in any case
    };
    void tell(When when);
    void tell_abandoned();
    bool begin_telling();
    bool ends(std::unique_lock<std::mutex>& lock, milliseconds limit);
    bool untold() const { return lost && dropped.load(std::memory_order_relaxed) != told; }

    const std::shared_ptr<LogFile> file;
    const std::size_t max_buffer;
    const Lost lost;
    std::atomic<std::uint64_t> dropped{0};
    std::atomic<int> shortage{0};        // errno: of what the last lines were lost, not told yet
    std::atomic<bool> abandoned{false};  // finish() no longer waits for the thread

    std::mutex mutex;  // guards the members from here to the thread's own
    std::condition_variable more, done;
    std::string queue;
    std::size_t held = 0;  // bytes in the queue and in the thread's batch
    Time begun{};          // when the thread took its batch; Time{}: it has none
    bool stopping = false, ended = false;
    bool telling = false;  // `lost` is being called: finish() must wait

    // The thread's own.
    std::uint64_t told = 0;  // lost lines reported so far
    Time tell_at{};
    int error = 0;       // of the last failed write since the last report
    bool fails = false;  // the last write failed
};

const char* LogWriter::Loss::why() const {
    return error == 0 ? "its reader is too slow" : std::strerror(error);
}

LogWriter::LogWriter(std::shared_ptr<LogFile> file, std::size_t max_buffer, Lost lost)
    : shared_(std::make_shared<Shared>(std::move(file), max_buffer, std::move(lost))) {}

std::uint64_t LogWriter::dropped() const {
    return shared_->dropped.load(std::memory_order_relaxed);
}

void LogWriter::lose(std::uint64_t lines) noexcept {
    shared_->drop_short_of(ENOMEM, lines);
}

void LogWriter::offer(std::string_view lines) noexcept {
    const std::lock_guard lock(shared_->mutex);
    const bool tells = shared_->telling && std::this_thread::get_id() == thread_.get_id();
    const auto bound = shared_->max_buffer + (tells ? room_to_tell : 0);
    const auto room = bound - std::min(shared_->held, bound);
    const int shortage = shared_->stopping ? 0 : start();
    const bool taking = !shared_->stopping && shortage == 0;
    auto taken = taking ? fitting(lines, room) : std::string_view();
    const bool appended = shared_->append(taken);
    if (!appended) taken = {};
    const auto lost = count_lines(lines.substr(taken.size()));
    if (shortage != 0 || !appended)
        shared_->drop_short_of(appended ? shortage : ENOMEM, lost);
    else
        shared_->drop(lost);
    shared_->held += taken.size();
    if (shared_->queue.size() == taken.size()) shared_->more.notify_one();
}

// With the lock held. False: there is no memory.
bool LogWriter::Shared::append(std::string_view lines) {
    try {
        queue.append(lines);
    } catch (const std::bad_alloc&) {
        return false;
    }
    return true;
}

// With the lock held. Not 0, errno: the system refuses a new thread, so the lines are lost.
int LogWriter::start() {
    if (thread_.joinable()) return 0;
    try {
        const BlockedSignals for_the_thread;
        thread_ = std::thread([shared = shared_] { run(shared); });
    } catch (const std::system_error& error) {
        return error.code().value();
    } catch (const std::bad_alloc&) {
        return ENOMEM;
    }
    return 0;
}

bool LogWriter::drain(milliseconds limit) {
    std::unique_lock lock(shared_->mutex);
    return shared_->done.wait_for(lock, limit, [this] { return shared_->held == 0; });
}

void LogWriter::finish(milliseconds limit) {
    std::unique_lock lock(shared_->mutex);
    shared_->stopping = true;
    if (!thread_.joinable()) return;
    shared_->more.notify_one();
    const auto over = [this] { return shared_->ended; };
    bool ended = shared_->ends(lock, limit);
    const bool abandoned = !ended;
    if (abandoned) {
        shared_->abandoned = true;
        shared_->drop(count_lines(shared_->queue));
        shared_->queue.clear();
        shared_->done.wait(lock, [this] { return !shared_->telling; });
        ended = shared_->done.wait_for(lock, 2 * look_again, over);  // unless in a system call
    }
    lock.unlock();
    if (abandoned) shared_->tell_abandoned();
    ended ? thread_.join() : thread_.detach();
}

// False: a batch took longer than `limit`.
bool LogWriter::Shared::ends(std::unique_lock<std::mutex>& lock, milliseconds limit) {
    for (bool moved = true; moved && !ended;) {
        const Time was = begun;
        moved = done.wait_for(lock, was == Time{} ? longest_without_turn : Duration(limit),
                              [&] { return ended || begun != was; });
    }
    return ended;
}

void LogWriter::run(const std::shared_ptr<Shared>& shared) {
    std::string batch;
    while (shared->next_batch(batch)) {
        shared->write(batch);
        shared->finish_line();
        shared->tell(Shared::When::between);
    }
    shared->tell(Shared::When::end);
    const std::lock_guard lock(shared->mutex);
    shared->ended = true;
    shared->done.notify_all();
}

// Takes the next batch; the last one is done with. An empty one: a loss may be told now. False: the
// thread must end.
bool LogWriter::Shared::next_batch(std::string& batch) {
    std::unique_lock lock(mutex);
    held -= batch.size();
    batch.clear();
    if (held == 0) done.notify_all();
    const auto ready = [this] { return stopping || !queue.empty(); };
    if (untold())
        more.wait_for(lock, std::max(tell_at - monotonic_now(), Duration(look_again)), ready);
    else
        more.wait(lock, ready);
    batch.swap(queue);
    begun = batch.empty() ? Time{} : monotonic_now();
    if (stopping) done.notify_all();
    return (!batch.empty() || !stopping) && !abandoned;
}

void LogWriter::Shared::write(std::string_view batch) {
    while (!batch.empty()) {
        const auto taken = file->write(batch);
        batch.remove_prefix(taken.bytes);
        drop(taken.lost_lines);
        fails = taken.error != 0 && taken.error != ENOMEM;
        if (taken.error == ENOMEM) shortage = ENOMEM;
        if (fails) error = taken.error;
        if (batch.empty()) return;
        if (abandoned) return drop(count_lines(batch));
        file->wait_writable(look_again);
        tell(When::waiting);
    }
}

// Finishes a cut line now: it must not wait for the next one.
void LogWriter::Shared::finish_line() {
    for (; file->unfinished() && !abandoned; (void)file->write({})) file->wait_writable(look_again);
}

void LogWriter::Shared::tell(When when) {
    const auto now_dropped = dropped.load(std::memory_order_relaxed);
    const bool early = when != When::end && monotonic_now() < tell_at;
    if (!untold() || early || !begin_telling()) return;
    const int short_of = shortage.exchange(0, std::memory_order_relaxed);
    if (lost({now_dropped - told, error != 0 ? error : short_of, fails, when == When::waiting})) {
        told = now_dropped;
        error = 0;
        tell_at = monotonic_now() + between_tellings;
    } else if (int none = 0; short_of != 0) {
        shortage.compare_exchange_strong(none, short_of);  // a later loss may have another reason
    }
    const std::lock_guard lock(mutex);
    telling = false;
    done.notify_all();
}

// The thread tells nothing any more. It may still run, so all but `told` is its own.
void LogWriter::Shared::tell_abandoned() {
    const auto now_dropped = dropped.load(std::memory_order_relaxed);
    if (lost && now_dropped != told) (void)lost({now_dropped - told, 0, false, true});
}

bool LogWriter::Shared::begin_telling() {
    const std::lock_guard lock(mutex);
    telling = !abandoned;
    return telling;
}

}  // namespace ticketgate
