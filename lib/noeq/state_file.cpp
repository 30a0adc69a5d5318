#include "noeq/state_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <system_error>
#include <utility>

namespace ticketgate::noeq {
namespace {

constexpr std::size_t size = 20;  // 19 digits hold any time, and a line end

[[noreturn]] void fail(int descriptor, int error, const std::string& what) {
    if (descriptor >= 0) ::close(descriptor);
    throw std::system_error(error, std::system_category(), what);
}

}  // namespace

StateFile::StateFile(const std::string& path)
    : descriptor_(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {
    if (descriptor_ < 0) fail(-1, errno, "cannot open the state file " + path);
    if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0)
        fail(descriptor_, errno, "another process uses the state file " + path);
    std::array<char, size + 1> text;
    const auto got = ::pread(descriptor_, text.data(), text.size(), 0);
    if (got < 0) fail(descriptor_, errno, "cannot read the state file " + path);
    if (got == 0) return;
    const char* const end = text.data() + size - 1;
    const auto [stop, error] = std::from_chars(text.data(), end, reserved_ms_);
    if (got != size || error != std::errc{} || stop != end || *end != '\n')
        fail(descriptor_, EINVAL,
             path + " is no state file; remove it only if no id service has ever used it");
}

StateFile::~StateFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

StateFile::StateFile(StateFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), reserved_ms_(other.reserved_ms_) {}

bool StateFile::reserve(std::int64_t until_ms) {
    std::array<char, size + 1> text;
    std::snprintf(text.data(), text.size(), "%019lld\n", static_cast<long long>(until_ms));
    if (::pwrite(descriptor_, text.data(), size, 0) != static_cast<ssize_t>(size)) return false;
    if (::fdatasync(descriptor_) != 0) return false;
    reserved_ms_ = until_ms;
    return true;
}

}  // namespace ticketgate::noeq
