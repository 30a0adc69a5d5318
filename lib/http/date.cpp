#include "http/date.hpp"

#include <algorithm>
#include <chrono>

namespace ticketgate::http {
namespace {

constexpr std::string_view days = "SunMonTueWedThuFriSat";
constexpr std::string_view months = "JanFebMarAprMayJunJulAugSepOctNovDec";

// Decimal, padded with zeros to `width`.
void put_number(char* at, unsigned width, unsigned number) {
    for (; width != 0; number /= 10) at[--width] = static_cast<char>('0' + number % 10);
}

}  // namespace

DateLine date_line(WallTime now) {
    const std::chrono::sys_seconds at{seconds(now.unix_s())};
    const auto midnight = std::chrono::floor<std::chrono::days>(at);
    const std::chrono::year_month_day day(midnight);
    const std::chrono::hh_mm_ss time(at - midnight);
    constexpr std::string_view form = "Date: ---, 00 --- 0000 00:00:00 GMT\r\n";
    DateLine line;
    static_assert(form.size() == line.size());
    std::ranges::copy(form, line.begin());
    std::ranges::copy(days.substr(3 * std::chrono::weekday(midnight).c_encoding(), 3), &line[6]);
    put_number(&line[11], 2, unsigned{day.day()});
    std::ranges::copy(months.substr(3 * (unsigned{day.month()} - 1), 3), &line[14]);
    put_number(&line[18], 4, static_cast<unsigned>(int{day.year()}));
    put_number(&line[23], 2, static_cast<unsigned>(time.hours().count()));
    put_number(&line[26], 2, static_cast<unsigned>(time.minutes().count()));
    put_number(&line[29], 2, static_cast<unsigned>(time.seconds().count()));
    return line;
}

}  // namespace ticketgate::http
