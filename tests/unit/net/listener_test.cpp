// The listener: accepts, pauses, and reports failures.
#include "net/listener.hpp"

#include <sys/resource.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <vector>

#include "sockets.hpp"

namespace ticketgate::net {
namespace {

// The accepted descriptors and their peers.
struct Guests {
    ~Guests() {
        for (const int descriptor : descriptors) ::close(descriptor);
    }
    Listener::Accepted accepted() {
        return [this](Descriptor& descriptor, const Endpoint& peer, const Endpoint& local) {
            descriptors.push_back(descriptor.release());
            peers.push_back(peer.ip());
            local_text = local.text();
        };
    }
    std::size_t count() const { return descriptors.size(); }
    std::vector<int> descriptors;
    std::vector<std::string> peers;
    std::string local_text;
};

void no_report(int error) {
    ADD_FAILURE() << "accept: " << error;
}

Peer visit(const Endpoint& at) {
    const int descriptor = ::socket(at.family(), SOCK_STREAM | SOCK_CLOEXEC, 0);
    EXPECT_EQ(::connect(descriptor, at.address(), at.size()), 0) << at.text();
    return Peer(descriptor);
}

struct ListenerTest : testing::Test {
    ListenerTest() {
        std::string name = testing::TempDir() + "listener_XXXXXX";
        folder = ::mkdtemp(name.data());
        at = *Endpoint::from_unix(folder + "/s");
    }
    ~ListenerTest() override { std::filesystem::remove_all(folder); }
    std::string path() const { return folder + "/s"; }
    bool exists() const { return std::filesystem::exists(path()); }

    Loop loop{0};
    Guests guests;
    std::string folder;
    Endpoint at;
};

TEST_F(ListenerTest, AcceptsAndNamesThePeer) {
    Listener listener(loop, *Endpoint::from_ip("127.0.0.1", 0), guests.accepted(), no_report);
    ASSERT_NE(listener.local().port(), 0);
    const Peer visitor = visit(listener.local());
    ASSERT_TRUE(run_until(loop, [&] { return guests.count() == 1; }));
    EXPECT_EQ(guests.peers[0], "127.0.0.1");
    EXPECT_EQ(guests.local_text, listener.local().text());
    char byte = 0;
    EXPECT_EQ(::recv(guests.descriptors[0], &byte, 1, 0), -1);
    EXPECT_EQ(errno, EAGAIN);  // and non-blocking
}

TEST_F(ListenerTest, AcceptsABurst) {
    Listener listener(loop, *Endpoint::from_ip("127.0.0.1", 0), guests.accepted(), no_report);
    std::vector<Peer> visitors;
    for (int i = 0; i < 150; ++i) visitors.push_back(visit(listener.local()));
    EXPECT_TRUE(run_until(loop, [&] { return guests.count() == 150; }));
}

TEST_F(ListenerTest, ClientsOfAPausedListenerWaitInTheBacklog) {
    Listener listener(loop, *Endpoint::from_ip("127.0.0.1", 0), guests.accepted(), no_report);
    listener.pause();
    listener.pause();
    const Peer visitor = visit(listener.local());
    catch_up(loop);
    EXPECT_EQ(guests.count(), 0u);
    listener.resume();
    listener.resume();
    EXPECT_TRUE(run_until(loop, [&] { return guests.count() == 1; }));
}

// hold(), used at a limit: reports a waiting client once and accepts none before resume().
TEST_F(ListenerTest, ReportsAWaitingClientOnceWhileItHolds) {
    int knocks = 0;
    Listener listener(loop, at, guests.accepted(), no_report, [&] { ++knocks; });
    listener.hold();
    loop.run_once(0ms);
    EXPECT_EQ(knocks, 0);
    const Peer one = visit(at), two = visit(at);
    for (int i = 0; i < 3; ++i) loop.run_once(0ms);
    EXPECT_EQ(knocks, 1);
    listener.hold();
    loop.run_once(1s);
    EXPECT_EQ(knocks, 2);
    EXPECT_EQ(guests.count(), 0u);
    listener.resume();
    loop.run_once(1s);
    EXPECT_EQ(guests.count(), 2u);
}

TEST_F(ListenerTest, MayBePausedFromInsideAnAccept) {
    std::size_t count = 0;
    Listener* self = nullptr;
    const auto pause = [&](Descriptor&, const Endpoint&, const Endpoint&) {
        ++count;
        self->pause();
    };
    Listener listener(loop, *Endpoint::from_ip("127.0.0.1", 0), pause, no_report);
    self = &listener;
    const Peer a = visit(listener.local()), b = visit(listener.local());
    ASSERT_TRUE(run_until(loop, [&] { return count > 0; }));
    catch_up(loop);
    EXPECT_EQ(count, 1u);
    listener.resume();
    EXPECT_TRUE(run_until(loop, [&] { return count == 2; }));
}

// The listener closes a connection that its handler does not take over.
TEST_F(ListenerTest, WithoutMemoryOneConnectionEndsAndTheNextIsTaken) {
    std::vector<int> reports;
    std::size_t count = 0;
    const auto fail_once = [&](Descriptor& descriptor, const Endpoint& peer,
                               const Endpoint& local) {
        if (++count == 1) throw std::bad_alloc();
        guests.accepted()(descriptor, peer, local);
    };
    Listener listener(loop, *Endpoint::from_ip("127.0.0.1", 0), fail_once,
                      [&](int error) { reports.push_back(error); });
    const Peer refused = visit(listener.local());
    const Peer taken = visit(listener.local());
    ASSERT_TRUE(run_until(loop, [&] { return count == 2; }));
    EXPECT_EQ(guests.count(), 1u);
    EXPECT_EQ(reports, std::vector<int>{ENOMEM});
    EXPECT_EQ(refused.receive(), "");
}

// While it exists, this process gets no more descriptors.
class Shortage {
 public:
    Shortage() {
        EXPECT_EQ(getrlimit(RLIMIT_NOFILE, &before_), 0);
        const int next = ::dup(0);
        ::close(next);
        rlimit none = before_;
        none.rlim_cur = static_cast<rlim_t>(next);
        EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
    }
    ~Shortage() { end(); }
    void end() { EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &before_), 0); }

