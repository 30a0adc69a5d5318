#include "app/top_command.hpp"

#include <unistd.h>

#include <array>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <optional>

#include "app/exit_codes.hpp"
#include "app/terminal.hpp"
#include "base/error.hpp"
#include "top/ansi.hpp"
#include "top/line_text.hpp"

namespace ticketgate {
namespace {

namespace asio = boost::asio;

constexpr unsigned good = 200;

top::Clock clock_now() {
    const WallTime now = wall_now();
    const std::time_t whole = now.unix_s();
    std::tm local{};
    ::localtime_r(&whole, &local);
    return {static_cast<double>(now.unix_us) / 1e6, local.tm_gmtoff};
}

// Asks the process for everything that a picture needs, one question after the other.
class Watcher {
 public:
    Watcher(asio::io_context& io, const AdminListener& listener, const std::string& queue)
        : browser(queue), io_(io), listener_(listener) {
        around.address = listener.address.address;
    }

    /// `done` is called when the picture is whole, or the process does not answer. While a question
    /// is open, a further call makes it ask once more.
    void look(const std::function<void()>& done) {
        again_ = around.looking;
        if (around.looking) return;
        around.looking = true;
        done_ = done;
        ask("/api/v1/queues", [this](const AdminAnswer& answer) {
            auto queues = top::read_queues(answer.body);
            if (!queues) return end("it told no queues");
            browser.show(*std::move(queues));
            around.spool_trouble = top::read_spool_trouble(answer.body);
            ask_tickets();
        });
    }

    void release(const top::ReleaseOrder& order, const std::function<void()>& done) {
        const AdminQuestion question{release_target(order.queue, order.number, order.request_id),
                                     true, listener_.token};
        ask_later(io_, listener_.address, question, [this, done](const AdminAnswer& answer) {
            const auto& text = answer.error.empty() ? answer.body : answer.error;
            browser.tell(text.substr(0, text.find('\n')));
            done();
        });
    }

    top::Browser browser;
    top::Surroundings around;
    std::optional<AdminAnswer> failed;  // the last question had no answer

 private:
    template <class Next>
    void ask(const std::string& target, Next next) {
        ask_later(io_, listener_.address, {target}, [this, next](const AdminAnswer& answer) {
            failed.reset();
            if (answer.error.empty()) return next(answer);
            failed = answer;
            end(answer.error);
        });
    }
    void ask_tickets() {
        around.now = clock_now();
        if (browser.selected().empty()) return ask_ready();
        ask(queue_target(browser.selected()), [this](const AdminAnswer& answer) {
            around.now = clock_now();
            if (auto tickets = top::read_tickets(answer.body)) browser.show(*std::move(tickets));
            ask_ready();
        });
    }
    void ask_ready() {
        ask("/readyz?verbose", [this](const AdminAnswer& answer) {
            around.ready = answer.status == good;
            around.drain = top::read_drain(answer.body);
            ask_config();
        });
    }
    void ask_config() {
        ask("/api/v1/config", [this](const AdminAnswer& answer) {
            around.config = top::read_config(answer.body);
            ask_workers();
        });
    }
    void ask_workers() {
        ask("/api/v1/workers", [this](const AdminAnswer& answer) {
            around.upstream_troubles = top::read_upstream_troubles(answer.body);
            around.busy_workers = top::read_busy_workers(answer.body);
            ask_cluster();
        });
    }
    // Without a cluster there is no such page.
    void ask_cluster() {
        ask("/api/v1/cluster", [this](const AdminAnswer& answer) {
            around.cluster = answer.status == good ? top::read_cluster(answer.body) : std::nullopt;
            end("");
        });
    }
    void end(const std::string& failure) {
        around.looking = false;
        around.failure = failure;
        if (!failure.empty()) around.now = clock_now();
        const auto done = done_;  // a copy: it may begin the next look
        std::exchange(again_, false) ? look(done) : done();
    }

    asio::io_context& io_;
    const AdminListener& listener_;
    std::function<void()> done_;
    bool again_ = false;
};

// The terminal, its keys and signals, and the time between two pictures.
class Console {
 public:
    Console(asio::io_context& io, Watcher& watcher, const TopOrder& order, bool colours)
        : io_(io),
          watcher_(watcher),
          every_(std::chrono::duration_cast<Duration>(
              std::chrono::duration<double>(order.every_seconds))),
          colours_(colours),
          keys_(io, ::dup(STDIN_FILENO)),
          signals_(io, SIGTERM, SIGINT, SIGHUP),
          timer_(io) {
        for (const int signal : {SIGQUIT, SIGWINCH, SIGTSTP, SIGCONT}) signals_.add(signal);
    }

