#include "net/listen_error.hpp"

#include <gtest/gtest.h>

#include <cerrno>

#include "net/listener.hpp"

namespace ticketgate::net {
namespace {

struct Case {
    const char* at;
    std::uint16_t port;
    int error;
    std::string remedy;  ///< a part of it; empty: there is none
};

Endpoint endpoint(const Case& c) {
    const std::string at = c.at;
    return at.starts_with('/') ? *Endpoint::from_unix(at) : *Endpoint::from_ip(at, c.port);
}

TEST(ListenErrorOf, NamesTheRemedy) {
    const Case cases[] = {
        {"0.0.0.0", 80, EACCES, "ports below 1024 need CAP_NET_BIND_SERVICE"},
        {"::", 443, EACCES, "AmbientCapabilities=CAP_NET_BIND_SERVICE"},
        {"0.0.0.0", 8080, EACCES, ""},
        {"127.0.0.1", 8080, EADDRINUSE, "ss -tanp 'sport = :8080' names it"},
        {"192.0.2.1", 80, EADDRNOTAVAIL, "no interface of this machine has this address"},
        {"::1", 80, EAFNOSUPPORT, "no IPv6"},
        {"127.0.0.1", 80, ENOMEM, ""},
        {"/run/gate/s", 0, ENOENT, "create the folder /run/gate"},
        {"/run/gate/s", 0, EACCES, "create files in /run/gate"},
        {"/run/gate/s", 0, EROFS, "create files in /run/gate"},
        {"/run/gate/s", 0, EADDRINUSE, "another process listens on this socket"},
        {"/s", 0, ENOMEM, ""},
    };
    for (const Case& c : cases) {
        const auto remedy = listen_remedy(endpoint(c), c.error);
        EXPECT_NE(remedy.find(c.remedy), std::string::npos) << c.at << ": " << remedy;
        EXPECT_EQ(remedy.empty(), c.remedy.empty()) << c.at << ": " << remedy;
    }
}

TEST(ListenErrorOf, IsOneLineWithAddressErrnoAndRemedy) {
    const ListenError error(*Endpoint::from_ip("0.0.0.0", 80), EACCES);
    EXPECT_EQ(error.code().value(), EACCES);
    const std::string what = error.what();
    EXPECT_TRUE(what.starts_with("cannot listen on 0.0.0.0:80: Permission denied: ports below "))
        << what;
    EXPECT_STREQ(ListenError(*Endpoint::from_ip("::1", 80), ENOMEM).what(),
                 "cannot listen on [::1]:80: Cannot allocate memory");
}

// Also where descriptors run out; the address sanitizer could not work then.
TEST(ListenErrorOf, IsThatOfASocketThatCannotBeMade) {
    try {
        (void)open_listener(Endpoint());
        FAIL() << "an address of no family";
    } catch (const ListenError& e) {
        EXPECT_EQ(e.code().value(), EAFNOSUPPORT);
    }
}

}  // namespace
}  // namespace ticketgate::net
