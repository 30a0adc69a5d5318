// What a client announces before anything is known of it.
#include "net/tls_hello.hpp"

#include <openssl/ssl.h>

#include "net/tls_stream.hpp"
#include "tls_pair.hpp"

namespace ticketgate::net {
namespace {

constexpr std::size_t most_that_openssl_takes = 131'396;

std::string record(std::string_view fragment, char type = 22) {
    const char size[] = {static_cast<char>(fragment.size() >> 8U),
                         static_cast<char>(fragment.size())};
    return std::string(1, type) + "\x03\x01" + std::string(size, 2) + std::string(fragment);
}

// The header of a ClientHello of this size, header and all.
std::string hello_header(std::size_t whole) {
    const std::size_t size = whole - 4;
    return {1, static_cast<char>(size >> 16U), static_cast<char>(size >> 8U),
            static_cast<char>(size)};
}

std::string hello(std::size_t whole) {
    return hello_header(whole) + std::string(whole - 4, 'x');
}

TEST(HelloGuard, TakesAHelloUpToItsBound) {
    EXPECT_TRUE(HelloGuard().takes(record(hello_header(HelloGuard::most) + "begin")));
    EXPECT_FALSE(HelloGuard().takes(record(hello_header(HelloGuard::most + 1) + "begin")));
    EXPECT_FALSE(HelloGuard().takes(record(hello_header(most_that_openssl_takes))));
}

TEST(HelloGuard, FindsTheSizeWhereverRecordsCutIt) {
    const std::string first = hello(1000), second = hello_header(most_that_openssl_takes);
    const std::string both = first + second;
    for (std::size_t step = 1; step <= both.size(); ++step) {
        HelloGuard guard;
        std::size_t at = 0;
        while (at < both.size() && guard.takes(record(std::string_view(both).substr(at, step))))
            at += step;
        ASSERT_LT(at, both.size()) << "in records of " << step;
        ASSERT_GE(at + step, both.size()) << "the first one fits; in records of " << step;
    }
}

TEST(HelloGuard, LooksAtHandshakesOnly) {
    HelloGuard guard;
    const std::string other = hello_header(most_that_openssl_takes);
    EXPECT_TRUE(guard.takes(record(other, 20)));
    EXPECT_TRUE(guard.takes(record(other, 21)));
    EXPECT_TRUE(guard.takes(record(other, 23)));
    EXPECT_TRUE(HelloGuard().takes(record("\x02\xff\xff\xff"))) << "OpenSSL refuses it";
    EXPECT_TRUE(guard.takes("GET / HTTP/1.1\r\n\r\n"));
    EXPECT_TRUE(guard.takes(record("")));
    EXPECT_TRUE(guard.takes("\x16\x03"));
    EXPECT_FALSE(guard.takes(record(other)));
}

struct FreeRules {
    void operator()(SSL_CTX* rules) const { SSL_CTX_free(rules); }
};

// A server of ours, and a client whose OpenSSL the test has; it may also speak raw bytes.
struct Guest {
    explicit Guest(int version, const char* groups) {
        SSL_CTX_set_min_proto_version(rules.get(), version);
        SSL_CTX_set_max_proto_version(rules.get(), version);
        EXPECT_EQ(SSL_CTX_set1_groups_list(rules.get(), groups), 1);
        auto near = std::make_unique<MemoryStream>(pipe);
        auto far = std::make_unique<MemoryStream>(pipe);
        near->join(*far);
        below_server = near.get();
        below_client = far.get();
        server = secure(usual_server(), std::move(near));
        auto ssl = new_ssl(*rules);
        SSL_set_connect_state(ssl.get());
        client = std::make_unique<TlsStream>(std::move(far), std::move(ssl),
                                             TlsStream::Role::client, nullptr);
    }
    IoResult serve() {
        below_server->deliver();
        char none = 0;
        return server->read_some({&none, 0});
    }
    bool shakes_hands() {
        for (int i = 0; i < 100'000; ++i) {
            const bool done = client->connected().status == Io::ok;
            if (done && server->secured() != nullptr) return true;
            if (serve().status == Io::failed) return false;
            below_client->deliver();
        }
        return false;
    }

    std::unique_ptr<SSL_CTX, FreeRules> rules{SSL_CTX_new(TLS_client_method())};
    Pipe pipe;
    MemoryStream *below_server = nullptr, *below_client = nullptr;
    std::unique_ptr<Stream> server, client;
};

const std::string illegal_parameter = record("\x02\x2f", 21).replace(2, 1, "\x03");

// A group that this server does not have goes first: it answers with a HelloRetryRequest.
constexpr const char* second_hello = "X448:P-256";

TEST(TlsHello, AClientMayHaveToSayItTwice) {
    for (const std::size_t step : {std::size_t{1} << 20U, std::size_t{1}, std::size_t{3}}) {
        Guest guest(TLS1_3_VERSION, second_hello);
        guest.pipe.step = step;
        EXPECT_TRUE(guest.shakes_hands()) << "in steps of " << step << guest.server->fault();
    }
}

TEST(TlsHello, OfTls12IsFollowedByEncryptedMessages) {
    Guest guest(TLS1_2_VERSION, "X25519:P-256");
    EXPECT_TRUE(guest.shakes_hands()) << guest.server->fault();
}

TEST(TlsHello, ThatIsTooLongIsRefusedAtItsFirstBytes) {
    Guest guest(TLS1_3_VERSION, "X25519");
    write(*guest.below_client, record(hello_header(most_that_openssl_takes) + "begin"));
    EXPECT_EQ(guest.serve().status, Io::failed);
    EXPECT_EQ(guest.server->fault(), "a ClientHello of more than 16 KiB");
    EXPECT_TRUE(guest.server->broken());
    guest.below_client->deliver();
    EXPECT_EQ(read_all(*guest.below_client), illegal_parameter);
    EXPECT_EQ(guest.serve().status, Io::failed) << "and stays so";
}

TEST(TlsHello, ThatIsTooLongTheSecondTimeIsRefusedToo) {
    Guest guest(TLS1_3_VERSION, second_hello);
    EXPECT_EQ(guest.client->connected().status, Io::blocked);
    EXPECT_EQ(guest.serve().status, Io::blocked) << "it asks for another";
    const std::string dummy = record("\x01", 20);  // RFC 8446 D.4
    write(*guest.below_client, dummy + record(hello_header(most_that_openssl_takes) + "begin"));
    EXPECT_EQ(guest.serve().status, Io::failed);
    EXPECT_EQ(guest.server->fault(), "a ClientHello of more than 16 KiB");
    guest.below_client->deliver();
    EXPECT_TRUE(read_all(*guest.below_client).ends_with(illegal_parameter));
}

TEST(TlsHello, OfTheLargestSizeThatIsTakenWaitsForItsRest) {
    Guest guest(TLS1_3_VERSION, "X25519");
    write(*guest.below_client, record(hello_header(HelloGuard::most) + "begin"));
    EXPECT_EQ(guest.serve().status, Io::blocked);
    EXPECT_EQ(guest.server->fault(), "the handshake has not ended");
}

}  // namespace
}  // namespace ticketgate::net
