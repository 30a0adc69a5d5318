#include "app/predecessor.hpp"

#include <fcntl.h>
#include <sys/socket.h>

#include <cstdlib>
#include <stdexcept>
#include <utility>

#include "app/new_process.hpp"

namespace ticketgate {
namespace {

using upgrade::Kind;

// The old process answers at once, unless its control thread waits for a disk.
constexpr Duration patience = 30s;
constexpr std::uint64_t side_fact = 1, systemd_fact = 2;
constexpr int time_shift = 8;  // the bits above are a Unix time; a process of before sends none

Packet expect(std::optional<Packet> packet) {
    if (!packet)
        throw std::runtime_error(
            "the old process does not hand over; if it has ended, start ticketgate again");
    return *std::move(packet);
}

Descriptor take_link(const std::string& number) {
    Descriptor link(std::atoi(number.c_str()));
    int type = 0;
    socklen_t size = sizeof(type);
    if (::getsockopt(link.get(), SOL_SOCKET, SO_TYPE, &type, &size) != 0 || type != SOCK_SEQPACKET)
        throw std::runtime_error(std::string(link_variable) +
                                 " is set by `ticketgate upgrade` "
                                 "only; remove it from the environment");
    (void)::fcntl(link.get(), F_SETFD, FD_CLOEXEC);
    return link;
}

// True: these were all.
bool take_offer(Packet packet, Inheritance& into) {
    const upgrade::Message& message = packet.message;
    if (message.kind == Kind::hello && message.number != upgrade::protocol)
        throw std::runtime_error(
            "the old process is of a version that this one cannot take over from; restart it");
    if (message.kind == Kind::socket) into.sockets.add(std::move(packet.descriptor));
    if (message.kind != Kind::offered) return false;
    into.side = (message.number & side_fact) != 0 ? 1 : 0;
    into.sockets.of_systemd = (message.number & systemd_fact) != 0;
    into.line_started_s = static_cast<std::int64_t>(message.number >> time_shift);
    return true;
}

// Returns the pid of the process that made the link; 0: unknown.
pid_t maker_of(const Descriptor& link) {
    ucred maker{};
    socklen_t size = sizeof maker;
    return ::getsockopt(link.get(), SOL_SOCKET, SO_PEERCRED, &maker, &size) == 0 ? maker.pid : 0;
}

}  // namespace

std::uint64_t inherited_facts(const InheritedFacts& facts) {
    return (facts.side != 0 ? side_fact : 0) | (facts.of_systemd ? systemd_fact : 0) |
           static_cast<std::uint64_t>(facts.line_started_s) << time_shift;
}

void tell_problem(const Descriptor& link, const std::string& text) {
    (void)send_packet(link.get(), {Kind::problem, 0, text});
}

Inheritance inherit(const config::Environment& environment) {
    (void)program();
    Inheritance all{take_systemd_sockets(environment)};
    const auto number = environment(link_variable);
    if (!number) return all;
    all.link = take_link(*number);
    ::unsetenv(link_variable);
    while (!take_offer(expect(await_packet(all.link.get(), patience)), all)) continue;
    return all;
}

Predecessor::Predecessor(Control& control, Log& log, GateRegistry& gates, Descriptor link,
                         std::int64_t line_started_s, Steps steps)
    : log_(log),
      steps_(std::move(steps)),
      pid_(maker_of(link)),
      link_(std::make_shared<UpgradeLink>(
          control.io(), std::move(link), [this](Packet packet) { heard(std::move(packet)); },
          [this] { ended(); })),
      shared_(control, gates, upgrade::Side::new_process,
              {.put = [this](const upgrade::Message& message) { put(message); },
               .flush = [this] { link_->flush(); }}),
      line_started_s_(line_started_s) {}

// A backend's only worker may be kept busy by an idle connection of this process. The request that
// used it last has given it back before its slot.
void Predecessor::put(const upgrade::Message& message) {
    if (message.kind == Kind::give) steps_.gives_queue();
    link_->put(message);
}

// The queues of the old process and their pauses come before `yours`: no gate of them grants too
// early, and what an operator says later comes later.
void Predecessor::take_over() {
    if (!link_->send_now({Kind::ready}))
        throw std::runtime_error("the old process has ended; start a new one instead");
    for (;;) {
        Packet packet = expect(link_->await(patience));
        const Kind kind = packet.message.kind;
        if (kind == Kind::yours) break;
        if (kind == Kind::queue) shared_.add(packet.message.text);
        if (kind == Kind::pause) heard(std::move(packet));
    }
    link_->start();
    shared_.start();
    log_.info("upgrade: this process accepts; the old one finishes its line");
}

void Predecessor::heard(Packet packet) {
    const upgrade::Message& message = packet.message;
    if (message.kind == Kind::guest) return steps_.guest(std::move(packet));
    if (message.kind == Kind::give || message.kind == Kind::ask) return shared_.heard(message);
    if (message.kind == Kind::ids) return begin_ids();
    if (message.kind == Kind::finished) note_finished(message);
    if (message.kind == Kind::lost) steps_.losses(message);
    if (message.kind == Kind::oldest) note_oldest(oldest_, message);
    if (message.kind == Kind::pause) steps_.pause(message.text, upgrade::time_of(message));
}

void Predecessor::note_finished(const upgrade::Message& message) {
    finished_ = true;
    left_nothing_ = message.number == static_cast<std::uint64_t>(upgrade::Left::nothing);
}

void Predecessor::begin_ids() {
    if (!has_ids_) steps_.begin_ids();
    has_ids_ = true;
}

// What it had not given up was cut, or it was killed: as after a restart, this process cannot know
// what the backend still runs. Where memory is short, this is called again: it lives until all is
// done.
void Predecessor::ended() {
    const auto& taken = shared_.alone();
    begin_ids();
    steps_.ended(left_nothing_);
    lives_ = false;
    if (finished_) return log_.info("upgrade: the old process has finished its line");
    if (taken.empty())
        return log_.warn("upgrade: the old process was ended; no request of a queue ran in it");
    line_started_s_ = wall_now().unix_s();
    log_.error(
        "upgrade: the old process ended with requests in its line; the backend may still run them",
        {{"queues", taken.size()}, {"first", taken.front()}});
}

void Predecessor::tell_pause(const std::string& queue, Time until) {
    if (lives_) link_->send(upgrade::at_time(Kind::pause, queue, until));
}

void Predecessor::go_on() {
    if (!lives_) return;
    link_->go_on();
    shared_.go_on();
}

void Predecessor::tell_end(upgrade::Left left) {
    if (!lives_) return;
    if (left == upgrade::Left::requests) return shared_.stop();
    link_->send({Kind::finished, static_cast<std::uint64_t>(left)});
}

void Predecessor::tell_drain() {
    if (lives_) link_->send({Kind::drain});
}

}  // namespace ticketgate
