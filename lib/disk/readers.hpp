// Threads that wait for the disk in place of the loops. A loop submits a task; a thread does its
// work and posts the task back to that loop. Each root is a line of its own, with a bound of the
// threads that it occupies and of the tasks that wait: a disk that hangs holds up the tasks of the
// roots that are on it, and nothing else. Threads start when they are first needed.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "base/descriptor.hpp"
#include "net/loop.hpp"
#include "task/scheduler.hpp"

namespace ticketgate::disk {

/// Work that may wait for the disk. Shared by the session that wants it and the thread that does
/// it; the session may leave it behind.
class Task : public net::Job {
 public:
    /// On the loop: the work is done, or has failed.
    bool done() const { return done_; }
    /// On the loop, once done: an exception ended the work, such as no memory.
    bool failed() const { return failed_; }
    /// On the loop: whom to notify when it is done; null: nobody wants it any more, and work that
    /// has not begun is not done.
    void notify(Observer* waiter);

 private:
    friend class Readers;
    /// On a reader's thread.
    virtual void work() = 0;
    void run() override;
    std::atomic<bool> wanted_{true};
    Observer* waiter_ = nullptr;
    bool done_ = false;
    bool failed_ = false;  // written before the task is posted back
};

class Readers {
 public:
    /// The limits of one root.
    struct Limits {
        std::uint32_t threads = 4, max_waiting = 1024;
    };
    Readers();
    /// Waits a moment for tasks that are being done; leaves a thread behind that the disk holds.
    /// The loops must not run any more.
    ~Readers();
    Readers(const Readers&) = delete;
    Readers& operator=(const Readers&) = delete;

    // Any thread.
    void limit(Limits limits);
    /// Whose task it is. The limits refuse one that begins; the next read of an answer that has
    /// begun always finds a place, since a refusal would cut it. Open files bound those.
    enum class For : std::uint8_t { newcomer, begun };
    /// False: as many tasks as the root has threads and waiting places are here already, or no
    /// thread can be started. Throws bad_alloc. Either way the task is not done, and no other is
    /// concerned.
    bool submit(const std::string& root, std::shared_ptr<Task> task, net::Loop& from,
                For what = For::newcomer);
    /// Closes descriptors, for file systems that are told of it and may hang (FUSE). Each device
    /// has a line. Good also when the Readers are gone.
    std::function<void(Descriptor, std::uint64_t device)> closer() const;

 private:
    struct Line;
    /// One for each task that may be done now. A task brings its own, so none is wanting later.
    using Turns = std::list<Line*>;
    struct Entry {
        std::shared_ptr<Task> task;
        net::Loop* from;  // null: nobody is told
        Turns own_turn = Turns(1);
    };
    struct Line {
        const std::string* root = nullptr;  // its key
        std::deque<Entry> waiting{};
        std::size_t turns = 0,
                    busy = 0;  // waiting ones that have a turn, tasks that are being done
        bool over() const { return waiting.empty() && busy == 0; }
    };
    using Lines = std::map<std::string, Line>;
    // Outlives the threads, which may outlive the Readers.
    struct Shared {
        std::mutex lock;  // guards all below, and posting to a loop
        std::condition_variable wanted, gone;
        Limits limits;
        Lines lines;  // the roots that have tasks
        Turns turns;  // any thread takes the first
        std::size_t threads = 0, busy = 0;
        bool closed = false;
    };
    static bool add(const std::shared_ptr<Shared>& shared, const std::string& line, Entry entry,
                    For what);
    static bool full(const Shared& shared, const std::string& root);
    static Line& enqueue(Shared& shared, const std::string& root, Entry entry);
    static void take_back_last(Shared& shared, Line& line) noexcept;
    static void end_if_over(Shared& shared, Line& line) noexcept;
    static void give_turns(Shared& shared, Line& line) noexcept;
    static bool find_thread(const std::shared_ptr<Shared>& shared);
    static void work_on(Shared& shared, std::unique_lock<std::mutex>& lock);
    static void serve(const std::shared_ptr<Shared>& shared);
    static bool start_thread(const std::shared_ptr<Shared>& shared);
    const std::shared_ptr<Shared> shared_;
};

}  // namespace ticketgate::disk
