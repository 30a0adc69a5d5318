#include "noeq/state_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

namespace ticketgate::noeq {
namespace {

constexpr std::size_t size = 20;  // 19 digits hold any time, and a line end

struct Opened {
    int descriptor;
    ~Opened() {
        if (descriptor >= 0) ::close(descriptor);
    }
};

[[noreturn]] void fail(int error, const std::string& what) {
    throw std::system_error(error, std::system_category(), what);
}

struct Found {
    std::int64_t reserved_ms = -1;
    int error = 0;  // errno
    std::string why;
};

// Reads an open file: it is empty, or holds a time.
Found read_reserved(int descriptor, const std::string& path) {
    struct stat about {};
    if (::fstat(descriptor, &about) != 0 || !S_ISREG(about.st_mode))
        return {-1, EINVAL, path + " is not a regular file"};
    std::array<char, size + 1> text;
    const auto got = ::pread(descriptor, text.data(), text.size(), 0);
    if (got < 0)
        return {-1, errno, "cannot read the state file " + path + ": " + std::strerror(errno)};
    if (got == 0) return {};
    Found found;
    const char* const end = text.data() + size - 1;
    const auto [stop, error] = std::from_chars(text.data(), end, found.reserved_ms);
    if (got == size && error == std::errc{} && stop == end && *end == '\n') return found;
    return {-1, EINVAL,
            path + " is not a state file; remove it only if no id service has ever used it"};
}

// Syncs the folder: only then is the name of a new file on the disk as well.
void sync_folder_of(const std::string& path) {
    auto folder = std::filesystem::path(path).parent_path();
    if (folder.empty()) folder = ".";
    const Opened opened{::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    if (opened.descriptor >= 0 && ::fsync(opened.descriptor) == 0) return;
    if (errno != EINVAL)  // EINVAL: the file system has nothing to sync there
        fail(errno, "cannot sync the folder of the state file " + path);
}

}  // namespace

StateFile::StateFile(const std::string& path) : path_(path) {
    Opened file{::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0600)};
    if (file.descriptor < 0) fail(errno, "cannot open the state file " + path);
    if (::flock(file.descriptor, LOCK_EX | LOCK_NB) != 0)
        fail(errno == EWOULDBLOCK ? EBUSY : errno, "another process uses the state file " + path);
    const auto found = read_reserved(file.descriptor, path);
    if (!found.why.empty()) fail(found.error, found.why);
    reserved_ms_ = found.reserved_ms;
    if (reserved_ms_ < 0) sync_folder_of(path);
    descriptor_ = std::exchange(file.descriptor, -1);
}

// O_NONBLOCK is for a named pipe: without it, open waits for a writer.
std::string StateFile::why_not(const std::string& path) {
    const Opened file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)};
    if (file.descriptor < 0) return errno == ENOENT ? "" : path + ": " + std::strerror(errno);
    return read_reserved(file.descriptor, path).why;
}

StateFile::~StateFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

StateFile::StateFile(StateFile&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      reserved_ms_(other.reserved_ms_) {}

// A file without a name says nothing to the next start.
bool StateFile::is_there() const {
    struct stat about {};
    return ::fstat(descriptor_, &about) == 0 && about.st_nlink != 0;
}

bool StateFile::make_again() noexcept try {
    StateFile anew(path_);
    std::swap(descriptor_, anew.descriptor_);
    return true;
} catch (const std::exception&) {
    return false;
}

bool StateFile::reserve(std::int64_t until_ms) {
    if (!is_there() && !make_again()) return false;
    std::array<char, size + 1> text;
    std::snprintf(text.data(), text.size(), "%019lld\n", static_cast<long long>(until_ms));
    if (::pwrite(descriptor_, text.data(), size, 0) != static_cast<ssize_t>(size)) return false;
    if (::fdatasync(descriptor_) != 0) return false;
    reserved_ms_ = until_ms;
    return true;
}

}  // namespace ticketgate::noeq
