#pragma once
// The client's end of TLS over a socket of net_lite.hpp: the same two calls, one layer up. Trusts
// any certificate, because the proxy is the load tools' own.

#include <openssl/types.h>

#include <memory>
#include <span>
#include <string_view>

#include "net_lite.hpp"

namespace loadtest {

class TlsLite {
 public:
    // The socket stays the caller's, and must stay as long as this.
    explicit TlsLite(const Fd& fd);

    // done: both sides are ready; again: wait for the socket; closed: the handshake failed.
    IoResult shake_hands();
    IoResult receive(std::span<char> into);
    IoResult transmit(std::string_view bytes);
    // close_notify: nothing more comes from here. The socket stays open.
    void say_goodbye();

 private:
    IoResult result(int returned, std::size_t size) const;
    struct Free {
        void operator()(SSL* ssl) const;
    };
    std::unique_ptr<SSL, Free> ssl_;
};

}  // namespace loadtest
