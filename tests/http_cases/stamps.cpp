#include "http_cases/stamps.hpp"

#include "support/message.hpp"

namespace ticketgate::test {
namespace {

// Cuts the lines from `first` to the one that ends `last`, both the last of their kind.
std::string cut_block(std::string& head, const std::string& first, const std::string& last) {
    const auto begin = head.rfind("\r\n" + first);
    const auto named = head.rfind("\r\n" + last);
    if (begin == std::string::npos || named == std::string::npos || named < begin) return {};
    const auto end = head.find("\r\n", named + 2);
    std::string block = head.substr(begin + 2, end - begin);
    head.erase(begin + 2, end - begin);
    return block;
}

// Ours is the first line of our block; a backend's own stays where it was.
void cut_date_before(std::string& head, const std::string& block) {
    const auto end = head.rfind(block);
    if (end == std::string::npos || end == 0) return;
    const auto begin = head.rfind("\r\n", end - 1);
    if (head.compare(begin, 8, "\r\nDate: ") == 0) head.erase(begin, end - begin);
}

Fields fields_of(const std::string& lines) {
    Fields fields;
    fields.parse(lines);
    return fields;
}

}  // namespace

std::string without_stamps_of_request(std::string head, std::string& fault) {
    const Fields all = fields_of(head.substr(head.find("\r\n") + 2));
    const Fields ours = fields_of(cut_block(head, "X-Request-Id: ", "Via: "));
    for (const char* name : {"X-Request-Id", "Unique-Id", "UNIQUE_ID", "X-Request-Start",
                             "X-Forwarded-For", "X-Forwarded-Proto", "X-Forwarded-Port"})
        if (ours.count(name) != 1 || all.count(name) != 1)
            fault += std::string(name) + " not once;";
    if (!ours.has("Via")) fault += "no Via of ours;";
    if (all.count("Host") != 1) fault += "Host not once;";
    if (ours.get("X-Forwarded-Host") != all.get("Host") && ours.has("X-Forwarded-Host"))
        fault += "X-Forwarded-Host is not Host;";
    if (!ours.has("Host")) return head;
    return head.insert(head.size() - 2, "Host: " + ours.get("Host") + "\r\n");
}

std::string without_stamps_of_response(std::string head, std::string& fault) {
    const bool dated = fields_of(head.substr(head.find("\r\n") + 2)).count("Date") == 1;
    if (!dated) fault += "Date not once;";
    cut_date_before(head, "\r\nX-Request-Id: ");
    const Fields ours = fields_of(cut_block(head, "X-Request-Id: ", "Server-Timing: "));
    for (const char* name : {"X-Request-Id", "Unique-Id", "UNIQUE_ID", "Via", "Server-Timing"})
        if (ours.count(name) != 1) fault += std::string(name) + " not once;";
    return head;
}

}  // namespace ticketgate::test
