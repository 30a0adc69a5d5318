#include "files/http_date.hpp"

#include <algorithm>
#include <array>
#include <chrono>

namespace ticketgate::files {
namespace {

constexpr std::array<std::string_view, 12> months{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                  "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

// Takes pieces from the front of a text. Once one does not fit, all that follow fail.
class Reader {
 public:
    explicit Reader(std::string_view text) : rest_(text) {}

    unsigned number(std::size_t digits) {
        unsigned value = 0;
        for (std::size_t i = 0; i < digits; ++i) {
            if (rest_.empty() || rest_[0] < '0' || rest_[0] > '9') return fail();
            value = value * 10 + static_cast<unsigned>(rest_[0] - '0');
            rest_.remove_prefix(1);
        }
        return value;
    }
    void text(std::string_view wanted) {
        if (!rest_.starts_with(wanted)) {
            fail();
            return;
        }
        rest_.remove_prefix(wanted.size());
    }
    unsigned month() {
        const auto found = std::ranges::find(months, rest_.substr(0, 3));
        if (found == months.end()) return fail();
        rest_.remove_prefix(3);
        return static_cast<unsigned>(found - months.begin()) + 1;
    }
    bool next_is(char c) const { return rest_.starts_with(c); }
    bool ended() const { return good_ && rest_.empty(); }

 private:
    unsigned fail() {
        good_ = false;
        rest_ = {};
        return 0;
    }
    std::string_view rest_;
    bool good_ = true;
};

struct Civil {
    unsigned year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0;
};

void read_clock(Reader& from, Civil& to) {
    to.hour = from.number(2);
    from.text(":");
    to.minute = from.number(2);
    from.text(":");
    to.second = from.number(2);
}

bool read_fixdate(std::string_view text, Civil& out) {
    Reader from(text);
    out.day = from.number(2);
    from.text(" ");
    out.month = from.month();
    from.text(" ");
    out.year = from.number(4);
    from.text(" ");
    read_clock(from, out);
    from.text(" GMT");
    return from.ended();
}

// A year that seems more than 50 years ahead is of the past century: so until 2044, 00-94.
bool read_rfc850(std::string_view text, Civil& out) {
    Reader from(text);
    out.day = from.number(2);
    from.text("-");
    out.month = from.month();
    from.text("-");
    const unsigned year = from.number(2);
    out.year = year + (year < 70 ? 2000 : 1900);
    from.text(" ");
    read_clock(from, out);
    from.text(" GMT");
    return from.ended();
}

bool read_asctime(std::string_view text, Civil& out) {
    Reader from(text);
    out.month = from.month();
    from.text(" ");
    const bool short_day = from.next_is(' ');
    if (short_day) from.text(" ");
    out.day = from.number(short_day ? 1 : 2);
    from.text(" ");
    read_clock(from, out);
    from.text(" ");
    out.year = from.number(4);
    return from.ended();
}

std::optional<std::int64_t> seconds_of(const Civil& civil) {
    namespace chrono = std::chrono;
    const chrono::year_month_day date(chrono::year(static_cast<int>(civil.year)),
                                      chrono::month(civil.month), chrono::day(civil.day));
    const bool clock = civil.hour < 24 && civil.minute < 60 && civil.second <= 60;
    if (!date.ok() || !clock) return std::nullopt;
    const std::int64_t days = chrono::sys_days(date).time_since_epoch().count();
    const std::int64_t hours = days * 24 + civil.hour, minutes = hours * 60 + civil.minute;
    return minutes * 60 + civil.second;
}

}  // namespace

std::optional<std::int64_t> parse_http_date(std::string_view text) {
    Civil civil;
    const auto comma = text.find(", ");
    if (comma == 3) {
        if (!read_fixdate(text.substr(comma + 2), civil)) return std::nullopt;
    } else if (comma != std::string_view::npos) {
        if (!read_rfc850(text.substr(comma + 2), civil)) return std::nullopt;
    } else if (text.size() < 4 || text[3] != ' ' || !read_asctime(text.substr(4), civil)) {
        return std::nullopt;
    }
    return seconds_of(civil);
}

}  // namespace ticketgate::files
