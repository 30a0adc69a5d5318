// What the judge asks at the end of a world: the order of the numbers, an answer for each client
// that stayed, one log line for each request.
#include <charconv>

#include "simulation/judge.hpp"

namespace ticketgate::sim {

// Uses only the ticket's number from the access log: it cannot be seen from outside.
void Judge::log_line(std::string_view text) {
    const auto number_after = [&](std::string_view key) {
        std::uint64_t value = 0;
        if (const auto at = text.find(key); at != std::string_view::npos)
            std::from_chars(text.data() + at + key.size(), text.data() + text.size(), value);
        return value;
    };
    const auto path = text.find("\"path\":\"");
    if (path == std::string_view::npos) return fail("a log line without a path");
    const auto slash = text.find('/', path + 9);
    std::uint64_t id = 0;
    std::from_chars(text.data() + slash + 1, text.data() + text.size(), id);
    if (id == 0) return;  // refused before it had a head
    if (story(id).number != 0) return fail("request " + std::to_string(id) + " has two log lines");
    Story& s = story(id);
    s.number = number_after("\"number\":");
    if (number_after("\"inside_of\":") != 0) {
        if (s.caller == 0) fail("a stranger, request " + std::to_string(id) + ", ran inside");
        if (s.hung_up != 0 && s.hung_up < s.read && s.ask.body == Ask::Body::none)
            fail("request " + std::to_string(id) + " ran inside, and its caller waited no longer");
        s.number = 0;  // not in the order of the queue's own line
    }
    const bool left_in_line = text.find("\"outcome\":\"client_closed\"") != text.npos;
    const bool is_call = s.caller != 0 && s.head_sent > inside_known_;
    if (is_call && s.read != 0 && left_in_line && !short_of_memory_)
        fail("request " + std::to_string(id) + ", a call from inside, lost its place");
    const bool admitted = text.find("\"outcome\":\"admitted\"") != text.npos;
    const bool connects = last_connect_failure_ < s.head_sent && plan_.connects_late == 0;
    const bool troubled = short_of_memory_ || stopping_ || may_lose_slot(s) || !s.excuse.empty();
    if (s.accepted && admitted && s.sent == 0 && connects && !troubled)
        fail("request " + std::to_string(id) + " was accepted, and its backend never saw it");
}

// A lower number ran later, so its body was incomplete when the higher one was granted, which was
// not before the one ahead of that had ended.
void Judge::check_order(const Line& line) {
    for (std::size_t i = 0; i < line.order.size(); ++i) {
        const Story& first = story(line.order[i]);
        if (first.number == 0) continue;
        std::uint64_t granted = first.read;
        if (i != 0) granted = std::max(granted, story(line.order[i - 1]).ended);
        for (std::size_t k = i + 1; k < line.order.size(); ++k) {
            const Story& later = story(line.order[k]);
            if (later.number == 0 || later.number >= first.number) continue;
            if (line.in_order_of_arrival || (later.read != 0 && later.read < granted))
                return fail("request " + std::to_string(first.ask.id) + " overtook " +
                            std::to_string(later.ask.id));
        }
    }
}

// A failed request ends its connection and with it the requests sent behind it. The client must get
// an error answer if no byte of the backend's answer was relayed (then it is a cut).
bool Judge::may_lack_answer(const Story& s) const {
    bool last = true;
    for (const auto id : of_client_[s.client]) {
        if (id < s.ask.id && !stories_[id - 1].excuse.empty()) return true;
        if (id > s.ask.id && stories_[id - 1].head_sent != 0) last = false;
    }
    const bool owed = last && s.excuse == "its backend fails";
    if (!s.excuse.empty() && !owed) return true;
    if (short_of_memory_) return true;
    return s.answers == 1 || s.left != 0 || s.after_close || draining_ || s.all_sent == 0;
}

void Judge::check_story(const Story& s) {
    if (!may_lack_answer(s))
        fail("request " + std::to_string(s.ask.id) + " stayed and has no answer");
    if (s.begun > 1) fail("request " + std::to_string(s.ask.id) + " ran twice");
}

void Judge::close() {
    for (const Line* line : {&a_, &c_}) {
        if (line->running != 0) fail("a request still runs at the backend");
        if (line->strict) check_order(*line);
    }
    for (const Story& story : stories_) check_story(story);
}

}  // namespace ticketgate::sim
