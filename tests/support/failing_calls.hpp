// Makes calls on sockets fail, for the threads that run an event loop (slow_calls.cpp asks here).
#pragma once

#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace ticketgate::test {

/// While one exists: each `send` (of either kind), `recv` or `socket` whose bytes have `mark` among
/// the first 4096 fails with `error`, at most `most` times. One at a time.
class FailingCalls {
 public:
    FailingCalls(std::string call, int error, std::string mark = {}, int most = 1 << 30)
        : call_(std::move(call)), mark_(std::move(mark)), error_(error), most_(most) {
        const std::lock_guard lock(mutex);
        present = this;
        any = true;
    }
    ~FailingCalls() {
        const std::lock_guard lock(mutex);
        any = false;
        present = nullptr;
    }
    FailingCalls(const FailingCalls&) = delete;
    FailingCalls& operator=(const FailingCalls&) = delete;

    int failed() const { return failed_; }

    /// The errno with which this call fails; 0: it does not. `bytes` returns its bytes.
    template <class Bytes>
    static int error_of(std::string_view call, Bytes bytes) {
        if (!any) return 0;
        const std::lock_guard lock(mutex);
        if (present == nullptr || present->call_ != call) return 0;
        if (present->failed_ >= present->most_) return 0;
        if (std::string(bytes()).find(present->mark_) == std::string::npos) return 0;
        ++present->failed_;
        return present->error_;
    }

    static constexpr std::size_t looked_at = 4096;
    static std::string first_bytes(std::span<const iovec> parts) {
        std::string out;
        for (const iovec& part : parts)
            out.append(static_cast<const char*>(part.iov_base),
                       std::min(part.iov_len, looked_at - std::min(looked_at, out.size())));
        return out;
    }

 private:
    static inline std::mutex mutex;
    static inline std::atomic<bool> any{false};
    static inline FailingCalls* present = nullptr;  // under the mutex

    const std::string call_, mark_;
    const int error_, most_;
    std::atomic<int> failed_{0};
};

}  // namespace ticketgate::test
