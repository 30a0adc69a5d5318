#pragma once
// One connection of the backend: reads a request whole, works for its service time, answers,
// then takes the next. Like PHP it finishes what it began even if the connection goes away, so
// the object outlives its socket until the run has ended. It speaks HTTP or FastCGI; inside, both
// are HTTP.

#include <cstdint>
#include <string>

#include "fault.hpp"
#include "fcgi_lite.hpp"
#include "http_lite.hpp"
#include "journal.hpp"
#include "net_lite.hpp"

namespace loadtest {

// The actions on the whole backend that the control pages request.
class Outage {
 public:
    virtual ~Outage() = default;
    // Closes the listener for this time; with `drop` also every connection, as in a restart.
    virtual void refuse(Micros for_us, bool drop) = 0;
    // The table of workers, as in php-fpm's status.
    virtual std::string workers() const = 0;
    // Ends the work of a held request (`hold=1`). Returns false if that number is not held.
    virtual bool let_go(std::uint64_t seq) = 0;
    // The X-Request-Id of a held request; empty if that number is not held.
    virtual std::string id_of(std::uint64_t seq) = 0;
};

enum class Speech {
    http,
    fastcgi,
    process  // FastCGI from one worker, whose end is the end of what it runs
};

struct Service {
    Micros work_us = 0;
    std::uint64_t answer_size = 1024;
};

class Connection {
 public:
    // All of these outlive every connection.
    Connection(Fd fd, const Service& service, Journal& journal, Alarms& alarms, Poller& poller,
               Outage& outage, Speech speech);

    void on_events(std::uint32_t events);
    void on_alarm();
    // Tells whether its run waits for let_go().
    bool holds(std::uint64_t seq) const { return held_ && head_.seq == seq; }
    void let_go();
    std::string request_id() const { return std::string{head_.request_id}; }
    // The backend's process ends, and every run with it.
    void abort();
    // Finished: no run, and no socket or nothing more to read from it.
    bool finished() const { return finished_; }
    // The entry for its run in php-fpm's table; empty if there is none.
    std::string worker(Micros now) const;

 private:
    enum class State { reading, body, running, writing, late, tunnel, aborted };

    void read();
    void advance();
    bool read_head();
    bool read_body();
    void begin();
    void answer();
    void answer_head(int status, std::uint64_t size, bool chunked);
    bool break_off();
    void fail(std::string_view last_words);
    void answer_own_page();
    void answer_text(std::string_view type, const std::string& text);
    void send_answer();
    void write();
    void take_rest();
    void written(bool client_gone);
    bool work_on();
    bool may_work_on() const;
    void end_run(bool client_gone);
    bool begin_tunnel();
    void echo();
    void end_tunnel();
    void lose_peer();
    void close();
    void watch(std::uint32_t events);
    bool own_page() const;
    bool stays_open() const;

    Fd fd_;
    const Service& service_;
    Journal& journal_;
    Alarms& alarms_;
    Poller& poller_;
    Outage& outage_;
    const bool fastcgi_;
    const bool process_;
    FcgiInput fcgi_in_;
    State state_ = State::reading;
    bool finished_ = false;
    bool peer_closed_ = false;  // sends no more; the answer may still be wanted
    std::string in_;
    std::size_t in_used_ = 0;
    Micros first_bytes_us_ = 0;
    std::uint32_t watched_ = EPOLLIN;

    // The request being served.
    std::uint64_t run_ = 0;
    Micros started_us_ = 0;
    std::string head_text_;
    RequestHead head_;  // points into head_text_
    Body body_;
    Fault fault_ = Fault::none;
    bool drops_next_ = false;
    bool tunnel_held_ = false;  // the run lasts as long as the tunnel
    bool held_ = false;         // the run lasts until let_go()

    // The answer being written: its text, then `filler_left_` bytes of filler.
    std::string out_;
    std::size_t out_sent_ = 0;
    std::uint64_t filler_left_ = 0;
    std::string kept_back_;  // sent once the request is complete
    Micros writing_us_ = 0;  // when the last write began
};

}  // namespace loadtest
