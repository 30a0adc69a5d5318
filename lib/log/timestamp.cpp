#include "log/timestamp.hpp"

#include <array>
#include <chrono>
#include <string_view>

namespace ticketgate {
namespace {

constexpr std::array<std::string_view, 12> months{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                  "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

struct Civil {
    unsigned year, month, day, hour, minute, second, microsecond;
};

Civil civil(WallTime time) {
    using namespace std::chrono;
    const sys_time<microseconds> at{microseconds(time.unix_us)};
    const auto day = floor<days>(at);
    const year_month_day date(day);
    const auto us = static_cast<std::uint64_t>((at - day).count());  // under a day, never negative
    const auto s = static_cast<unsigned>(us / 1'000'000);
    return {static_cast<unsigned>(static_cast<int>(date.year())),
            static_cast<unsigned>(date.month()),
            static_cast<unsigned>(date.day()),
            s / 3600,
            s / 60 % 60,
            s % 60,
            static_cast<unsigned>(us % 1'000'000)};
}

// `width` decimal digits, zeros in front.
template <unsigned Width>
char* put(char* out, unsigned value) {
    for (unsigned i = Width; i-- > 0; value /= 10) out[i] = static_cast<char>('0' + value % 10);
    return out + Width;
}

char* put_clock(char* out, const Civil& c) {
    out = put<2>(out, c.hour);
    *out++ = ':';
    out = put<2>(out, c.minute);
    *out++ = ':';
    return put<2>(out, c.second);
}

}  // namespace

void append_rfc3339(std::string& out, WallTime time) {
    const Civil c = civil(time);
    std::array<char, 27> text;
    char* p = put<4>(text.data(), c.year);
    *p++ = '-';
    p = put<2>(p, c.month);
    *p++ = '-';
    p = put<2>(p, c.day);
    *p++ = 'T';
    p = put_clock(p, c);
    *p++ = '.';
    p = put<6>(p, c.microsecond);
    *p++ = 'Z';
    out.append(text.data(), p);
}

void append_clf(std::string& out, WallTime time) {
    const Civil c = civil(time);
    std::array<char, 20> text;
    char* p = put<2>(text.data(), c.day);
    *p++ = '/';
    for (const char letter : months[c.month - 1]) *p++ = letter;
    *p++ = '/';
    p = put<4>(p, c.year);
    *p++ = ':';
    p = put_clock(p, c);
    out.append(text.data(), p);
    out.append(" +0000");
}

}  // namespace ticketgate
