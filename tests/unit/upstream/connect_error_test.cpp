#include "upstream/connect_error.hpp"

#include <gtest/gtest.h>

#include <cerrno>

namespace ticketgate {
namespace {

struct Case {
    const char* at;
    std::uint16_t port;
    int error;
    std::string remedy;  ///< a part of it; empty: there is none
};

net::Endpoint endpoint(const Case& c) {
    const std::string at = c.at;
    return at.starts_with('/') ? *net::Endpoint::from_unix(at)
                               : *net::Endpoint::from_ip(at, c.port);
}

TEST(ConnectErrorOf, NamesTheRemedy) {
    const Case cases[] = {
        {"127.0.0.1", 8000, ECONNREFUSED, "nothing listens on 127.0.0.1:8000: is the backend"},
        {"::1", 8000, ECONNREFUSED, "nothing listens on [::1]:8000"},
        {"192.0.2.1", 80, ETIMEDOUT, "no answer from 192.0.2.1: is the machine up"},
        {"192.0.2.1", 80, ENETUNREACH, "`ip route get 192.0.2.1`"},
        {"192.0.2.1", 80, EHOSTUNREACH, "`ip route get 192.0.2.1`"},
        {"127.0.0.1", 80, EPERM, "IPAddressDeny="},
        {"127.0.0.1", 80, EADDRNOTAVAIL, "net.ipv4.ip_local_port_range"},
        {"::1", 80, EAFNOSUPPORT, "RestrictAddressFamilies="},
        {"127.0.0.1", 80, EMFILE, "LimitNOFILE"},
        {"127.0.0.1", 80, ENOMEM, ""},
        {"/run/php/s", 0, EACCES, "group (php-fpm on Debian: www-data)"},
        {"/run/php/s", 0, ENOENT, "is php-fpm (or another backend) running"},
        {"/run/php/s", 0, ECONNREFUSED, "nothing listens on it: is the backend started?"},
        {"/run/php/s", 0, EAGAIN, "pm.max_children"},
        {"/run/php/s", 0, EPROTOTYPE, "a datagram socket"},
        {"/run/php/s", 0, EMFILE, "LimitNOFILE"},
        {"/run/php/s", 0, ENOMEM, ""},
    };
    for (const Case& c : cases) {
        const auto remedy = connect_remedy(endpoint(c), c.error);
        EXPECT_NE(remedy.find(c.remedy), std::string::npos) << c.at << ": " << remedy;
        EXPECT_EQ(remedy.empty(), c.remedy.empty()) << c.at << ": " << remedy;
    }
    EXPECT_NE(resolve_remedy("php").find("`getent hosts php`"), std::string::npos);
}

TEST(ConnectErrorOf, NamesTheSettingOfTls) {
    const auto says = [](const char* fault) { return tls_remedy(fault, "10.0.0.1:443"); };
    for (const char* own : {"certificate not trusted: self-signed certificate",
                            "unable to get local issuer certificate"})
        EXPECT_NE(says(own).find("tls: {ca_file: "), std::string::npos) << own;
    const auto name = says("certificate not trusted: hostname mismatch");
    EXPECT_NE(name.find("tls: {server_name: "), std::string::npos);
    EXPECT_NE(name.find("-connect 10.0.0.1:443"), std::string::npos) << name;
    EXPECT_NE(says("wrong version number").find("write url: http://"), std::string::npos);
    EXPECT_EQ(says("certificate has expired"), "");
}

TEST(ConnectErrorOf, NamesTheOtherProtocol) {
    EXPECT_NE(protocol_remedy(true, 'H', "a:80").find("write url: http://a:80 "),
              std::string::npos);
    EXPECT_NE(protocol_remedy(true, 'H', "unix:/s").find("url: unix:/s "), std::string::npos);
    for (const int first : {no_byte, 1})
        EXPECT_NE(protocol_remedy(false, first, "a:9")
                      .find("write url: fastcgi://a:9 with fastcgi: {root"),
                  std::string::npos);
    EXPECT_NE(protocol_remedy(false, no_byte, "unix:/s").find("url: fastcgi+unix:/s"),
              std::string::npos);
    EXPECT_NE(protocol_remedy(false, 0x15, "a:9").find("https://a:9"), std::string::npos);
    for (const int first : {int{'<'}, 0x15})
        EXPECT_EQ(protocol_remedy(true, first, "a:9"),
                  "the backend does not speak FastCGI; if it speaks HTTP, write url: http://a:9 "
                  "and remove fastcgi:");
    for (const int first : {no_byte, 1}) EXPECT_EQ(protocol_remedy(true, first, "a:9"), "");
    EXPECT_EQ(protocol_remedy(false, 'H', "a:9"), "");
}

}  // namespace
}  // namespace ticketgate