    int run() {
        terminal_.enter();
        draw();
        hear_keys();
        hear_signals();
        look_later();
        io_.run();
        terminal_.leave();
        if (ended_by_ == 0) return code_;
        std::signal(ended_by_, SIG_DFL);  // the shell sees what ended it
        std::raise(ended_by_);
        return commands::failed;
    }

 private:
    void draw() {
        const auto lines = top::screen(watcher_.browser, watcher_.around, Terminal::size());
        if (!Terminal::write(top::painted(lines, colours_))) end(commands::failed);
    }

    void look() {
        watcher_.look([this] {
            draw();
            look_later();
        });
    }

    void look_later() {
        timer_.expires_after(every_);
        timer_.async_wait([this](const error_code& error) {
            if (error) return;
            watcher_.browser.frozen() ? look_later() : look();
        });
    }

    // Waits and reads by itself: a descriptor that Asio reads is non-blocking, also for the shell.
    void hear_keys() {
        keys_.async_wait(keys_.wait_read, [this](const error_code& error) {
            std::array<char, 256> bytes;
            const auto size = error ? 0 : ::read(STDIN_FILENO, bytes.data(), bytes.size());
            if (size <= 0) return end(commands::failed);  // the terminal is gone
            for (const auto& key : top::keys_in({bytes.data(), static_cast<std::size_t>(size)}))
                do_as_told(watcher_.browser.press(key));
            hear_keys();
        });
    }

    void do_as_told(top::Wish wish) {
        switch (wish) {
            case top::Wish::nothing:
                return;
            case top::Wish::draw:
                return draw();
            case top::Wish::refresh:
                draw();
                return look();
            case top::Wish::release:
                return release();
            case top::Wish::suspend:
                return suspend();
            case top::Wish::quit:
                return end(commands::ok);
        }
    }

    void release() {
        const auto order = watcher_.browser.take_order();
        draw();
        if (order) watcher_.release(*order, [this] { look(); });
    }

    void hear_signals() {
        signals_.async_wait([this](const error_code& error, int signal) {
            if (error) return;
            if (signal == SIGWINCH) draw();
            if (signal == SIGTSTP) suspend();
            if (signal == SIGCONT) resume();
            if (signal == SIGTERM || signal == SIGINT || signal == SIGHUP || signal == SIGQUIT) {
                ended_by_ = signal;
                return end(commands::failed);
            }
            hear_signals();
        });
    }

    void suspend() {
        terminal_.leave();
        std::raise(SIGSTOP);  // goes on here after `fg`
        resume();
    }

    void resume() {
        terminal_.enter();
        draw();
    }

    void end(int code) {
        code_ = code;
        io_.stop();
    }

    asio::io_context& io_;
    Watcher& watcher_;
    const Duration every_;
    const bool colours_;
    Terminal terminal_;
    asio::posix::stream_descriptor keys_;
    asio::signal_set signals_;
    asio::steady_timer timer_;
    int code_ = commands::ok, ended_by_ = 0;
};

bool knows(const top::Browser& browser, const std::string& queue) {
    return queue.empty() || browser.selected() == queue;
}

}  // namespace

int run_top(const Whom& whom, const TopOrder& order, const config::Environment& environment) {
    int code = commands::failed;
    const auto listener = find_listener(whom, environment, code);
    if (!listener) return code;
    asio::io_context io;
    Watcher watcher(io, *listener, order.queue);
    watcher.around.whom = options_for(whom);
    watcher.look([] {});
    io.run();
    io.restart();
    if (watcher.failed) {
        tell_no_answer(*listener, *watcher.failed);
        return commands::failed;
    }
    if (!knows(watcher.browser, order.queue)) {
        std::fprintf(stderr, "ticketgate: no queue has the name %s\n", order.queue.c_str());
        return commands::failed;
    }
    if (!Terminal::usable(environment("TERM").value_or(""))) {
        const auto lines = top::screen(watcher.browser, watcher.around, top::unlimited);
        std::fputs(top::plain(lines).c_str(), stdout);
        return commands::ok;
    }
    watcher.around.every = top::duration_text(order.every_seconds);
    const bool colours = environment("NO_COLOR").value_or("").empty();
    return Console(io, watcher, order, colours).run();
}

}  // namespace ticketgate
