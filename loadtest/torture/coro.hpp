#pragma once
// Coroutines of one thread, for clients that read top to bottom. Task<T> runs when it is awaited
// and dies with its task object; a Crew runs tasks side by side and waits for the last of them.
//
// A child that ends without waiting returns to its parent by `return`, so loops over such children
// do not grow the stack under sanitizers. g++ 12.2 destroys some temporaries of a full expression
// with co_await twice: no braces and no captures in such an expression.

#include <coroutine>
#include <cstdint>
#include <exception>
#include <optional>
#include <utility>

namespace loadtest {

template <class T>
struct TaskPromise;

template <class T = void>
class [[nodiscard]] Task {
 public:
    using promise_type = TaskPromise<T>;

    explicit Task(std::coroutine_handle<promise_type> handle) noexcept : handle_{handle} {}
    Task(Task&& other) noexcept : handle_{std::exchange(other.handle_, nullptr)} {}
    Task& operator=(Task&&) = delete;
    ~Task() {
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

struct TaskPromiseBase {
    std::coroutine_handle<> parent;

    struct Final {
        bool await_ready() const noexcept { return false; }
        template <class P>
        void await_suspend(std::coroutine_handle<P> self) const noexcept {
            if (const auto parent = self.promise().parent) parent.resume();
        }
        void await_resume() const noexcept {}
    };
    std::suspend_always initial_suspend() const noexcept { return {}; }
    Final final_suspend() const noexcept { return {}; }
    // The message of std::terminate is enough for the user of a tool.
    void unhandled_exception() const noexcept { std::terminate(); }
};

template <class T>
struct TaskPromise : TaskPromiseBase {
    std::optional<T> value;

    Task<T> get_return_object() noexcept {
        return Task<T>{std::coroutine_handle<TaskPromise>::from_promise(*this)};
    }
    void return_value(T result) { value.emplace(std::move(result)); }
    T take() { return std::move(*value); }
};

template <>
struct TaskPromise<void> : TaskPromiseBase {
    Task<void> get_return_object() noexcept {
        return Task<void>{std::coroutine_handle<TaskPromise>::from_promise(*this)};
    }
    void return_void() const noexcept {}
    void take() const noexcept {}
};

// Outlives its tasks: awaited before it dies.
class Crew {
 public:
    Crew() = default;
    Crew(const Crew&) = delete;
    Crew& operator=(const Crew&) = delete;

    // Runs at once, up to where it first waits.
    void add(Task<> task) {
        ++running_;
        (void)run(std::move(task), *this);
    }
    std::uint64_t running() const { return running_; }

    bool await_ready() const noexcept { return running_ == 0; }
    void await_suspend(std::coroutine_handle<> waiter) noexcept { waiter_ = waiter; }
    void await_resume() const noexcept {}

 private:
    // Frees itself at its end.
    struct Detached {
        struct promise_type {
            Detached get_return_object() const noexcept { return {}; }
            std::suspend_never initial_suspend() const noexcept { return {}; }
            std::suspend_never final_suspend() const noexcept { return {}; }
            void return_void() const noexcept {}
            void unhandled_exception() const noexcept { std::terminate(); }
        };
    };
    static Detached run(Task<> task, Crew& crew) {
        co_await task;
        if (--crew.running_ == 0 && crew.waiter_) std::exchange(crew.waiter_, nullptr).resume();
    }

    std::uint64_t running_ = 0;
    std::coroutine_handle<> waiter_;
};

}  // namespace loadtest
