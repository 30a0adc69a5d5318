// OpenSSL without memory: each of its allocations fails, alone or with those behind it. The
// connection may fail; the process goes on and leaks nothing.
#include <gtest/gtest.h>
#include <openssl/crypto.h>

#include <array>
#include <cstdlib>
#include <new>

#include "support/no_memory.hpp"
#include "tls_pair.hpp"

namespace ticketgate::net {
namespace {

long until_refused = -1;  // negative: nothing is refused
long refusals = 0;        // one behind the other

bool refused() {
    if (until_refused < 0 || until_refused-- > 0) return false;
    if (--refusals > 0) until_refused = 0;
    return true;
}

void* allocate(std::size_t size, const char*, int) {
    return refused() ? nullptr : std::malloc(size);
}
void* reallocate(void* memory, std::size_t size, const char*, int) {
    return refused() ? nullptr : std::realloc(memory, size);
}
void release(void* memory, const char*, int) {
    std::free(memory);
}

// Must run before OpenSSL's first allocation; afterwards it refuses other functions.
const int replaced = CRYPTO_set_mem_functions(allocate, reallocate, release);

enum class End { whole, failed, no_memory };

// Of a certificate that is good.
void expect_no_verdict(const Stream& end, long refused) {
    EXPECT_EQ(end.fault().find("not trusted"), std::string::npos) << refused << " " << end.fault();
}

End connect(const std::shared_ptr<const TlsServer>& server,
            const std::shared_ptr<TlsClient>& client, long refuse, long times = 1) {
    until_refused = refuse;
    refusals = times;
    try {
        Ends ends(server, client);
        const End end = ends.shake_hands() ? End::whole : End::failed;
        until_refused = -1;
        expect_no_verdict(*ends.client, refuse);
        expect_no_verdict(*ends.server, refuse);
        return end;
    } catch (const std::bad_alloc&) {
        until_refused = -1;
        return End::no_memory;
    }
}

TEST(TlsMemory, AFailedAllocationCostsAtMostOneConnection) {
    ASSERT_EQ(replaced, 1);
    const auto server = usual_server();
    const auto client = usual_client();
    ASSERT_EQ(connect(server, client, -1), End::whole);
    int failed = 0, thrown = 0;
    long piece = 0;
    // The last rounds make fewer allocations than that, so none fails.
    for (int whole = 0; whole < 50 && piece < 20'000; ++piece) {
        const End end = connect(server, client, piece);
        failed += end == End::failed;
        thrown += end == End::no_memory;
        whole = end == End::whole ? whole + 1 : 0;
        if (end != End::whole) {
            ASSERT_EQ(connect(server, client, -1), End::whole) << piece;
        }
    }
    EXPECT_LT(piece, 20'000);
    EXPECT_GT(failed, 0);
    EXPECT_GT(thrown, 0);
}

// OpenSSL tries again at several places: it fails only if each of these has no memory, too.
TEST(TlsMemory, ThatIsShortIsNoVerdictOnACertificate) {
    ASSERT_EQ(replaced, 1);
    const auto server = usual_server();
    const auto client = usual_client();
    for (const long times : {10, 100, 1000}) {
        long whole = 0;
        for (long piece = 0; whole < 50 && piece < 20'000; piece += 7)
            whole = connect(server, client, piece, times) == End::whole ? whole + 1 : 0;
    }
}

// The peer of a backend's connection has not ended it: what a slot waits for.
TEST(TlsMemory, AReadWithoutMemoryIsNoEnd) {
    Ends ends(usual_server(), usual_client());
    ASSERT_TRUE(ends.shake_hands());
    const iovec piece{const_cast<char*>("hello"), 5};
    ASSERT_EQ(ends.server->write_some({&piece, 1}).bytes, 5u);
    std::array<char, 16> bytes;
    IoResult got;
    {
        const NoMemory shortage;
        ends.deliver_one();
        got = ends.client->read_some(bytes);
    }
    EXPECT_EQ(got.status, Io::blocked);
    EXPECT_FALSE(ends.client->broken());
    ends.settle();
    got = ends.client->read_some(bytes);
    EXPECT_EQ(got.status, Io::ok);
    EXPECT_EQ(got.bytes, 5u);
}

}  // namespace
}  // namespace ticketgate::net
