#include "base/file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/descriptor.hpp"

namespace ticketgate {
namespace {

constexpr std::uint64_t first_read = 4 << 10;

FileText failure(std::string why) {
    return {{}, std::move(why)};
}

// A file under /proc or /sys has the size 0, so this reads until a read returns nothing.
FileText read_to_end(int descriptor, std::uint64_t expected, std::uint64_t most) {
    std::string text(static_cast<std::size_t>(std::max(expected + 1, first_read)), '\0');
    for (std::size_t used = 0;;) {
        if (used == text.size()) text.resize(2 * used);
        const auto n = ::read(descriptor, text.data() + used, text.size() - used);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return failure(std::strerror(errno));
        used += static_cast<std::size_t>(n);
        if (used > most) return failure("it has more than " + std::to_string(most) + " bytes");
        if (n > 0) continue;
        text.resize(used);
        return {std::move(text), {}};
    }
}

}  // namespace

// O_NONBLOCK: opening a pipe would wait for its other end, and some devices for a carrier.
FileText read_file(const std::string& path, std::uint64_t most) {
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
    struct stat about {};
    if (file.get() < 0 || ::fstat(file.get(), &about) != 0) return failure(std::strerror(errno));
    if (!S_ISREG(about.st_mode)) return failure("not a regular file");
    const auto size = static_cast<std::uint64_t>(about.st_size);
    if (size > most) return failure("it has more than " + std::to_string(most) + " bytes");
    return read_to_end(file.get(), size, most);
}

}  // namespace ticketgate
