#include "simulation/status.hpp"

#include <algorithm>

namespace ticketgate::sim {

StatusConnection::StatusConnection(Stage& stage, const Plan& plan, Link& link,
                                   const Backend& backend)
    : FarEnd(stage), plan_(plan), link_(link), backend_(backend) {
    link.peer = this;
    again(at_most(500us));
}

void StatusConnection::act() {
    rest();
    if (phase_ == Phase::dead) return;
    if (link_.proxy_gone()) return die(false);
    if (phase_ == Phase::accepting) {
        link_.accept();
        phase_ = Phase::reading;
    }
    if (phase_ == Phase::reading) read();
    if (phase_ == Phase::answering) say();
}

void StatusConnection::read() {
    const std::string bytes = link_.receive(stage_.random.between(1, plan_.backend_piece));
    const bool taken = request_.feed(bytes) == bytes.size();
    if (!taken || request_.broken() ||
        (request_.complete() && (request_.script != "/status" || request_.query != "json&full")))
        return stage_.judge.fail("the status was asked what is no question");
    if (!request_.complete()) {
        if (link_.available() != 0) again(at_most(50us));
        return;
    }
    prepare_answer();
}

// A failing status page may be silent, close, or send something else.
void StatusConnection::prepare_answer() {
    phase_ = Phase::answering;
    const bool fails = stage_.random.chance(plan_.status_fails);
    const auto way = fails ? stage_.random.below(6) : 6;
    std::string output = "Content-Type: application/json\r\n\r\n" + table(way == 5);
    if (way == 0) phase_ = Phase::silent;
    if (way == 1) return die(stage_.random.chance(50));
    if (way == 2) output = "Status: 404 Not Found\r\n\r\nFile not found.";
    if (way == 3) output.resize(output.size() / 2);
    out_ = record(RecordType::out, output);
    if (way == 4) out_.resize(out_.size() / 2);
    if (way != 4) out_ += record(RecordType::end, std::string(8, '\0'));
}

void StatusConnection::say() {
    const std::size_t most = std::min<std::size_t>(
        out_.size(), stage_.random.between(1, std::max<std::uint64_t>(plan_.backend_piece, 30)));
    const std::size_t n = link_.send(std::string_view(out_).substr(0, most));
    out_.erase(0, n);
    if (out_.empty()) return die(false);
    if (n != 0) again(at_most(50us));
}

// Each of its workers as it is this moment. `forged`: clients whose names say that they are idle,
// which php-fpm does not escape.
std::string StatusConnection::table(bool forged) const {
    std::string out;
    const std::string user = forged ? "x\",\"state\":\"Idle" : "-";
    for (const Worker& worker : backend_.workers()) {
        const auto us =
            std::chrono::duration_cast<std::chrono::microseconds>(clock.now - worker.since).count();
        out += out.empty() ? "" : ",";
        out += std::string("{\"state\":\"") + (worker.busy ? "Running" : "Idle") +
               "\",\"request duration\":" + std::to_string(us) + ",\"request method\":\"" +
               worker.method + "\",\"request uri\":\"" + worker.uri + "\",\"user\":\"" + user +
               "\"}";
    }
    // php-fpm counts more than it has, where connections are kept.
    const std::size_t total = backend_.workers().size() + (forged ? 0 : 1);
    return "{\"pool\":\"www\",\"total processes\":" + std::to_string(total) + ",\"processes\":[" +
           out + "]}";
}

void StatusConnection::die(bool by_reset) {
    if (phase_ == Phase::dead) return;
    phase_ = Phase::dead;
    (void)link_.receive(~std::size_t{0});
    by_reset ? link_.abort() : link_.close();
}

}  // namespace ticketgate::sim
