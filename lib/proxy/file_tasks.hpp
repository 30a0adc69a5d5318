// Tasks that a session gives to the readers of the disk: to look up a path among the files of its
// route, and to read a part of a file. Owned by the session and the reader; the session may use the
// fields when the task is done.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "disk/file_copy.hpp"
#include "disk/folder.hpp"
#include "disk/readers.hpp"
#include "files/answer.hpp"
#include "proxy/snapshot.hpp"

namespace ticketgate {

/// A look-up that may wait for the disk.
class FileLook final : public disk::Task {
 public:
    FileLook(std::shared_ptr<const Route> its_route, files::Query asked,
             std::shared_ptr<disk::OpenFiles> budget)
        : route(std::move(its_route)), query(std::move(asked)), budget_(std::move(budget)) {}

    const std::shared_ptr<const Route> route;
    const files::Query query;
    files::Resolved found;
    disk::Root root;
    std::vector<disk::OpenedFile> opened;
    int trouble = 0;
    std::string troubled;

 private:
    void work() override {
        const files::Rules& rules = *route->files;
        found.kind = files::Resolved::Kind::failed;
        root = disk::open_root_now(rules.root, trouble);
        troubled = rules.root;
        if (root == nullptr) return;
        disk::Folder folder(root, budget_, rules.links);
        found = files::look_up(folder, query, rules);
        trouble = folder.trouble();
        troubled = folder.troubled();
        opened = folder.opened();
    }
    const std::shared_ptr<disk::OpenFiles> budget_;
};

/// A read that may wait for the disk. `copies`: null: no copy is wanted.
class FileRead final : public disk::Task {
 public:
    FileRead(std::shared_ptr<const disk::File> file, const files::Piece& wanted,
             std::shared_ptr<disk::CopyBudget> copies)
        : file_(std::move(file)),
          from_(wanted.from),
          size_(wanted.size),
          copies_(std::move(copies)) {}
    disk::SharedDescriptor copy;
    std::string bytes;  ///< where there is no copy

 private:
    void work() override {
        if (copies_ != nullptr) copy = disk::copy_of(*file_, copies_);
        if (copy != nullptr) return;
        bytes.resize(size_);
        bytes.resize(file_->read(from_, bytes).bytes);
    }
    const std::shared_ptr<const disk::File> file_;
    const std::uint64_t from_, size_;
    const std::shared_ptr<disk::CopyBudget> copies_;
};

}  // namespace ticketgate
