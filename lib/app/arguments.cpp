#include "app/arguments.hpp"

#include <charconv>

#include "base/clock.hpp"
#include "base/text.hpp"
#include "config/syntax.hpp"

namespace ticketgate {
namespace {

constexpr std::uint64_t most_ids = 1'000'000'000;

}  // namespace

// Checks counts itself: CLI11 reads -1 as a very large number, and does not detect overflow.
std::string why_no_count(const std::string& text) {
    std::uint64_t count = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, count);
    if (error == std::errc{} && stop == end && count >= 1 && count <= most_ids) return {};
    return text + " is not a number from 1 to " + std::to_string(most_ids);
}

std::string why_no_number(const std::string& text) {
    std::uint64_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    if (error == std::errc{} && stop == end && number != 0) return {};
    return text + " is not the number of a ticket, as `queues QUEUE` shows it";
}

std::string why_no_request_id(const std::string& text) {
    return text.empty() ? "the request id is empty" : "";
}

std::string why_no_queue(const std::string& text) {
    return text.empty() ? "the name of the queue is empty" : "";
}

std::string why_no_admin(const std::string& text) {
    return text.empty() ? "the address of the admin listener is empty" : "";
}

// CLI::Range() lets `nan` pass.
std::string why_no_interval(const std::string& text) {
    double interval = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, interval);
    const bool fits = interval >= 0.1 && interval <= 3600;
    if (error == std::errc{} && stop == end && fits) return {};
    return text + " is not a number of seconds from 0.1 to 3600";
}

std::string why_no_time(const std::string& text) {
    const auto time = parse_duration(text);
    return time && *time >= 1ms && *time <= 24h
               ? ""
               : text + " is not a duration from 1ms to 24h, such as 30s";
}

std::string why_no_epoch(const std::string& text) {
    return why_no_number(text).empty() ? ""
                                       : text + " is not an epoch, as `cluster status` shows it";
}

std::string why_no_address(const std::string& text) {
    return config::parse_ipv4(text) ? "" : text + " is not an IPv4 address such as 192.0.2.1";
}

}  // namespace ticketgate
