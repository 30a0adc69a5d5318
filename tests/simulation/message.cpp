#include "simulation/message.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace ticketgate::sim {

std::size_t Message::feed(std::string_view bytes) {
    std::size_t used = 0;
    while (used < bytes.size() && !complete() && !broken()) {
        const std::string_view rest = bytes.substr(used);
        if (state_ == State::until_close) {
            body.append(rest);
            used += rest.size();
        } else if (state_ == State::length || state_ == State::chunk) {
            const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(left_, rest.size()));
            body.append(rest.substr(0, n));
            used += n;
            left_ -= n;
            if (left_ == 0) state_ = state_ == State::chunk ? State::chunk_end : State::complete;
        } else {
            line_ += rest.front();
            ++used;
            if (line_.ends_with("\r\n")) take_line();
        }
    }
    return used;
}

void Message::end_of_stream() {
    if (state_ == State::until_close) state_ = State::complete;
}

void Message::take_line() {
    const std::string_view line(line_.data(), line_.size() - 2);
    // The beginning of an answer in the midst of another one.
    const bool again = !request_ && line.find("HTTP/1.", head.empty() ? 1 : 0) != line.npos;
    if (state_ == State::head && again) {
        state_ = State::broken;
    } else if (state_ == State::head) {
        if (head.empty()) take_start(line);
        head.append(line_);
        if (line.empty() && !broken()) begin_body();
    } else if (state_ == State::size) {
        take_size();
    } else if (state_ == State::chunk_end) {
        state_ = line.empty() ? State::size : State::broken;
    } else if (line.empty()) {
        state_ = State::complete;  // after the trailers
    }
    line_.clear();
}

void Message::take_start(std::string_view line) {
    const auto space = line.find(' ');
    if (space == std::string_view::npos) {
        state_ = State::broken;
        return;
    }
    if (request_) {
        method = line.substr(0, space);
        target = line.substr(space + 1, line.find(' ', space + 1) - space - 1);
    } else if (!line.starts_with("HTTP/1.") || line.size() < space + 4) {
        state_ = State::broken;
    } else {
        std::from_chars(line.data() + space + 1, line.data() + space + 4, status);
    }
}

void Message::begin_body() {
    const std::string length = field("content-length");
    const bool none = bodiless_ || interim() || status == 204 || status == 304;
    if (none) {
        state_ = State::complete;
    } else if (field("transfer-encoding") == "chunked") {
        state_ = State::size;
    } else if (!length.empty()) {
        std::from_chars(length.data(), length.data() + length.size(), left_);
        state_ = left_ == 0 ? State::complete : State::length;
    } else {
        state_ = request_ ? State::complete : State::until_close;
    }
}

void Message::take_size() {
    left_ = 0;
    const auto [end, error] = std::from_chars(line_.data(), line_.data() + line_.size(), left_, 16);
    if (error != std::errc() || end == line_.data())
        state_ = State::broken;
    else
        state_ = left_ == 0 ? State::trailer : State::chunk;
}

std::string Message::field(std::string_view name) const {
    const auto same = [](char a, char b) { return std::tolower(a) == std::tolower(b); };
    for (std::size_t at = head.find("\r\n"); at != std::string::npos;
         at = head.find("\r\n", at + 2)) {
        const std::string_view line = std::string_view(head).substr(at + 2);
        if (line.size() <= name.size() || line[name.size()] != ':' ||
            !std::equal(name.begin(), name.end(), line.begin(), same))
            continue;
        std::string value(line.substr(name.size() + 1, line.find("\r\n") - name.size() - 1));
        value.erase(0, value.find_first_not_of(' '));
        for (char& c : value) c = static_cast<char>(std::tolower(c));
        return value;
    }
    return {};
}

std::uint64_t id_in(std::string_view target) {
    std::uint64_t id = 0;
    const auto slash = target.rfind('/');
    if (slash != std::string_view::npos)
        std::from_chars(target.data() + slash + 1, target.data() + target.size(), id);
    return id;
}

}  // namespace ticketgate::sim
