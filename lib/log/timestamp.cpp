#include "log/timestamp.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <string_view>

namespace ticketgate {
namespace {

constexpr std::array<std::string_view, 12> months{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                  "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

constexpr std::array<std::string_view, 7> weekdays{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};

struct Civil {
    unsigned year, month, day, hour, minute, second, microsecond;
    unsigned weekday;  // 0: Sunday
};

// The first and the last microsecond whose year has four digits.
constexpr std::int64_t first_us = -62'167'219'200'000'000, last_us = 253'402'300'799'999'999;

Civil civil(WallTime time) {
    using std::chrono::microseconds;
    const std::chrono::sys_time<microseconds> at{
        microseconds(std::clamp(time.unix_us, first_us, last_us))};
    const auto day = std::chrono::floor<std::chrono::days>(at);
    const std::chrono::year_month_day date(day);
    const auto us = static_cast<std::uint64_t>((at - day).count());  // under a day, never negative
    const auto s = static_cast<unsigned>(us / 1'000'000);
    return {static_cast<unsigned>(static_cast<int>(date.year())),
            static_cast<unsigned>(date.month()),
            static_cast<unsigned>(date.day()),
            s / 3600,
            s / 60 % 60,
            s % 60,
            static_cast<unsigned>(us % 1'000'000),
            std::chrono::weekday(day).c_encoding()};
}

// `width` decimal digits, zeros in front.
template <unsigned Width>
char* put(char* out, unsigned value) {
    for (unsigned i = Width; i-- > 0; value /= 10) out[i] = static_cast<char>('0' + value % 10);
    return out + Width;
}

char* put(char* out, std::string_view text) {
    for (const char letter : text) *out++ = letter;
    return out;
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
    p = put(p, months[c.month - 1]);
    *p++ = '/';
    p = put<4>(p, c.year);
    *p++ = ':';
    p = put_clock(p, c);
    out.append(text.data(), p);
    out.append(" +0000");
}

void append_http_date(std::string& out, WallTime time) {
    const Civil c = civil(time);
    std::array<char, 29> text;
    char* p = put(put(text.data(), weekdays[c.weekday]), ", ");
    p = put(put<2>(p, c.day), " ");
    p = put(put(p, months[c.month - 1]), " ");
    p = put(put<4>(p, c.year), " ");
    p = put(put_clock(p, c), " GMT");
    out.append(text.data(), p);
}

}  // namespace ticketgate
