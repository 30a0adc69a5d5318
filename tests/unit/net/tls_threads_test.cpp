// The TLS settings of one listener and one backend, shared by the loops of several threads: each
// thread has its own connections and resumes its own sessions.
#include <thread>
#include <vector>

#include "tls_pair.hpp"

namespace ticketgate::net {
namespace {

// Runs on one loop: makes connections one after the other through the shared settings.
int resumed_by(unsigned loop, const std::shared_ptr<const TlsServer>& server,
               const std::shared_ptr<TlsClient>& client, int connections) {
    int resumed = 0;
    for (int i = 0; i < connections; ++i) {
        Ends ends(server, client, {}, loop);
        if (!ends.shake_hands()) return -1;
        const std::string bytes = sample(40'000);
        if (write(*ends.client, bytes).bytes != bytes.size()) return -1;
        ends.settle();
        if (read_all(*ends.server) != bytes) return -1;
        resumed += ends.client->secured()->resumed ? 1 : 0;
    }
    return resumed;
}

TEST(TlsThreads, ShareAServerAndAClient) {
    constexpr unsigned loops = 3;
    constexpr int connections = 20;
    const auto server = usual_server();
    const auto client = std::make_shared<TlsClient>(trusting(Keys::get().authority.file()), loops);
    std::vector<int> resumed(loops, 0);
    std::vector<std::thread> threads;
    for (unsigned loop = 0; loop < loops; ++loop)
        threads.emplace_back(
            [&, loop] { resumed[loop] = resumed_by(loop, server, client, connections); });
    for (auto& thread : threads) thread.join();
    for (const int each : resumed) EXPECT_EQ(each, connections - 1);
}

}  // namespace
}  // namespace ticketgate::net
