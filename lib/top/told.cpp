#include "top/told.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "top/line_text.hpp"

namespace ticketgate::top {
namespace {

std::string request(const TicketLine& ticket) {
    return ticket.method + " " + ticket.target + " from " + ticket.client;
}

std::string requests(std::uint64_t number) {
    return std::to_string(number) + (number == 1 ? " request" : " requests");
}

std::string pause(const QueueLine& queue, const std::string& whom) {
    const std::string how_long = queue.pause_left
                                     ? "for " + duration_text(*queue.pause_left) + " more"
                                     : "until somebody resumes it";
    return queue.name + " is paused " + how_long + "; to go on: ticketgate resume " +
           quoted(queue.name) + (whom.empty() ? "" : " " + whom);
}

// The first of the line that has no slot; null: none is shown.
const TicketLine* head_of(const Tickets& tickets) {
    const auto found = std::ranges::find_if(
        tickets.lines, [](const TicketLine& line) { return line.state >= TicketState::waiting; });
    return found == tickets.lines.end() ? nullptr : &*found;
}

// A slot is free, and yet the line waits: for an upload. Empty: it does not.
std::vector<std::string> waits_for_upload(const Tickets& tickets, const std::string& whom) {
    const TicketLine* const head = head_of(tickets);
    const QueueLine& queue = tickets.queue;
    if (head == nullptr || head->state != TicketState::uploading || queue.full() || queue.paused)
        return {};
    const std::uint64_t behind = queue.waiting - 1;
    const bool all_wait = queue.order == "arrival" && behind > 0;
    return {queue.name + ": number " + std::to_string(head->number) +
                " still uploads its body, for " + duration_text(head->seconds) +
                (all_wait ? ", and " + requests(behind) + (behind == 1 ? " waits" : " wait") +
                                " behind it"
                          : ""),
            "  " + request(*head) + ", request id " + head->request_id,
            "  to end it: " + release_command(queue.name, *head, whom)};
}

// Nothing runs, and no upload is the reason.
std::vector<std::string> idle(const QueueLine& queue) {
    if (queue.waiting == 0) return {queue.name + ": no request runs, none waits"};
    return {queue.name + ": no request runs, " + requests(queue.waiting) + " waiting"};
}

// A reload has lowered max_in_flight below what runs.
std::string above_limit(const QueueLine& queue, Clock now) {
    const std::uint64_t ends = queue.in_flight - queue.max_in_flight + 1;
    std::string who = queue.name + ": " + std::to_string(queue.in_flight) + " run, the limit is " +
                      std::to_string(queue.max_in_flight) + ": nobody is admitted until " +
                      std::to_string(ends) + " of them end";
    if (queue.waiting == 0) return who;
    return who + "; no slot came free for " + since(queue.stalled, now) + ", " +
           requests(queue.waiting) + " waiting";
}

// Several slots, of which each may be the next to come free: none of their holders blocks alone.
std::string one_of_many(const QueueLine& queue, const std::string& number, const std::string& held,
                        Clock now) {
    const std::string of =
        number + ", one of " + std::to_string(queue.in_flight) + " that hold a slot, " + held;
    if (!queue.blocked()) return of + "; the line moves, " + requests(queue.waiting) + " waiting";
    return of + "; no slot came free for " + since(queue.stalled, now) + ", " +
           requests(queue.waiting) + " waiting";
}

std::string first_line(const Tickets& tickets, const TicketLine& of, Clock now) {
    const auto& queue = tickets.queue;
    const std::string number = queue.name + ": number " + std::to_string(of.number);
    const std::string held =
        (of.not_sent ? "has its slot for " : "runs for ") + since(of.seconds, now);
    if (queue.above_limit()) return number + ", the oldest, " + held;
    if (!queue.full()) return number + " " + held + "; it blocks no request";
    if (queue.in_flight > 1) return one_of_many(queue, number, held, now);
    if (of.not_sent) return number + " " + held + ", " + requests(queue.waiting) + " waiting";
    return number + " blocks " + requests(queue.waiting) + " for " + since(of.seconds, now);
}

std::vector<std::string> runs(const Tickets& tickets, const TicketLine& of, const std::string& whom,
                              Clock now) {
    std::vector<std::string> lines;
    if (tickets.queue.above_limit()) lines.push_back(above_limit(tickets.queue, now));
    lines.push_back(first_line(tickets, of, now));
    lines.push_back("  " + request(of) + ", request id " + of.request_id);
    if (of.end_unknown)
        lines.emplace_back(
            "  it is answered, but php-fpm's status page is unreadable, so nobody knows whether "
            "its "
            "script has ended: ticketgate check --connect says why");
    if (of.not_sent) {
        lines.push_back("  nothing of it is sent yet: it waits for a worker of upstream " +
                        of.upstream + ", or for a connection to it");
        return lines;
    }
    lines.push_back("  to free its slot: " + release_command(tickets.queue.name, of, whom));
    return lines;
}

}  // namespace

std::string since(double seconds, Clock now) {
    const auto begun = static_cast<std::int64_t>(std::floor(now.unix_s - seconds));
    return duration_text(seconds) + ", since " + clock_text(begun, now.utc_offset);
}

std::string quoted(const std::string& word) {
    const auto plain = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               std::string_view("._-/:").find(c) != std::string_view::npos;
    };
    if (!word.empty() && std::ranges::all_of(word, plain)) return word;
    std::string out = "'";
    for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return out + "'";
}

std::string release_command(const std::string& queue, const TicketLine& ticket,
                            const std::string& whom) {
    return "ticketgate release " + quoted(queue) + " " + std::to_string(ticket.number) +
           " --request-id " + quoted(ticket.request_id) + (whom.empty() ? "" : " " + whom);
}

std::string workers_in_use(const TicketLine& ticket, const std::vector<BusyWorker>& workers) {
    constexpr std::size_t most = 3;
    if (!ticket.not_sent) return {};
    std::string out;
    std::size_t count = 0;
    for (const auto& one : workers) {
        if (one.upstream != ticket.upstream || ++count > most) continue;
        out += (out.empty() ? "" : ", ") + std::string("pid ") + std::to_string(one.pid) +
               (one.request_id.empty() ? " is busy" : " runs request " + one.request_id);
    }
    if (count > most) out += ", " + std::to_string(count - most) + " more";
    return out.empty() ? out : "  the workers of " + ticket.upstream + ": " + out;
}

const TicketLine* running(const Tickets& tickets, std::uint64_t chosen) {
    const TicketLine* found = nullptr;
    for (const auto& line : tickets.lines) {
        if (line.state != TicketState::running) continue;
        if (line.number == chosen) return &line;
        if (found == nullptr || line.seconds > found->seconds) found = &line;
    }
    return found;
}

std::vector<std::string> blocked_by(const Tickets& tickets, std::uint64_t chosen,
                                    const std::string& whom, Clock now) {
    std::vector<std::string> lines;
    if (tickets.queue.paused) lines.push_back(pause(tickets.queue, whom));
    auto upload = waits_for_upload(tickets, whom);
    const TicketLine* const of = running(tickets, chosen);
    const bool says_nothing = of == nullptr && !upload.empty();
    std::ranges::move(upload, std::back_inserter(lines));
    if (says_nothing) return lines;
    auto rest = of == nullptr ? idle(tickets.queue) : runs(tickets, *of, whom, now);
    std::ranges::move(rest, std::back_inserter(lines));
    return lines;
}

}  // namespace ticketgate::top