 private:
    rlimit before_{};
};

// The last descriptors are reserved for the needs of existing connections.
TEST_F(ListenerTest, StopsBeforeTheLastDescriptors) {
    std::vector<int> reports;
    const int next = ::dup(0);
    ::close(next);
    // Each of 150 connections takes two descriptors: one here and one at its other end.
    Listener listener(
        loop, *Endpoint::from_ip("127.0.0.1", 0), guests.accepted(),
        [&](int error) { reports.push_back(error); }, nullptr, next + 200);
    std::vector<Peer> visitors;
    for (int i = 0; i < 150; ++i) visitors.push_back(visit(listener.local()));
    ASSERT_TRUE(run_until(loop, [&] { return reports.size() > 1; })) << "it looks again";
    EXPECT_LT(guests.count(), 60u);
    EXPECT_EQ(reports.front(), EMFILE);
    while (visitors.size() > 75) visitors.pop_back();
    for (const int descriptor : guests.descriptors) ::close(descriptor);
    guests.descriptors.clear();
    EXPECT_TRUE(run_until(loop, [&] { return guests.count() > 60; })) << "and goes on";
}

TEST_F(ListenerTest, WithoutDescriptorsItPausesAndReportsOnce) {
    std::vector<int> reports;
    Listener listener(loop, *Endpoint::from_ip("127.0.0.1", 0), guests.accepted(),
                      [&](int error) { reports.push_back(error); });
    // One connection before the shortage: UBSan's first check of a type opens descriptors itself.
    const Peer early = visit(listener.local());
    ASSERT_TRUE(run_until(loop, [&] { return guests.count() == 1; }));
    const Peer a = visit(listener.local()), b = visit(listener.local());
    Shortage shortage;
    const Time before = monotonic_now();
    catch_up(loop);
    catch_up(loop);
    ASSERT_FALSE(reports.empty());
    EXPECT_EQ(reports.front(), EMFILE);
    const bool pauses = monotonic_now() - before < 100ms;
    EXPECT_TRUE(reports.size() == 1 || !pauses) << reports.size();
    EXPECT_EQ(guests.count(), 1u);
    const std::size_t told = reports.size();
    shortage.end();
    EXPECT_TRUE(run_until(loop, [&] { return guests.count() == 3; }));
    EXPECT_EQ(reports.size(), told);
}

TEST_F(ListenerTest, TheEndOfItsOwnPauseDoesNotEndItsOwnersPause) {
    bool reported = false;
    Listener listener(loop, *Endpoint::from_ip("127.0.0.1", 0), guests.accepted(),
                      [&](int) { reported = true; });
    // One connection before the shortage: UBSan's first check of a type opens descriptors itself.
    const Peer early = visit(listener.local());
    ASSERT_TRUE(run_until(loop, [&] { return guests.count() == 1; }));
    const Peer visitor = visit(listener.local());
    {
        const Shortage shortage;
        ASSERT_TRUE(run_until(loop, [&] { return reported; }));
    }
    listener.pause();  // the connection limit was reached meanwhile
    // Longer than the listener's own pause, so that a wrong resume would show.
    const Time end = monotonic_now() + 250ms;
    (void)run_until(loop, [&] { return monotonic_now() > end; });
    EXPECT_EQ(guests.count(), 1u);
    listener.resume();
    EXPECT_TRUE(run_until(loop, [&] { return guests.count() == 2; }));
}

