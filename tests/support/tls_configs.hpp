// A gateway with TLS, and the certificates of the gateway and its clients.
#pragma once

#include <string>

#include "support/certificates.hpp"
#include "support/configs.hpp"
#include "support/tls.hpp"

namespace ticketgate::test {

/// `more` is added to the listener's tls section, e.g. `, min_version: 1.3`.
inline std::string https(const std::string& yaml, const std::string& more = {}) {
    return "listen: [{ address: \"127.0.0.1:0\", tls: { certificates: [{ certificate: "
           "\"${CERTIFICATE}\", key: \"${KEY}\" }]" +
           more + " } }]\n" + yaml;
}

struct Trust {
    Authority authority;
    KeyFiles files = authority.issue("localhost");

    Variables with(const Backend& backend) const {
        return {{"BACKEND", backend.url()},
                {"CERTIFICATE", files.certificate},
                {"KEY", files.key},
                {"CA", authority.file()},
                {"CERTIFICATES", authority.folder()}};
    }
    TlsEnd client() const { return TlsEnd::client(authority.file()); }
};

/// The objects that a test of TLS begins with.
struct House {
    explicit House(const std::string& yaml, const std::string& more = {})
        : gateway(https(yaml, more), trust.with(backend)) {
        gateway.speak(trust.client());
    }
    Trust trust;
    Backend backend;
    Gateway gateway;
};

}  // namespace ticketgate::test
