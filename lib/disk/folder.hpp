// The folder of a route's files, as files::look_up() asks it. The root is opened by its path anew
// after a second, so that a link that a deployment moves takes effect. A Folder serves one look-up.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "disk/beneath.hpp"
#include "disk/kept_files.hpp"
#include "disk/open_file.hpp"

namespace ticketgate::disk {

using Root = std::shared_ptr<const Descriptor>;

/// The roots that one loop has open; its thread only.
class Roots {
 public:
    /// Null: it must be opened where a call may wait; put() then keeps it.
    Root find(const std::string& path, Time now);
    void put(const std::string& path, Root root, Time now);

 private:
    struct Entry {
        Root root;
        Time until{};
    };
    std::map<std::string, Entry> entries_;
};

/// Null: it cannot be opened; `error` is errno.
Root open_root_now(const std::string& path, int& error);

class Folder final : public files::Tree {
 public:
    /// On a reader. `links`: real paths of folders into which links may lead out of the root; kept.
    Folder(Root root, std::shared_ptr<OpenFiles> budget, std::span<const std::string> links = {})
        : root_(std::move(root)), budget_(std::move(budget)), links_(links) {}
    /// On a loop: opens nothing. A file is `unknown` if `kept` does not have it, and so is all that
    /// the disk must be asked for.
    Folder(Root root, std::shared_ptr<OpenFiles> budget, std::span<const std::string> links,
           KeptFiles& kept, Time now)
        : root_(std::move(root)),
          wait_(Wait::no),
          kept_(&kept),
          now_(now),
          budget_(std::move(budget)),
          links_(links) {}

    files::Found find(const std::string& path) override;
    files::Found open(const std::string& path) override;

    /// The files that it has opened, for KeptFiles.
    const std::vector<OpenedFile>& opened() const { return opened_; }
    /// What kept it from opening the last path that it could not open, for the log; 0: nothing but
    /// that it is not there.
    int trouble() const { return trouble_; }
    const std::string& troubled() const { return troubled_; }
    /// The limit of open files was reached.
    bool full() const { return full_; }

 private:
    files::Found open_in_budget(const std::string& path);
    Opened reach(const std::string& path, To to) const;
    files::Found not_opened(const std::string& path, int error);
    const Root root_;
    const Wait wait_ = Wait::may;
    KeptFiles* const kept_ = nullptr;
    const Time now_{};
    const std::shared_ptr<OpenFiles> budget_;
    const std::span<const std::string> links_;
    std::vector<OpenedFile> opened_;
    int trouble_ = 0;
    std::string troubled_;
    bool full_ = false;
};

}  // namespace ticketgate::disk
