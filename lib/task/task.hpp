// Coroutines of one loop. task<T> is a lazy child coroutine: it runs when awaited and dies with its
// task object. Detached is a coroutine on its own: it starts at once and frees itself at its end.
//
// A child that finishes without suspending returns to its parent by `return`, not by a resume, so a
// loop over such children does not grow the stack in any build mode (g++ makes no tail calls at -O0
// or under sanitizers). Not thread-safe: a coroutine lives on one loop at a time (net/loop.hpp says
// how it moves).
//
// g++ 12.2 destroys some temporaries of a full expression with co_await twice: no braces and no
// captures in such an expression (tests/tidy checks it).
#pragma once

#include <coroutine>
#include <exception>
#include <optional>
#include <utility>

#include "base/check.hpp"
#include "task/frames.hpp"

namespace ticketgate {

template <class T>
class task;

namespace detail {

struct Pooled {
    static void* operator new(std::size_t size) { return task_frames::allocate(size); }
    static void operator delete(void* frame, std::size_t size) {
        task_frames::release(frame, size);
    }
};

struct PromiseBase : Pooled {
    std::coroutine_handle<> parent;
    std::exception_ptr failure;

    struct Final {
        bool await_ready() const noexcept { return false; }
        template <class P>
        void await_suspend(std::coroutine_handle<P> self) const noexcept {
            if (const auto waiting = self.promise().parent) waiting.resume();
        }
        void await_resume() const noexcept {}
    };
    std::suspend_always initial_suspend() const noexcept { return {}; }
    Final final_suspend() const noexcept { return {}; }
    void unhandled_exception() noexcept { failure = std::current_exception(); }
};

template <class T>
struct Promise : PromiseBase {
    std::optional<T> value;
    task<T> get_return_object() noexcept;
    template <class U>
    void return_value(U&& v) {
        value.emplace(std::forward<U>(v));
    }
    T take() {
        if (failure) std::rethrow_exception(failure);
        return std::move(*value);
    }
};

template <>
struct Promise<void> : PromiseBase {
    task<void> get_return_object() noexcept;
    void return_void() const noexcept {}
    void take() const {
        if (failure) std::rethrow_exception(failure);
    }
};

}  // namespace detail

template <class T>
class [[nodiscard]] task {
 public:
    using promise_type = detail::Promise<T>;

    explicit task(std::coroutine_handle<promise_type> handle) noexcept : handle_(handle) {}
    task(task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
    task& operator=(task&&) = delete;
    ~task() {
        if (handle_) handle_.destroy();
    }

    bool await_ready() const noexcept { return false; }
    bool await_suspend(std::coroutine_handle<> parent) {
        handle_.resume();
        if (handle_.done()) return false;
        handle_.promise().parent = parent;
        return true;
    }
    T await_resume() { return handle_.promise().take(); }

 private:
    std::coroutine_handle<promise_type> handle_;
};

template <class T>
task<T> detail::Promise<T>::get_return_object() noexcept {
    return task<T>(std::coroutine_handle<Promise>::from_promise(*this));
}
inline task<void> detail::Promise<void>::get_return_object() noexcept {
    return task<void>(std::coroutine_handle<Promise>::from_promise(*this));
}

/// Runs at once to its first suspension; frees itself. Its body must not throw.
struct Detached {
    struct promise_type : detail::Pooled {
        Detached get_return_object() const noexcept { return {}; }
        std::suspend_never initial_suspend() const noexcept { return {}; }
        std::suspend_never final_suspend() const noexcept { return {}; }
        void return_void() const noexcept {}
        void unhandled_exception() const noexcept {
            check_failed("an exception left a detached coroutine", __FILE__, __LINE__);
        }
    };
};

}  // namespace ticketgate
