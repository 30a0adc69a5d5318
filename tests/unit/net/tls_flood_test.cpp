// Records that hold no data for the reader and cost it more than the peer (RFC 8446 4.6.3).
#include <openssl/ssl.h>

#include "net/tls_stream.hpp"
#include "tls_pair.hpp"

namespace ticketgate::net {
namespace {

struct FreeRules {
    void operator()(SSL_CTX* rules) const { SSL_CTX_free(rules); }
};

// A server of ours, and a client whose OpenSSL the test has.
class TlsFlood : public testing::Test {
 protected:
    TlsFlood() {
        auto near = std::make_unique<MemoryStream>(pipe_);
        auto far = std::make_unique<MemoryStream>(pipe_);
        near->join(*far);
        below_server_ = near.get();
        below_client_ = far.get();
        server_ = secure(usual_server(), std::move(near));
        auto ssl = new_ssl(*rules_);
        ssl_ = ssl.get();
        SSL_set_connect_state(ssl_);
        client_ = std::make_unique<TlsStream>(std::move(far), std::move(ssl),
                                              TlsStream::Role::client, nullptr);
        for (int i = 0; i < 100 && server_->secured() == nullptr; ++i) {
            char none = 0;
            (void)client_->connected();
            (void)server_->read_some({&none, 0});
            settle();
        }
    }
    void settle() {
        while (below_server_->deliver() || below_client_->deliver()) {
        }
    }
    void update_key() {
        ASSERT_EQ(SSL_key_update(ssl_, SSL_KEY_UPDATE_NOT_REQUESTED), 1);
        ASSERT_EQ(SSL_do_handshake(ssl_), 1);
        (void)write(*client_, {});
        settle();
        (void)read_all(*client_);
    }
    void say(const std::string& bytes) {
        ASSERT_EQ(write(*client_, bytes).bytes, bytes.size());
        settle();
        ASSERT_EQ(read_all(*server_), bytes);
    }

    Pipe pipe_;
    std::unique_ptr<SSL_CTX, FreeRules> rules_{SSL_CTX_new(TLS_client_method())};
    SSL* ssl_ = nullptr;
    MemoryStream *below_server_ = nullptr, *below_client_ = nullptr;
    std::unique_ptr<Stream> server_, client_;
};

TEST_F(TlsFlood, OfKeyUpdatesEndsTheConnection) {
    ASSERT_NE(server_->secured(), nullptr);
    std::uint32_t updates = 0;
    while (updates < 1000 && !server_->broken()) {
        update_key();
        ++updates;
    }
    EXPECT_EQ(updates, TlsWire::most_spare + 1);
    EXPECT_EQ(server_->fault(), "too many TLS records without data");
}

// A peer may change its keys as it likes when it sends something, too.
TEST_F(TlsFlood, AreNotTheKeyUpdatesOfALongConnection) {
    for (int i = 0; i < 300; ++i) {
        for (int n = 0; n < 3; ++n) update_key();
        say(std::string(16'000, 'd'));
        EXPECT_FALSE(server_->broken()) << i;
    }
}

TEST_F(TlsFlood, BetweenSingleBytesEndsTheConnectionToo) {
    int rounds = 0;
    for (; rounds < 1000 && !server_->broken(); ++rounds) {
        update_key();
        (void)write(*client_, "x");
        settle();
        (void)read_all(*server_);
    }
    EXPECT_LE(rounds, 40);
}

TEST_F(TlsFlood, AreNotSmallRecordsOfData) {
    for (int i = 0; i < 1000; ++i) say("x");
    EXPECT_FALSE(server_->broken());
}

}  // namespace
}  // namespace ticketgate::net
