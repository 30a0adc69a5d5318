#include "support/client.hpp"

namespace ticketgate::test {

void Client::request(std::string_view method, std::string_view target, std::string_view lines,
                     std::string_view body) {
    std::string text(method);
    text.append(" ").append(target).append(" HTTP/1.1\r\nHost: app.test\r\n").append(lines);
    if (!body.empty()) text.append("Content-Length: " + std::to_string(body.size()) + "\r\n");
    send(text.append("\r\n").append(body));
}

bool Client::ends(Clock::duration limit) {
    std::string more;
    return !reader_.some(more, limit) && reader_.status() != Socket::Status::timeout;
}

}  // namespace ticketgate::test
