// Group 9: crowds that take more than their share: connections, memory for what they send ahead,
// combinations of routes. Everything that grows has a bound, and those within theirs are served.

#include <array>
#include <deque>

#include "scenario.hpp"

namespace loadtest {

namespace {

// A connection to another of ticketgate's listeners, byte by byte.
class Wire {
 public:
    Wire(World& world, Endpoint to, const char* from)
        : world_{world}, socket_{world.loop}, to_{std::move(to)}, from_{resolve(from)} {}

    Task<> connect() {
        socket_.open(connect_to(to_, 0, &from_));
        (void)co_await socket_.stir(world_.patience());
    }
    void send(std::string_view bytes) { (void)transmit(socket_.fd(), bytes); }
    // Sends a byte and reads so many. Returns false if they did not come.
    Task<bool> ask(char byte, std::size_t bytes) {
        const auto deadline = world_.patience();
        std::array<char, 64> buffer;
        bool going = transmit(socket_.fd(), {&byte, 1}).state == Io::done;
        while (going && bytes > 0) {
            const auto got = receive(socket_.fd(), std::span(buffer).first(bytes));
            bytes -= got.size;
            going = got.state != Io::closed;
            if (got.state == Io::again) going = co_await socket_.stir(deadline);
        }
        co_return going;
    }

