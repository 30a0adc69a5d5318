#include "net/socket_file.hpp"

#include <sys/stat.h>
#include <unistd.h>

namespace ticketgate::net {
namespace {

constexpr std::pair<dev_t, ino_t> none{};

std::pair<dev_t, ino_t> file_at(const Endpoint& at) {
    struct stat about {};
    if (!at.is_unix() || ::lstat(at.path(), &about) != 0) return none;
    return {about.st_dev, about.st_ino};
}

}  // namespace

SocketFile::SocketFile(const Endpoint& at, bool made)
    : at_(at), noted_(file_at(at)), owner_(made ? Owner::this_process : Owner::another) {}

SocketFile::~SocketFile() {
    if (at_.is_unix() && owner_ == Owner::this_process && there()) ::unlink(at_.path());
}

void SocketFile::lend() {
    if (owner_ == Owner::this_process) owner_ = Owner::borrower;
}

void SocketFile::take_back() {
    if (owner_ == Owner::borrower) owner_ = Owner::this_process;
}

// Another process may have made a socket of that name by now.
bool SocketFile::there() const {
    return !at_.is_unix() || (noted_ != none && file_at(at_) == noted_);
}

}  // namespace ticketgate::net
