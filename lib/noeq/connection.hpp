// One client of the id service: requests in, ids out, until either side ends it. Owned by its own
// coroutine; on the service's loop only.
#pragma once

#include <array>
#include <memory>
#include <string>

#include "ids/noeq.hpp"
#include "net/stream.hpp"
#include "noeq/server.hpp"
#include "task/task.hpp"

namespace ticketgate::noeq {

class Connection final : public Guest {
 public:
    Connection(Server& server, int descriptor, std::string peer);
    ~Connection();

    /// Serves the client to the end of its connection.
    static Detached serve(std::unique_ptr<Connection> self);
    void look_up() override { signal_.notify(); }

 private:
    /// Whether the connection continues behind the requests that were read.
    enum class After : std::uint8_t {
        goes_on,
        sent,  ///< it ends when the ids that were made are sent
        over   ///< it ends now
    };
    task<void> run();
    task<After> answer(std::string_view input);
    task<After> make_late(std::uint8_t count);
    task<bool> flush_slowly();
    net::Io push();
    void made(std::uint8_t count);
    task<bool> wait();
    task<void> let_others();
    After refuse(ids::NoeqDecoder::Step step);

    Server& server_;
    net::SocketStream stream_;
    Signal signal_;
    Deadline deadline_;
    ids::NoeqDecoder decoder_;
    const std::string peer_;
    std::array<char, 256> in_;
    std::string out_;
    std::size_t sent_ = 0;      // of out_
    std::size_t in_a_row_ = 0;  // bytes given since other clients had a turn
};

}  // namespace ticketgate::noeq
