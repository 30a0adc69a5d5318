#include "http_lite.hpp"

#include <strings.h>

#include <algorithm>
#include <charconv>
#include <cinttypes>

#include "text_lite.hpp"

namespace loadtest {

namespace {

bool same(std::string_view a, std::string_view b) {
    return a.size() == b.size() && ::strncasecmp(a.data(), b.data(), a.size()) == 0;
}

std::string_view trim(std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\r')) text.remove_suffix(1);
    return text;
}

bool has_token(std::string_view list, std::string_view token) {
    while (!list.empty()) {
        const auto comma = list.find(',');
        if (same(trim(list.substr(0, comma)), token)) return true;
        list = comma == std::string_view::npos ? std::string_view{} : list.substr(comma + 1);
    }
    return false;
}

// Gives the first line to `first` and every field to `field`; false if a line has no colon.
template <class First, class Field>
bool walk(std::string_view head, First first, Field field) {
    auto end = head.find("\r\n");
    if (!first(head.substr(0, end))) return false;
    head.remove_prefix(end + 2);
    while (head.size() > 2) {
        end = head.find('\n');
        const auto line = head.substr(0, end);
        const auto colon = line.find(':');
        if (colon == std::string_view::npos) return false;
        field(line.substr(0, colon), trim(line.substr(colon + 1)));
        head.remove_prefix(end + 1);
    }
    return true;
}

struct Ids {
    bool request_id = false;
    bool unique_id = false;
};

void note(std::string_view name, std::string_view value, RequestHead& head, Ids& ids) {
    switch (name.size()) {
        case 5:
            if (same(name, "x-seq")) head.seq = to_number(value);
            break;
        case 6:
            if (same(name, "expect")) head.expects_continue = same(value, "100-continue");
            break;
        case 7:
            if (same(name, "x-queue")) head.queue = value;
            if (same(name, "x-ghost")) head.ghost = value == "1";
            break;
        case 9:
            if (same(name, "x-sent-us")) head.sent_us = to_number(value);
            if (same(name, "unique_id") || same(name, "unique-id")) ids.unique_id = true;
            break;
        case 10:
            if (!same(name, "connection")) break;
            if (has_token(value, "close")) head.keep_alive = false;
            if (has_token(value, "keep-alive")) head.keep_alive = true;
            break;
        case 12:
            if (!same(name, "x-request-id")) break;
            ids.request_id = true;
            head.request_id = value;
            break;
        case 13:
            if (same(name, "fencing-token")) head.token = to_number(value);
            if (same(name, "fencing-queue")) head.token_queue = value;
            break;
        case 14:
            if (same(name, "content-length")) head.content_length = to_number(value);
            break;
        case 17:
            if (same(name, "transfer-encoding")) head.chunked = has_token(value, "chunked");
            break;
        default:
            break;
    }
}

void note(std::string_view name, std::string_view value, ResponseHead& head) {
    if (same(name, "x-seq")) head.seq = to_number(value);
    if (same(name, "connection") && has_token(value, "close")) head.keep_alive = false;
    if (same(name, "transfer-encoding")) head.chunked = has_token(value, "chunked");
    if (same(name, "content-length")) {
        head.content_length = to_number(value);
        head.has_length = true;
    }
}

}  // namespace

std::uint64_t to_number(std::string_view text, std::uint64_t otherwise) {
    std::uint64_t number = 0;
    const auto result = std::from_chars(text.data(), text.data() + text.size(), number);
    return result.ec == std::errc{} ? number : otherwise;
}

std::string_view query_text(std::string_view target, std::string_view name) {
    auto at = target.find('?');
    while (at != std::string_view::npos) {
        target.remove_prefix(at + 1);
        at = target.find('&');
        if (target.starts_with(name) && target.size() > name.size() && target[name.size()] == '=') {
            return target.substr(0, at).substr(name.size() + 1);
        }
    }
    return {};
}

bool has_field(std::string_view head, std::string_view names) {
    bool found = false;
    if (names.empty()) return false;
    (void)walk(
        head, [](std::string_view) { return true; },
        [&](std::string_view name, std::string_view) { found = found || has_token(names, name); });
    return found;
}

void append_chunks(std::string& to, std::uint64_t size, const char* extension) {
    constexpr std::uint64_t largest = 64 << 20;
    constexpr std::uint64_t chunk_size = 4096;
    for (size = std::min(size, largest); size > 0;) {
        const auto part = std::min(size, chunk_size);
        print(to, "%" PRIx64 "%s\r\n", part, extension);
        to.append(part, 'x').append("\r\n");
        size -= part;
    }
    to.append("0\r\n\r\n");
}

std::uint64_t query_number(std::string_view target, std::string_view name,
                           std::uint64_t otherwise) {
    return to_number(query_text(target, name), otherwise);
}

Scan scan(std::string_view bytes, RequestHead& head) {
    const auto end = bytes.find("\r\n\r\n");
    if (end == std::string_view::npos) return Scan::partial;
    head = {};
    head.size = end + 4;
    Ids ids;
    const auto first = [&head](std::string_view line) {
        const auto space = line.find(' ');
        const auto last = line.rfind(' ');
        if (space == std::string_view::npos || last == space) return false;
        head.method = line.substr(0, space);
        head.target = line.substr(space + 1, last - space - 1);
        head.keep_alive = line.substr(last + 1) != "HTTP/1.0";
        return true;
    };
    const auto field = [&](std::string_view name, std::string_view value) {
        note(name, value, head, ids);
    };
    if (!walk(bytes.substr(0, head.size), first, field)) return Scan::bad;
    head.has_both_ids = ids.request_id && ids.unique_id;
    if (head.queue.empty()) head.queue = head.path();
    return Scan::whole;
}

Scan scan(std::string_view bytes, ResponseHead& head) {
    const auto end = bytes.find("\r\n\r\n");
    if (end == std::string_view::npos) return Scan::partial;
    head = {};
    head.size = end + 4;
    const auto first = [&head](std::string_view line) {
        if (line.size() < 12 || !line.starts_with("HTTP/1.")) return false;
        head.keep_alive = line[7] == '1';
        head.status = static_cast<int>(to_number(line.substr(9, 3)));
        return head.status >= 100;
    };
    const auto field = [&head](std::string_view name, std::string_view value) {
        note(name, value, head);
    };
    return walk(bytes.substr(0, head.size), first, field) ? Scan::whole : Scan::bad;
}

Body Body::of_length(std::uint64_t length) {
    Body body;
    body.left_ = length;
    body.state_ = length == 0 ? State::complete : State::length;
    return body;
}

Body Body::chunked() {
    Body body;
    body.state_ = State::chunk_size;
    return body;
}

Body Body::until_close() {
    Body body;
    body.state_ = State::forever;
    return body;
}

std::size_t Body::take(std::string_view bytes) {
    std::size_t taken = 0;
    while (taken < bytes.size() && !complete() && !broken()) {
        const auto rest = bytes.substr(taken);
        if (state_ != State::length && state_ != State::chunk_data && state_ != State::forever) {
            taken += take_line(rest);
            continue;
        }
        const auto part =
            state_ == State::forever ? rest.size() : std::min<std::uint64_t>(left_, rest.size());
        taken += part;
        content_ += part;
        if (state_ == State::forever) continue;
        left_ -= part;
        if (left_ == 0) state_ = state_ == State::length ? State::complete : State::chunk_end;
    }
    return taken;
}

std::size_t Body::take_line(std::string_view bytes) {
    std::size_t taken = 0;
    while (taken < bytes.size()) {
        const char c = bytes[taken++];
        if (c == '\n') {
            end_line();
            return taken;
        }
        if (c == '\r') continue;
        ++line_length_;
        if (state_ != State::chunk_size || !line_open_) continue;
        unsigned digit = 0;
        const auto result = std::from_chars(&c, &c + 1, digit, 16);
        if (result.ec == std::errc{} && left_ < (1ULL << 40)) {
            left_ = left_ * 16 + digit;
        } else {
            line_open_ = false;
        }
    }
    return taken;
}

void Body::end_line() {
    switch (state_) {
        case State::chunk_size:
            if (line_length_ == 0)
                state_ = State::broken;
            else
                state_ = left_ == 0 ? State::trailer : State::chunk_data;
            break;
        case State::chunk_end:
            state_ = line_length_ == 0 ? State::chunk_size : State::broken;
            break;
        case State::trailer:
            if (line_length_ == 0) state_ = State::complete;
            break;
        default:
            break;
    }
    line_length_ = 0;
    line_open_ = true;
}

}  // namespace loadtest