 private:
    World& world_;
    Socket socket_;
    Endpoint to_;
    Endpoint from_;
};

// So many that say nothing, each from one of `addresses`.
Task<> fall_silent(World& world, std::deque<Wire>& crowd, const Endpoint& to, int size,
                   int addresses) {
    for (int i = 0; i < size; ++i) {
        const auto from = "127.0.1." + std::to_string(1 + i % addresses) + ":0";
        crowd.emplace_back(world, to, from.c_str());
        co_await crowd.back().connect();
    }
}

// Clients that ask for more ids than sockets hold, and take none; each from an address of its own.
Task<> ask_and_take_nothing(World& world, std::deque<Wire>& crowd, const Endpoint& to, int size) {
    static const std::string much(4096, '\xff');
    for (int i = 0; i < size; ++i) {
        crowd.emplace_back(world, to, ("127.0.2." + std::to_string(1 + i) + ":0").c_str());
        co_await crowd.back().connect();
        crowd.back().send(much);
        co_await dwell(world, 150'000);  // most fill their sockets before the next one comes
    }
}

// The limit holds for those that were sent away, too: they go long before their write_timeout.
Task<> expect_within_limit(World& world, double limit) {
    const auto until = world.patience();
    double open = limit + 1;
    while (open > limit && now_us() < until) {
        co_await dwell(world, 10'000);
        open = (co_await metric(world, "ticketgate_id_service_connections")).value_or(open);
    }
    world.expect(open <= limit, "the id service held more connections than its limit");
}

// Newcomers get their ids beside silent ones, of one address and of many, and beside slow ones.
Task<> id_crowd(World& world) {
    constexpr std::size_t bytes_of_an_id = 8;
    const auto service = beside(world, "127.0.0.5");
    constexpr int most = 20;  // torture.yaml.in
    std::deque<Wire> silent;
    const auto newcomers = [&]() -> Task<> {
        for (std::uint64_t i = 0; i < world.some(50); ++i) {
            Wire newcomer(world, service, "127.0.0.1:0");
            co_await newcomer.connect();
            const bool served = co_await newcomer.ask(1, bytes_of_an_id);
            world.expect(served, "the id service did not serve a newcomer");
        }
    };
    for (const int addresses : {1, 100}) {
        co_await fall_silent(world, silent, service, 100, addresses);
        co_await newcomers();
        co_await expect_within_limit(world, most);
    }
    silent.clear();
    co_await ask_and_take_nothing(world, silent, service, most + 10);
    co_await newcomers();
    co_await expect_within_limit(world, most);
}

// The operator is served beside silent connections to the admin listener, and so are clients.
Task<> admin_crowd(World& world) {
    Crew crew;
    bool going = true;
    std::deque<Wire> silent;
    const auto admin = resolve(world.proxy.admin());
    for (int i = 0; i < 8; ++i) crew.add(loyal_while(world, call_of(Line::one, 300), going));
    for (std::uint64_t i = 0; i < world.some(20); ++i) {
        co_await fall_silent(world, silent, admin, 100, 1);
        const auto answer = co_await metric(world, "ticketgate_queue_max_in_flight");
        world.expect(answer.has_value(), "the operator was not served");
    }
    going = false;
    co_await crew;
}

// ── combinations of routes ──

constexpr int patterns = 15;

// Each pattern may match or not, and all have a large error body.
std::string with_patterns(std::string text) {
    const std::string page(200'000, 'p');
    text += "  - { regex: ^/free, on_full: { body: " + page + " } }\n";
    for (int i = 0; i < patterns; ++i) {
        const auto number = std::to_string(i);
        text += "  - { regex: -" + number + "-, on_full: { status: " + std::to_string(400 + i) +
                " } }\n";
    }
    return text;
}

Task<> combinations(World& world, std::uint64_t from, std::uint64_t to) {
    Client client(world);
    for (auto bits = from; bits < to; ++bits) {
        std::string path = "/free/";
        for (int i = 0; i < patterns; ++i)
            if ((bits >> i & 1) != 0) path += "-" + std::to_string(i) + "-";
        auto call = call_of(Line::free, 0);
        call.path = path.c_str();
        (void)co_await client.exchange(call);
    }
}

// Clients choose the paths, and so which of the merged settings are needed.
Task<> many_routes(World& world) {
    constexpr std::uint64_t first = 1500;  // more than are kept
    const auto last = first + world.some(20'000);
    const std::uint64_t most_kib = world.settings.quick ? 128 * 1024 : 8 * 1024;
    co_await load(world, with_patterns(world.proxy.config()), 2);
    co_await combinations(world, 0, first);
    const auto before_kib = world.proxy.rss_kib();
    co_await combinations(world, first, last);
    const auto after_kib = world.proxy.rss_kib();
    world.expect(after_kib <= before_kib + most_kib,
                 "memory has grown by " + std::to_string(after_kib - before_kib) + " KiB");
    co_await load(world, world.proxy.config(), 1);
}

// ── full houses: run.sh starts a proxy with little room ──

struct House {
    std::uint64_t served = 0;
    bool over = false;
    Micros until_us = 0;
};

// Asks until it is served, then stays: its place is free for others from then on.
Task<> stays(World& world, House& house) {
    Client client(world);
    auto call = call_of(Line::one, 200);
    call.allowed = allow::ok | allow::idle_ended;
    while (client.last_status() != 200 && now_us() < house.until_us)
        (void)co_await client.exchange(call);
    if (client.last_status() == 200) ++house.served;
    while (!house.over) co_await dwell(world, 5000);
}

// Three times as many clients as `max_connections`, and none of them leaves: the first ones are
// idle when the next ones come.
Task<> full_house(World& world) {
    constexpr std::uint64_t room = 40;
    Crew crew;
    House house;
    house.until_us = world.patience();
    world.unordered = true;
    for (std::uint64_t served = room; served <= 3 * room; served += room) {
        for (std::uint64_t i = 0; i < room; ++i) crew.add(stays(world, house));
        while (house.served < served && now_us() < house.until_us) co_await dwell(world, 5000);
    }
    world.expect(house.served == 3 * room, std::to_string(house.served) + " were served");
    house.over = true;
    co_await crew;
}

// Waits in the line, and has sent more behind its request.
Task<> sends_ahead(World& world, const bool& over) {
    constexpr std::uint64_t ahead = 60'000;
    Client client(world);
    auto call = call_of(Line::one, 0);
    call.allowed = allow::ok | allow::unavailable | allow::closed;
    if (!co_await client.connect() || !co_await client.begin_upload(call, ahead)) co_return;
    client.finish_upload();
    while (!over) co_await dwell(world, 5000);
    client.leave(Way::rst);
}

// Bytes behind waiting requests may use half of `max_input`, and each thread may read once more.
// The kernel keeps the rest.
Task<> sent_ahead(World& world) {
    constexpr double most = (1 << 20) * 0.75;
    constexpr std::uint64_t clients = 50;
    Crew crew;
    Held first(world);
    bool over = false;
    if (!co_await first.run(call_of(Line::one, 0))) co_return;
    for (std::uint64_t i = 0; i < clients; ++i) crew.add(sends_ahead(world, over));
    co_await stand_in(world, Line::one, clients);
    const auto used = co_await metric(world, "ticketgate_input_bytes");
    world.expect(used.value_or(0) > 0, "no input is kept");
    world.expect(used.value_or(0) <= most, "more input is kept than allowed");
    over = true;
    co_await first.finish();
    co_await crew;
    co_await crowd(world, call_of(Line::one, 200), 8, 20);
}

}  // namespace

std::span<const Scenario> crowd_scenarios() {
    static constexpr std::array<Scenario, 5> all{{
        {"id_crowd", Need::config, id_crowd},
        {"admin_crowd", Need::config, admin_crowd},
        {"many_routes", Need::config, many_routes},
        {"full_house", Need::start, full_house},
        {"sent_ahead", Need::start, sent_ahead},
    }};
    return all;
}

}  // namespace loadtest
