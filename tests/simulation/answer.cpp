#include "simulation/answer.hpp"

#include <algorithm>
#include <cstdio>

#include "simulation/fcgi_request.hpp"

namespace ticketgate::sim {
namespace {

using Kind = Fate::Kind;
using Form = Fate::Form;

std::string chunked(const std::string& body) {
    std::string out;
    char size[16];
    const std::size_t half = body.size() / 2;
    for (const auto& part : {body.substr(0, half), body.substr(half)})
        if (!part.empty())
            out.append(size, static_cast<std::size_t>(
                                 std::snprintf(size, sizeof(size), "%zx\r\n", part.size())))
                .append(part + "\r\n");
    return out + "0\r\n\r\n";
}

constexpr std::string_view odd_line =
    "X-Echo: a\x01"
    "b\r\n";

std::string http_head(const Fate& fate, const std::string& body, bool closes, bool tells_timeout) {
    std::string out =
        fate.form == Form::no_content ? "HTTP/1.1 204 No Content\r\n" : "HTTP/1.1 200 OK\r\n";
    if (fate.form == Form::length) out += "Content-Length: " + std::to_string(body.size()) + "\r\n";
    if (fate.form == Form::chunked) out += "Transfer-Encoding: chunked\r\n";
    if (closes) out += "Connection: close\r\n";
    if (tells_timeout) out += "Keep-Alive: timeout=2\r\n";
    return out + "\r\n";
}

// ── FastCGI ──

std::string cgi_head(Random& random, const Fate& fate, const std::string& body) {
    const std::string line = random.chance(80) ? "\r\n" : "\n";
    std::string out = "X-Powered-By: PHP" + line;
    if (fate.kind == Kind::odd_field) out += odd_line;
    if (fate.form == Form::no_content) out += "Status: 204 No Content" + line;
    if (fate.form != Form::no_content && random.chance(30)) out += "Status: 200 OK" + line;
    if (fate.form == Form::length) out += "Content-Length: " + std::to_string(body.size()) + line;
    return out + line;
}

unsigned some_padding(Random& random) {
    return random.chance(30) ? static_cast<unsigned>(random.between(1, 255)) : 0;
}

// Writes records of any size, with the script's error output in between.
std::string records(Random& random, std::string_view output, bool remarks) {
    std::string out;
    while (!output.empty()) {
        const std::size_t most = std::min<std::size_t>(output.size(), 65535);
        const std::size_t n = random.chance(50) ? most : random.between((most + 7) / 8, most);
        if (remarks && random.chance(30))
            out += record(RecordType::err, "PHP Notice: something\n", some_padding(random));
        out += record(RecordType::out, output.substr(0, n), some_padding(random));
        output.remove_prefix(n);
    }
    return out;
}

std::string end_of_request(std::uint32_t app_status, char protocol_status) {
    std::string content;
    for (const unsigned shift : {24u, 16u, 8u, 0u})
        content += static_cast<char>(app_status >> shift & 0xff);
    content += protocol_status;
    return content.append(3, '\0');
}

// Truncates or spoils the answer as its kind of failure demands.
void break_off(const Question& question, std::size_t head, std::string& output) {
    const Kind kind = question.kind;
    const bool none = bodiless(question);
    const bool within = kind == Kind::dies_in_body || kind == Kind::garbage_chunk;
    if (kind == Kind::dies_before_head) output.clear();
    if (kind == Kind::dies_in_head || (within && none)) output.resize(head / 2);
    if (within && !none) output.resize(head + (output.size() - head) / 2);
    if (kind == Kind::garbage_head) output = "Status: 2x0 WAT\r\n\r\nwell";
}

// The connection stays, as if the answer were whole.
bool stays_behind_garbage(const Question& question) {
    return question.kind == Kind::garbage_chunk && question.ask.fate.stays;
}

// Bytes in place of the rest of the answer; some backends die inside a record.
std::string tail_of(Random& random, Kind kind) {
    if (kind == Kind::garbage_chunk) return "HTTP/1.1 500 what a script should not say here";
    if (kind == Kind::garbage_head || random.chance(50)) return {};
    return record(RecordType::out, "more").substr(0, random.between(1, 8));
}

// A record of another request in the midst of an answer that would be whole.
std::string with_stray(Random& random, const Question& question, std::size_t head,
                       std::string_view output) {
    const std::size_t half = bodiless(question) ? head / 2 : head + (output.size() - head) / 2;
    return records(random, output.substr(0, half), false) +
           record(RecordType::out, question.ask.route, 0, random.chance(50) ? 2 : 256) +
           records(random, output.substr(half), false);
}

// The end, and the time the script takes to it when its response is out.
void add_end(Random& random, const Question& question, Answer& answer) {
    const Fate& fate = question.ask.fate;
    const Kind kind = question.kind;
    if (random.chance(50)) answer.bytes += record(RecordType::out, {}, some_padding(random));
    if (fate.remarks) answer.bytes += record(RecordType::err, {}, some_padding(random));
    const Duration late = kind == Kind::answers ? fate.lingers : fate.runs_on;
    const std::size_t before = answer.pauses.empty() ? 0 : answer.pauses[0].after;
    if (late != Duration{}) answer.pauses.push_back({answer.bytes.size() - before, late});
    const char status = kind != Kind::overloaded ? '\0' : fate.closes_untold ? '\3' : '\2';
    answer.bytes += record(RecordType::end, end_of_request(fate.app_status, status));
    if (!fate.pads) return;
    const unsigned padding = static_cast<unsigned>(random.between(1, 8));
    answer.bytes[answer.bytes.size() - 10] = static_cast<char>(padding);
    answer.behind.assign(padding, 'p');
}

}  // namespace

std::string body_of(const Ask& ask) {
    std::string body = "answer to " + std::to_string(ask.id) + ";";
    while (body.size() < ask.fate.size)
        body += static_cast<char>('a' + (body.size() + ask.id) % 26);
    return body;
}

bool bodiless(const Ask& ask) {
    return ask.method == "HEAD" || ask.fate.form == Form::no_content;
}

bool bodiless(const Question& question) {
    return question.request.method == "HEAD" || question.ask.fate.form == Form::no_content;
}

// The size chooses the oddity. An invalid status leaves the end of an answer without length open.
static void make_odd(std::string& bytes, const Fate& fate) {
    const std::size_t first = bytes.find("\r\n") + 2;
    if (fate.size % 3 == 0)
        bytes.insert(first, "X: " + std::string(70'000, 'y') + "\r\n");
    else if (fate.size % 3 == 1 && fate.form != Form::no_content)
        bytes.replace(9, 3, "999");
    else
        bytes.insert(first, odd_line);
}

Answer http_answer(Random& random, const Question& question) {
    const Fate& fate = question.ask.fate;
    const Kind kind = question.kind;
    const std::string body = body_of(question.ask);
    Answer answer;
    const bool takes_rest =
        (fate.takes_all || fate.reads_on != Duration{}) && !question.request.complete();
    answer.closes = fate.closes || fate.stays || fate.form == Form::until_close ||
                    (!question.request.complete() && !takes_rest);
    answer.bytes = http_head(fate, body, answer.closes, random.chance(question.tells_timeout));
    const std::size_t head = answer.bytes.size();
    const bool has_body = !bodiless(question);
    if (has_body) answer.bytes += fate.form == Form::chunked ? chunked(body) : body;
    if (fate.pause != Duration{}) answer.pauses = {{answer.bytes.size() / 2, fate.pause}};
    answer.works_on = fate.works_on != Duration{} && fate.form != Form::until_close &&
                      (fate.form == Form::no_content || answer.closes);
    if (kind == Kind::odd_field) {
        const std::size_t even = answer.bytes.size();
        make_odd(answer.bytes, fate);
        for (auto& pause : answer.pauses) pause.after += answer.bytes.size() - even;
    }
    answer.dies =
        kind != Kind::answers && kind != Kind::odd_field && !stays_behind_garbage(question);
    // The body comes nevertheless, and a script may write one that looks like an answer.
    if (fate.says_more && !has_body && kind == Kind::answers && !answer.closes)
        answer.behind = "HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\nnobody's own";
    // Where FIN ends the body, only a reset is a failure; a head alone may be the whole answer.
    answer.resets = fate.resets || fate.form == Form::until_close;
    if (kind == Kind::dies_in_head) answer.bytes.resize(head / 2);
    if (kind == Kind::dies_in_body)
        answer.bytes.resize(has_body ? head + (answer.bytes.size() - head) / 2 : head / 2);
    if (kind == Kind::garbage_head) answer.bytes = "HTTP/1.1 2x0 WAT\r\n\r\n";
    if (kind == Kind::garbage_chunk)
        answer.bytes = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n" +
                       std::string(fate.closes ? "Connection: close\r\n" : "") +
                       "\r\n5\r\nhello\r\nzz\r\n";
    if (kind == Kind::garbage_chunk && fate.writes_after != Duration{}) {
        answer.pauses = {{answer.bytes.size(), fate.writes_after}};
        answer.bytes += "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
    }
    const bool garbage = kind == Kind::garbage_head || kind == Kind::garbage_chunk;
    if (garbage) answer.runs_on = fate.runs_on;
    // The others have no meaning here.
    const bool cut = kind == Kind::dies_in_head || kind == Kind::dies_in_body;
    if (answer.dies && !garbage && !cut) answer.bytes.clear();
    return answer;
}

Answer fcgi_answer(Random& random, const Question& question) {
    const Fate& fate = question.ask.fate;
    const Kind kind = question.kind;
    const std::string body = body_of(question.ask);
    std::string output = cgi_head(random, fate, body);
    const std::size_t head = output.size();
    const bool told = fate.form == Form::length || bodiless(question);
    if (!bodiless(question) || fate.says_more) output += body;
    if (kind == Kind::answers && told && fate.says_more) output += "and more than was announced";
    break_off(question, head, output);
    Answer answer;
    const bool ends = kind == Kind::answers || kind == Kind::odd_field ||
                      kind == Kind::overloaded || kind == Kind::wrong_id ||
                      (kind == Kind::garbage_head && !fate.closes_untold);
    answer.dies = !ends && !stays_behind_garbage(question);
    answer.resets = fate.resets;
    // The proxy may treat such a connection as broken; it then waits for its end.
    const bool takes_rest = fate.takes_all && !question.request.complete();
    answer.closes = fate.closes || (!question.request.complete() && !takes_rest) ||
                    kind == Kind::wrong_id || (!question.request.keeps() && random.chance(80));
    if (kind == Kind::wrong_id)
        answer.bytes = with_stray(random, question, head, output);
    else if (kind != Kind::overloaded)
        answer.bytes = records(random, output, fate.remarks);
    if (!ends) answer.bytes += tail_of(random, kind);
    if (!ends) answer.runs_on = fate.runs_on;
    if (fate.pause != Duration{} && !answer.bytes.empty())
        answer.pauses = {{answer.bytes.size() / 2, fate.pause}};
    if (ends) add_end(random, question, answer);
    return answer;
}

}  // namespace ticketgate::sim
