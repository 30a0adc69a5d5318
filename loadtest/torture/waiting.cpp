// What the scenarios wait for, asked of the backend and of the proxy while all clients go on.

#include <array>
#include <functional>

#include "../fetch.hpp"
#include "scenario.hpp"

namespace loadtest {

namespace {

// A condition to poll for. Each check is a separate coroutine.
using Condition = std::function<Task<bool>()>;

Task<bool> eventually(World& world, Condition holds) {
    const auto deadline = world.patience();
    bool held = co_await holds();
    while (!held && now_us() < deadline) {
        co_await world.loop.sleep(1000);
        held = co_await holds();
    }
    co_return held;
}

Task<> await(World& world, Condition holds, std::string complaint) {
    const bool kept = co_await eventually(world, std::move(holds));
    world.expect(kept, std::move(complaint));
}

// The body of a 200 of backend or proxy; empty while there is none.
Task<std::string> ask(World& world, std::string address, std::string target) {
    static std::array<char, 64UL * 1024> buffer;
    const auto deadline = world.patience();
    Socket socket(world.loop);
    std::string answer;
    socket.open(connect_to(resolve(address)));
    bool going = socket.fd().open();
    if (going) going = co_await socket.stir(deadline);
    const auto request =
        "GET " + target + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    if (going) going = transmit(socket.fd(), request).state == Io::done;
    while (going) {
        const auto got = receive(socket.fd(), buffer);
        answer.append(buffer.data(), got.size);
        if (got.state == Io::closed) break;
        if (got.state == Io::again) going = co_await socket.stir(deadline);
    }
    ResponseHead head;
    const bool fine = going && scan(answer, head) == Scan::whole && head.status == 200;
    answer.erase(0, fine ? head.size : answer.size());
    co_return answer;
}

// A number from one of the backend's own pages; 0 while it does not answer.
Task<std::uint64_t> ask_backend(World& world, std::string page, const char* name) {
    const auto body = co_await ask(world, world.settings.backend, std::move(page));
    co_return json_number(body, name, 0);
}

// "/shared/a" stands in "shared".
std::string queue_of(Line line) {
    const std::string path = facts(line).path + 1;
    return path.substr(0, path.find('/'));
}

// ── what may hold ──

Task<bool> has_begun(World& world, std::uint64_t seq) {
    const auto page = "/__run?seq=" + std::to_string(seq);
    const auto started_us = co_await ask_backend(world, page, "started");
    co_return started_us != 0;
}

Task<bool> metric_is(World& world, std::string name, double least, double most) {
    const auto value = co_await metric(world, std::move(name));
    co_return value.has_value() && *value >= least&&* value <= most;
}

Task<bool> is_unready(World& world) {
    const auto body = co_await ask(world, world.proxy.admin(), "/readyz");
    co_return body.empty();
}

Task<bool> now(bool holds) {
    co_return holds;
}

}  // namespace

Task<std::optional<double>> metric(World& world, std::string name) {
    const auto page = co_await ask(world, world.proxy.admin(), "/metrics");
    co_return metric_in(page, name);
}

Task<> begun(World& world, std::uint64_t seq) {
    const Condition has = [&world, seq] { return has_begun(world, seq); };
    return await(world, has, "the backend never began request " + std::to_string(seq));
}

Task<> stand_in(World& world, Line line, std::uint64_t count) {
    const auto name = "ticketgate_queue_waiting{queue=\"" + queue_of(line) + "\"}";
    if (world.proxy.has_admin()) return metric_reaches(world, name, static_cast<double>(count));
    return dwell(world, 50'000);
}

Task<> answered(World& world, std::uint64_t count) {
    const Condition are = [&world, count] { return now(world.answers >= count); };
    return await(world, are, "fewer than " + std::to_string(count) + " were answered");
}

Task<> metric_reaches(World& world, std::string name, double least) {
    const Condition is = [&world, name, least] { return metric_is(world, name, least, 1e18); };
    return await(world, is, name + " did not reach " + std::to_string(least));
}

Task<> metric_falls_to(World& world, std::string name, double most) {
    const Condition is = [&world, name, most] { return metric_is(world, name, -1e18, most); };
    return await(world, is, name + " did not fall to " + std::to_string(most));
}

Task<> limit_in_force(World& world, std::uint32_t limit) {
    const auto now = static_cast<double>(limit);
    const Condition is = [&world, now] {
        return metric_is(world, "ticketgate_queue_max_in_flight{queue=\"moving\"}", now, now);
    };
    return await(world, is, "the limit of moving did not become " + std::to_string(limit));
}

Task<> unready(World& world) {
    const Condition is = [&world] { return is_unready(world); };
    return await(world, is, "it drains and says that it is ready");
}

Task<> ended(World& world) {
    const Condition has = [&world] { return now(!world.proxy.alive()); };
    world.proxy_gone = true;
    return await(world, has, "it is still running");
}

Task<> log_begun_anew(World& world) {
    const Condition is = [&world] { return now(world.proxy.log_is_there()); };
    return await(world, is, "the access log was not opened anew");
}

Task<> log_written(World& world, std::string mark, int rotated) {
    const Condition is = [&world, mark, rotated] {
        return now(world.proxy.log_lines(mark, rotated) >= world.records.size());
    };
    return await(world, is, "the access log lacks requests");
}

Task<> descriptors_back_to(World& world, std::uint64_t count) {
    const Condition are = [&world, count] { return now(world.proxy.fds() <= count); };
    return await(world, are, "more descriptors are open than before");
}

Task<std::string> id_of(World& world, std::uint64_t seq) {
    return ask(world, world.settings.backend, "/__id?seq=" + std::to_string(seq));
}

Task<> let_go(World& world, std::uint64_t seq) {
    const auto page = "/__go?seq=" + std::to_string(seq);
    const auto gone = co_await ask_backend(world, page, "let_go");
    world.expect(gone == 1, "a held request did not run");
}

Task<> dwell(World& world, Micros time) {
    co_await world.loop.sleep(time);
}

Task<bool> Held::send(Call call) {
    call.query += "&hold=1";
    bool sent = client_.connected();
    if (!sent) sent = co_await client_.connect();
    if (sent) sent = co_await client_.send(call);
    if (sent) seq_ = client_.last_seq();
    world_.expect(sent, "a request could not be sent");
    co_return sent;
}

Task<bool> Held::run(Call call) {
    const bool sent = co_await send(std::move(call));
    if (sent) co_await begun(world_, seq_);
    co_return sent;
}

Task<> Held::let_go() {
    return loadtest::let_go(world_, seq_);
}

Task<> Held::finish() {
    co_await let_go();
    (void)co_await client_.answer();
}

}  // namespace loadtest
