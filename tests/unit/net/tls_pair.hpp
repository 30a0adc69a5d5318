// A TLS client and server over a pipe in memory with adjustable step and capacity, so that every
// TLS message can be cut at every place.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "net/loop.hpp"
#include "net/tls_client.hpp"
#include "net/tls_server.hpp"
#include "support/certificates.hpp"

namespace ticketgate::net {

struct Pipe {
    std::size_t step = 1 << 20;      ///< most bytes a call moves
    std::size_t capacity = 1 << 20;  ///< of each direction
    int writes = 0;                  ///< calls that took something
};

/// One end of a pipe; edge-triggered like a socket: only deliver() reports events.
class MemoryStream final : public Stream {
 public:
    explicit MemoryStream(Pipe& pipe) : pipe_(pipe) {}
    ~MemoryStream() override {
        if (other_ == nullptr) return;
        other_->end(false);
        other_->other_ = nullptr;
    }
    void join(MemoryStream& other) {
        other_ = &other;
        other.other_ = this;
    }

    IoResult read_some(std::span<char> into) override {
        if (!readable_) return {Io::blocked, 0, 0};
        const std::size_t n = std::min({into.size(), pipe_.step, unread()});
        if (n == 0 && reset_) return {Io::failed, 0, ECONNRESET};
        if (n == 0 && ended_) return {Io::ended, 0, 0};
        if (n < std::min(into.size(), pipe_.step) && !fin_) readable_ = false;
        if (n == 0) return {Io::blocked, 0, 0};
        std::copy_n(arrived_.data() + read_, n, into.data());
        read_ += n;
        if (unread() == 0) arrived_.clear(), read_ = 0;
        if (other_ != nullptr && std::exchange(other_->full_, false)) other_->event_ = true;
        return {Io::ok, n, 0};
    }

    IoResult write_some(std::span<const iovec> pieces) override {
        if (!writable_) return {Io::blocked, 0, 0};
        if (other_ == nullptr || reset_) return {Io::failed, 0, EPIPE};
        std::size_t size = 0;
        for (const iovec& piece : pieces) size += piece.iov_len;
        const std::size_t held = other_->unread();
        const std::size_t room = pipe_.capacity > held ? pipe_.capacity - held : 0;
        const std::size_t n = std::min({size, pipe_.step, room});
        if (n == room && n < size) {
            writable_ = false;
            full_ = true;
        }
        if (n == 0) return {Io::blocked, 0, 0};
        ++pipe_.writes;
        std::size_t left = n;
        for (const iovec& piece : pieces) {
            const std::size_t part = std::min(left, piece.iov_len);
            other_->arrived_.append(static_cast<const char*>(piece.iov_base), part);
            left -= part;
        }
        other_->event_ = true;
        return {Io::ok, n, 0};
    }

    void look() override {
        if (unread() != 0) readable_ = true;
        if (ended_) fin_ = readable_ = true;
    }
    void finish_writing() override {
        finished = true;
        if (other_ != nullptr) other_->end(false);
    }
    void abort_on_close() override { aborted = true; }
    void read_later() override {
        readable_ = false;
        event_ = true;
    }
    void detach() override { ++detached; }
    void attach(Loop&) override { ++attached; }

    void end(bool reset) {
        ended_ = event_ = true;
        reset_ = reset_ || reset;
    }
    /// Reports that there is room again; call it after raising `capacity`.
    void make_room() {
        if (std::exchange(full_, false)) event_ = true;
    }
    /// Delivers the pending event; returns false if there is none.
    bool deliver() {
        if (!std::exchange(event_, false)) return false;
        if (unread() != 0) readable_ = true;
        if (ended_) fin_ = readable_ = true;
        if (reset_) broken_ = true;
        if (!full_) writable_ = true;
        if (observer_ != nullptr) observer_->notify();
        return true;
    }
    std::size_t unread() const { return arrived_.size() - read_; }

    bool finished = false, aborted = false;
    int detached = 0, attached = 0;

 private:
    Pipe& pipe_;
    MemoryStream* other_ = nullptr;
    std::string arrived_;
    std::size_t read_ = 0;  // of its bytes
    bool ended_ = false, reset_ = false, full_ = false, event_ = false;
};

struct Ends {
    explicit Ends(std::shared_ptr<const TlsServer> s, std::shared_ptr<TlsClient> c, Pipe p = {},
                  unsigned index = 0)
        : pipe(p), loop(index) {
        auto near = std::make_unique<MemoryStream>(pipe);
        auto far = std::make_unique<MemoryStream>(pipe);
        near->join(*far);
        below_server = near.get();
        below_client = far.get();
        server = secure(std::move(s), std::move(near));
        client = secure(std::move(c), loop, std::move(far));
    }

    bool shake_hands() {
        for (int i = 0; i < 100'000; ++i) {
            char none = 0;
            state = client->connected();
            if (state.status == Io::ok && server->secured() != nullptr) break;
            server_state = server->read_some({&none, 0});
            if (state.status == Io::failed || server_state.status == Io::failed) break;
            deliver_one();
        }
        settle();  // delivers the session tickets, which follow the handshake
        return state.status == Io::ok && server->secured() != nullptr;
    }
    bool deliver_one() {
        const bool near = server && below_server->deliver();
        return (client && below_client->deliver()) || near;
    }
    /// Delivers events until none is pending.
    void settle() {
        while (deliver_one()) {
        }
    }

    Pipe pipe;
    Loop loop;
    MemoryStream* below_server;
    MemoryStream* below_client;
    std::unique_ptr<Stream> server, client;
    IoResult state, server_state;
};

/// Keys for the whole test binary, because making them is slow.
struct Keys {
    test::Authority authority;
    test::KeyFiles localhost = authority.issue("localhost");
    static const Keys& get() {
        static const Keys keys;
        return keys;
    }
};

inline TlsServerSettings serving(const test::KeyFiles& files) {
    TlsServerSettings settings;
    settings.certificates.push_back({files.certificate, files.key});
    return settings;
}
inline std::shared_ptr<const TlsServer> server_with(const TlsServerSettings& settings) {
    return std::make_shared<const TlsServer>(settings);
}
inline std::shared_ptr<const TlsServer> usual_server() {
    return server_with(serving(Keys::get().localhost));
}

inline TlsClientSettings trusting(const std::string& ca, const std::string& name = "localhost") {
    TlsClientSettings settings;
    settings.ca_file = ca;
    settings.server_name = name;
    return settings;
}
inline std::shared_ptr<TlsClient> client_with(const TlsClientSettings& settings) {
    return std::make_shared<TlsClient>(settings, 1);
}
inline std::shared_ptr<TlsClient> usual_client() {
    return client_with(trusting(Keys::get().authority.file()));
}

inline IoResult write(Stream& stream, std::string_view bytes) {
    const iovec piece{const_cast<char*>(bytes.data()), bytes.size()};
    return stream.write_some({&piece, 1});
}

/// Reads what is there now.
inline std::string read_all(Stream& stream, IoResult* last = nullptr, std::size_t room = 1 << 16) {
    std::string all, bytes(room, 0);
    for (;;) {
        const IoResult got = stream.read_some(bytes);
        if (last != nullptr) *last = got;
        if (got.status != Io::ok) return all;
        all.append(bytes, 0, got.bytes);
    }
}

inline std::string sample(std::size_t size) {
    std::string out(size, 0);
    for (std::size_t i = 0; i < size; ++i) out[i] = static_cast<char>(i * 7 + i / 251);
    return out;
}

}  // namespace ticketgate::net
