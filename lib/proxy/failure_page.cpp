#include "proxy/failure_page.hpp"

#include <algorithm>
#include <array>

#include "log/escape.hpp"

namespace ticketgate {
namespace {

struct Words {
    errc code;
    std::string_view title, text;
    bool again = true;  // the same request may succeed later
};

constexpr std::array words{
    Words{errc::queue_full, "This site is busy right now",
          "Too many requests are waiting already, so yours was not accepted."},
    Words{errc::wait_timeout, "The wait took too long",
          "Your request waited in a queue, and its turn did not come in time."},
    Words{errc::draining, "This site is restarting", "It does not accept requests at the moment."},
    Words{errc::stopped, "This site was stopped", "It stopped before your request was answered."},
    Words{errc::slot_revoked, "Your request was taken out of the queue",
          "Its turn ended before it began."},
    Words{errc::upstream_refused, "The application cannot be reached",
          "The program behind this site does not accept connections at the moment."},
    Words{errc::upstream_untrusted, "The application cannot be reached",
          "There is no secure connection to the program behind this site."},
    Words{errc::upstream_connect_timeout, "The application cannot be reached",
          "The program behind this site did not accept a connection in time."},
    Words{errc::upstream_broke, "The application did not answer",
          "The program behind this site ended the connection without a complete answer."},
    Words{errc::upstream_lost, "The application did not answer",
          "The connection to the program behind this site was lost."},
    Words{errc::upstream_bad_response, "The application did not answer properly",
          "The answer of the program behind this site cannot be read."},
    Words{errc::upstream_timeout, "The application did not answer in time",
          "The program behind this site took too long. It may still be working."},
    Words{errc::keeper_silent, "This site did not answer in time",
          "The server that has your request took too long. It may still be working."},
    Words{errc::upstream_overloaded, "The application is busy right now",
          "The program behind this site accepts no more requests at the moment."},
    Words{errc::spool_full, "This site is busy right now",
          "It has no room for more data at the moment."},
    Words{errc::input_full, "This site is busy right now",
          "It has no room for more data at the moment."},
    Words{errc::body_timeout, "Your data did not arrive in time",
          "The upload stopped or was too slow."},
    Words{errc::body_too_large, "Your data is too large", "It is larger than this site accepts.",
          false},
    Words{errc::inside_call, "This page waits for itself",
          "The program behind this site called it, and may not wait for the answer.", false},
    Words{errc::no_route, "There is nothing at this address", "Check the address for mistakes.",
          false},
    Words{errc::misdirected, "There is no such site here",
          "This server has no site with this name. Check the address for mistakes.", false},
    Words{errc::bad_request, "This address cannot be used",
          "The address, or a part of the request, has a form that this site does not accept.",
          false},
};

constexpr Words other_words{errc::internal, "Something went wrong",
                            "This site could not serve your request."};

const Words& words_of(error_code failure) {
    const auto found =
        std::ranges::find_if(words, [&](const Words& one) { return failure == one.code; });
    return found == words.end() ? other_words : *found;
}

constexpr std::string_view before_title =
    "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<meta name=\"color-scheme\" content=\"light dark\">\n"
    "<meta name=\"robots\" content=\"noindex\">\n<title>";

constexpr std::string_view after_title =
    "</title>\n<style>\n"
    ":root{color-scheme:light dark}\n"
    "body{margin:0;padding:10vh 1.25rem 2rem;font:1.125rem/1.5 system-ui,sans-serif}\n"
    "main{max-width:34rem;margin:auto}\n"
    "h1{font-size:1.6rem;line-height:1.25;margin:0}\n"
    "a{display:inline-block;padding:.6em 1.2em;border:1px solid;border-radius:.4em}\n"
    "dl{display:grid;grid-template-columns:auto 1fr;gap:.2rem 1rem;margin:2rem 0 0;"
    "padding-top:1rem;border-top:1px solid;font-size:.9rem}\n"
    "dd{margin:0;overflow-wrap:anywhere}\n"
    "</style>\n</head>\n<body>\n<main>\n<h1>";

void paragraph(std::string& out, std::string_view text) {
    out.append("<p>").append(text).append("</p>\n");
}

void fact(std::string& out, std::string_view name, std::string_view value) {
    if (value.empty()) return;
    out.append("<dt>").append(name).append("</dt><dd>");
    append_html(out, value);
    out += "</dd>\n";
}

std::string seconds(std::uint64_t n) {
    return std::to_string(n) + (n == 1 ? " second" : " seconds");
}

// `1.2 seconds`; empty below a tenth.
std::string waited(const Record& record) {
    const auto ms = std::chrono::duration_cast<milliseconds>(record.queue_wait).count();
    if (ms < 100) return {};
    return std::to_string(ms / 1000) + "." + std::to_string(ms / 100 % 10) + " seconds";
}

// Of GET: the browser may simply ask again.
void offer_retry(std::string& out, error_code failure, const Words& say,
                 const FailureFacts& facts) {
    if (!say.again) return;
    if (passes_with_time(failure))
        paragraph(out, "Try again in about " + seconds(facts.retry_after) + ".");
    out += "<p><a href=\"\">Try again</a></p>\n";
}

// Of a form: what became of its data, and what a reload does.
void tell_of_form(std::string& out, error_code failure, const Words& say,
                  const FailureFacts& facts) {
    // An overloaded backend says that it has not begun.
    if (facts.may_have_run && failure != errc::upstream_overloaded) {
        paragraph(out,
                  "<strong>The application may have received what you sent, and may have carried "
                  "it out.</strong> Look whether it did before you send it again. If you reload "
                  "this page, your browser sends the form again.");
        return;
    }
    paragraph(out, "<strong>Nothing that you sent has reached the application.</strong>");
    if (!say.again) return;
    const auto when =
        passes_with_time(failure) ? "in about " + seconds(facts.retry_after) : "in a moment";
    paragraph(out, "To send it again, reload this page " + when +
                       ". Your browser asks you, and then sends the form again.");
}

void tell_facts(std::string& out, std::uint16_t status, const FailureFacts& facts) {
    const Record& record = facts.record;
    out += "<dl>\n";
    fact(out, "Error", std::to_string(status) + " " + std::string(reason_phrase(status)));
    if (!record.queue.empty()) {
        if (record.number != 0) fact(out, "Your number", std::to_string(record.number));
        fact(out, "You waited", waited(record));
        fact(out, "Waiting now", std::to_string(facts.waiting));
    }
    fact(out, "Request id", record.request_id.view());
    out += "</dl>\n";
}

}  // namespace

std::string failure_page(error_code failure, std::uint16_t status, const FailureFacts& facts) {
    const Words& say = words_of(failure);
    std::string out;
    out.reserve(3 << 10);
    out.append(before_title).append(say.title).append(after_title);
    out.append(say.title).append("</h1>\n");
    paragraph(out, say.text);
    facts.safe ? offer_retry(out, failure, say, facts) : tell_of_form(out, failure, say, facts);
    tell_facts(out, status, facts);
    return out += "</main>\n</body>\n</html>\n";
}

}  // namespace ticketgate
