#pragma once
// One connection to the proxy, as a coroutine uses it: connect, send, wait, leave.

#include <deque>
#include <optional>
#include <span>
#include <string>

#include "../http_lite.hpp"
#include "../tls_lite.hpp"
#include "loop.hpp"
#include "record.hpp"
#include "world.hpp"

namespace loadtest {

// Another way in than the proxy's own address, as through a proxy in front of it.
struct Door {
    Endpoint at;
    std::string header;  // sent first on each connection
};

// Over TLS `fin` says close_notify first, and `half` says it without a FIN.
enum class Way { fin, rst, half };

class Client {
 public:
    explicit Client(World& world, const Endpoint* from = nullptr, const Door* door = nullptr)
        : world_{world}, socket_{world.loop}, from_{from}, door_{door} {}

    // False: nothing listens. A small receive buffer makes an unread answer push back early.
    Task<bool> connect(int receive_buffer = 0);
    bool connected() const { return socket_.fd().open(); }

    // One request and its answer; connects when needed. True: answered.
    Task<bool> exchange(const Call& call);

    // Sends the request; its number is its place in the order of sending.
    Task<bool> send(const Call& call);
    // The head and the first `sent` bytes of the body only.
    Task<bool> begin_upload(const Call& call, std::uint64_t sent);
    Task<bool> send_text(std::string_view text);
    Task<bool> send_filler(std::uint64_t bytes);
    // Records that the upload is complete.
    void finish_upload();

    // Reads the answer to the oldest unanswered request. False: it is missing or incomplete.
    Task<bool> answer() { return answer(world_.patience()); }
    Task<bool> answer(Micros deadline);
    // Asks for a tunnel. Returns false if it was refused in any way.
    Task<bool> open_tunnel(const Call& call);
    // Sends so many bytes into it and reads them back.
    Task<bool> echo(std::size_t bytes);
    void close();
    // Reads at most so much of what comes, once.
    Task<std::uint64_t> read_some(std::uint64_t most);

    // Marks unanswered requests as left by their client; a half-closed client may still read.
    void leave(Way way);
    std::uint64_t last_seq() const { return pending_.empty() ? 0 : pending_.back(); }
    int last_status() const { return status_; }

 private:
    Task<bool> shake_hands();
    void go(Way way);
    IoResult receive(std::span<char> into);
    IoResult transmit(std::string_view text);
    Task<bool> read_more(Micros deadline);
    bool have_head();
    Task<bool> take_body(Micros deadline);
    std::string text(const Call& call, std::uint64_t seq) const;
    void judge_answer();
    void end(Fate fate);

    World& world_;
    Socket socket_;
    const Endpoint* from_;  // null: any address of its own
    const Door* door_;      // null: the proxy's own address
    std::optional<TlsLite> tls_;
    std::deque<std::uint64_t> pending_;
    std::string in_;
    ResponseHead head_;
    Body body_;
    int status_ = 0;
    std::uint64_t sent_last_ = 0;
    bool fresh_ = true;   // nothing was sent yet
    bool ended_ = false;  // the proxy sends no more
};

}  // namespace loadtest
