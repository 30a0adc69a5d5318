#include "spawn/wire.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <string_view>

namespace ticketgate::spawn {
namespace {

// One connection is used at a time, and the next one may wait already.
constexpr int backlog = 4;

bool fail(NotStarted& why, const char* step) {
    why = {errno, step};
    return false;
}

// A folder for the moment in which the socket has a name.
class ShortLived {
 public:
    explicit ShortLived(const std::string& below) : path_(below + "/ticketgate-XXXXXX") {
        made_ = ::mkdtemp(path_.data()) != nullptr;
        if (made_) folder_ = Descriptor(::open(path_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    }
    ~ShortLived() {
        if (folder_.get() >= 0) (void)::unlinkat(folder_.get(), "s", 0);
        if (made_) (void)::rmdir(path_.c_str());
    }
    ShortLived(const ShortLived&) = delete;
    ShortLived& operator=(const ShortLived&) = delete;

    bool good() const { return folder_.get() >= 0; }
    /// Short enough for a socket's address, wherever the folder is.
    sockaddr_un address() const {
        sockaddr_un out{};
        out.sun_family = AF_UNIX;
        const std::string path = "/proc/self/fd/" + std::to_string(folder_.get()) + "/s";
        path.copy(out.sun_path, sizeof(out.sun_path) - 1);
        return out;
    }
    int folder() const { return folder_.get(); }

 private:
    std::string path_;
    bool made_ = false;
    Descriptor folder_{-1};
};

}  // namespace

bool listen_at(const std::string& directory, Wires& wires, NotStarted& why) {
    const ShortLived folder(directory);
    if (!folder.good()) return fail(why, "making a folder in spool.directory");
    wires.input = Descriptor(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (wires.input.get() < 0) return fail(why, "socket");
    const sockaddr_un address = folder.address();
    if (::bind(wires.input.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) !=
        0)
        return fail(why, "bind");
    if (::listen(wires.input.get(), backlog) != 0) return fail(why, "listen");
    wires.path = Descriptor(::openat(folder.folder(), "s", O_PATH | O_CLOEXEC));
    return wires.path.get() >= 0 || fail(why, "open");
}

bool make_control(Wires& wires, NotStarted& why) {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends.data()) != 0)
        return fail(why, "socketpair");
    wires.ours = Descriptor(ends[0]);
    wires.theirs = Descriptor(ends[1]);
    return true;
}

bool make_pipe(Wires& wires, NotStarted& why) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return fail(why, "pipe");
    wires.pipe = Descriptor(ends[0]);
    wires.output = Descriptor(ends[1]);
    return true;
}

}  // namespace ticketgate::spawn