TEST_F(ListenerTest, ATakenPortIsNamed) {
    const Door door;
    try {
        const Listener listener(loop, door.at(), guests.accepted(), no_report);
        FAIL() << "two listen on one port";
    } catch (const std::system_error& error) {
        EXPECT_EQ(error.code().value(), EADDRINUSE);
        const std::string what = error.what();
        EXPECT_NE(what.find(door.at().text()), std::string::npos);
        EXPECT_NE(what.find("another process listens on this port, or a connection"),
                  std::string::npos)
            << what;
    }
}

TEST_F(ListenerTest, V6TakesV4Too) {
    try {
        Listener listener(loop, *Endpoint::from_ip("::", 0), guests.accepted(), no_report);
        const Peer v4 = visit(*Endpoint::from_ip("127.0.0.1", listener.local().port()));
        ASSERT_TRUE(run_until(loop, [&] { return guests.count() == 1; }));
        EXPECT_EQ(guests.peers[0], "127.0.0.1");
    } catch (const std::system_error& error) {
        GTEST_SKIP() << error.what();
    }
}

TEST_F(ListenerTest, UnixSocketsAreForOwnerAndGroupAndGoAtTheEnd) {
    {
        Listener listener(loop, at, guests.accepted(), no_report);
        struct stat status {};
        ASSERT_EQ(::stat(path().c_str(), &status), 0);
        EXPECT_EQ(status.st_mode & 0777, 0660u);
        const Peer visitor = visit(at);
        ASSERT_TRUE(run_until(loop, [&] { return guests.count() == 1; }));
        EXPECT_EQ(guests.peers[0], "unix");
    }
    EXPECT_FALSE(exists());
}

// The file that a killed process leaves.
void leave_stale_socket(const Endpoint& at) {
    const Peer gone(::socket(AF_UNIX, SOCK_STREAM, 0));
    ASSERT_EQ(::bind(gone.descriptor(), at.address(), at.size()), 0);
    ASSERT_EQ(::listen(gone.descriptor(), 1), 0);
}

TEST_F(ListenerTest, AStaleUnixSocketIsReplaced) {
    leave_stale_socket(at);
    ASSERT_TRUE(exists());
    Listener listener(loop, at, guests.accepted(), no_report);
    const Peer visitor = visit(at);
    EXPECT_TRUE(run_until(loop, [&] { return guests.count() == 1; }));
}

TEST_F(ListenerTest, ALiveUnixSocketIsNotTouched) {
    Listener first(loop, at, guests.accepted(), no_report);
    EXPECT_THROW(Listener(loop, at, guests.accepted(), no_report), std::system_error);
    ASSERT_TRUE(exists());
    const Peer visitor = visit(at);
    // The second listener's probe may have been accepted as well.
    EXPECT_TRUE(run_until(loop, [&] { return guests.count() >= 1; }));
}

// As of a process that is stopped. A connect() that waits for it would wait for ever.
TEST_F(ListenerTest, ALiveUnixSocketWithAFullBacklogIsNotTouched) {
    const Peer busy(::socket(AF_UNIX, SOCK_STREAM, 0));
    ASSERT_EQ(::bind(busy.descriptor(), at.address(), at.size()), 0);
    ASSERT_EQ(::listen(busy.descriptor(), 0), 0);
    const Peer first = visit(at);
    EXPECT_THROW(Listener(loop, at, guests.accepted(), no_report), std::system_error);
    EXPECT_TRUE(exists());
}

TEST_F(ListenerTest, TheSocketOfAnotherProcessStaysAtTheEnd) {
    {
        Listener first(loop, at, guests.accepted(), no_report);
        ASSERT_EQ(::unlink(path().c_str()), 0);
        leave_stale_socket(at);
    }
    EXPECT_TRUE(exists());
}

TEST_F(ListenerTest, AFileThatIsNotASocketIsNotTouched) {
    std::ofstream(path()) << "precious";
    EXPECT_THROW(Listener(loop, at, guests.accepted(), no_report), std::system_error);
    EXPECT_TRUE(exists());
}

}  // namespace
}  // namespace ticketgate::net
