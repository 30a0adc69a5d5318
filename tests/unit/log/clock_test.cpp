// The log under a wall clock that is far off: 2^33 seconds ahead, beyond the nanoseconds that 64
// bits count.
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <ctime>

#include "ends.hpp"
#include "log/log.hpp"

namespace {

constexpr std::int64_t now_s = 1'763'626'530;  // 2025-11-20T08:15:30Z
std::int64_t wall_s = now_s;

}  // namespace

// Stands in for the one of libc, for the standard library, too.
extern "C" int clock_gettime(clockid_t clock, timespec* out) noexcept {
    if (clock != CLOCK_REALTIME) return static_cast<int>(syscall(SYS_clock_gettime, clock, out));
    *out = {wall_s, 123'456'789};
    return 0;
}

namespace ticketgate {
namespace {

TEST(WallClock, CountsBeyondTheNanoseconds) {
    wall_s = now_s;
    EXPECT_EQ(wall_now().unix_us, now_s * 1'000'000 + 123'456);
    wall_s = now_s + (std::int64_t{1} << 33);
    EXPECT_EQ(wall_now().unix_us, wall_s * 1'000'000 + 123'456);
}

TEST(LogUnderAFarClock, TellsItsTime) {
    const Pipe pipe;
    Log log(Level::info, std::make_shared<LogFile>(pipe.writer));
    wall_s = now_s + (std::int64_t{1} << 33);
    log.info("far");
    ASSERT_TRUE(log.drain(30s));
    EXPECT_EQ(pipe.read_all(), "2298-02-02T21:12:02.123456Z info far\n");
}

}  // namespace
}  // namespace ticketgate
