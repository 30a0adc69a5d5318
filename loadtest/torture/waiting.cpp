// What the scenarios wait for, asked of the backend and of the proxy.

#include <functional>

#include "../fetch.hpp"
#include "scenario.hpp"

namespace loadtest {

namespace {

using Condition = std::function<bool()>;

Task<bool> eventually(World& world, Condition holds) {
    const auto deadline = world.patience();
    bool held = holds();
    while (!held && now_us() < deadline) {
        co_await world.loop.sleep(1000);
        held = holds();
    }
    co_return held;
}

// A number from one of the backend's own pages; 0 while it does not answer.
std::uint64_t ask_backend(const World& world, const std::string& page, const char* name) {
    try {
        return json_number(fetch(world.settings.backend, page), name, 0);
    } catch (const std::exception&) {
        return 0;
    }
}

// "/shared/a" stands in "shared".
std::string queue_of(Line line) {
    const std::string path = facts(line).path + 1;
    return path.substr(0, path.find('/'));
}

}  // namespace

Task<> begun(World& world, std::uint64_t seq) {
    const auto page = "/__run?seq=" + std::to_string(seq);
    const Condition runs = [&world, page] { return ask_backend(world, page, "started") != 0; };
    const bool kept = co_await eventually(world, runs);
    world.expect(kept, "the backend never began request " + std::to_string(seq));
}

Task<> stand_in(World& world, Line line, std::uint64_t count) {
    const auto name = "ticketgate_queue_waiting{queue=\"" + queue_of(line) + "\"}";
    if (world.proxy.has_admin()) return metric_reaches(world, name, static_cast<double>(count));
    return dwell(world, 50'000);
}

Task<> answered(World& world, std::uint64_t count) {
    const Condition are = [&world, count] { return world.answers >= count; };
    const bool kept = co_await eventually(world, are);
    world.expect(kept, "fewer than " + std::to_string(count) + " were answered");
}

Task<> metric_reaches(World& world, std::string name, double least) {
    const Condition is = [&world, name, least] {
        return world.proxy.metric(name).value_or(-1) >= least;
    };
    const bool kept = co_await eventually(world, is);
    world.expect(kept, name + " did not reach " + std::to_string(least));
}

Task<> metric_falls_to(World& world, std::string name, double most) {
    const Condition is = [&world, name, most] {
        return world.proxy.metric(name).value_or(most + 1) <= most;
    };
    const bool kept = co_await eventually(world, is);
    world.expect(kept, name + " did not fall to " + std::to_string(most));
}

Task<> unready(World& world) {
    const Condition is = [&world] { return !world.proxy.ready(); };
    const bool kept = co_await eventually(world, is);
    world.expect(kept, "it drains and says that it is ready");
}

Task<> ended(World& world) {
    const Condition has = [&world] { return !world.proxy.alive(); };
    const bool kept = co_await eventually(world, has);
    world.expect(kept, "it is still running");
    world.proxy_gone = true;
}

Task<> log_begun_anew(World& world) {
    const Condition is = [&world] { return world.proxy.log_is_there(); };
    const bool kept = co_await eventually(world, is);
    world.expect(kept, "the access log was not opened anew");
}

Task<> log_written(World& world, std::string mark, int rotated) {
    const Condition is = [&world, mark, rotated] {
        return world.proxy.log_lines(mark, rotated) >= world.records.size();
    };
    const bool kept = co_await eventually(world, is);
    world.expect(kept, "the access log lacks requests");
}

Task<> descriptors_back_to(World& world, std::uint64_t count) {
    const Condition are = [&world, count] { return world.proxy.fds() <= count; };
    const bool kept = co_await eventually(world, are);
    world.expect(kept, "more descriptors are open than before");
}

void let_go(World& world, std::uint64_t seq) {
    const auto page = "/__go?seq=" + std::to_string(seq);
    world.expect(ask_backend(world, page, "let_go") == 1, "a held request did not run");
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

void Held::let_go() {
    loadtest::let_go(world_, seq_);
}

Task<> Held::finish() {
    let_go();
    (void)co_await client_.answer();
}

}  // namespace loadtest
