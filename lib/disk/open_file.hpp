// A regular file that is sent to a client: reads of it that never wait for the disk, and reads that
// may. Shared by the session that sends it and the reader that works for it; it counts in a budget.
// Several may share one descriptor. Any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "base/take_within.hpp"
#include "disk/kept_files.hpp"
#include "files/lookup.hpp"

namespace ticketgate::disk {

/// How many files are open for clients at one time. Any thread.
class OpenFiles {
 public:
    void limit(std::uint32_t most) { most_ = most; }
    /// False: `most` are open already.
    bool take() { return take_within(open_, most_, 1); }
    void give_back() { --open_; }
    std::uint64_t open() const { return open_; }

    /// Closes descriptors whose file system may make a close wait. Set it before files are opened.
    using Close = std::function<void(Descriptor, std::uint64_t device)>;
    void close_by(Close close) { close_ = std::move(close); }
    /// The last owner closes the file; its thread does not wait for the file system.
    OpenedFile share(Descriptor file, const Identity& identity) const;

 private:
    Close close_;
    std::atomic<std::uint64_t> open_{0}, most_{1024};
};

/// Returns the size of a page of the system's memory in bytes.
std::uint64_t page_size();

/// A number of bytes, or an error. No bytes: the end of the file.
struct ReadResult {
    std::size_t bytes = 0;
    int error = 0;  ///< EAGAIN: the disk would have to be asked
};

class File final : public files::OpenFile {
 public:
    /// Its place in the budget is taken.
    File(OpenedFile file, std::shared_ptr<OpenFiles> budget)
        : file_(std::move(file)), budget_(std::move(budget)) {
        size = file_.identity.size;
        mtime_ns = file_.identity.mtime_ns;
    }
    ~File() override { budget_->give_back(); }

    const Identity& identity() const { return file_.identity; }
    const SharedDescriptor& shared() const { return file_.descriptor; }
    int descriptor() const { return file_.descriptor->get(); }

    /// Goes on with another descriptor of the same file, or a copy. On the loop of its session,
    /// while no reader reads it.
    void use(const OpenedFile& same) { file_ = same; }

    /// Reads what the system has in memory.
    ReadResult read_now(std::uint64_t from, std::span<char> into) const;
    /// Reads it from the disk if it must.
    ReadResult read(std::uint64_t from, std::span<char> into) const;
    /// True if the system has all of it in memory, and says so (Linux 6.5).
    bool in_memory(std::uint64_t from, std::uint64_t bytes) const;

 private:
    OpenedFile file_;
    const std::shared_ptr<OpenFiles> budget_;
};

}  // namespace ticketgate::disk
