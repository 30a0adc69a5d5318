// The TLS rules for both sides: versions, ciphers, modes. One place, so that a test of one listener
// (tests/real/tls_test.py, testssl.sh) holds for every listener and every backend.
#pragma once

#include <openssl/types.h>

#include <memory>
#include <string>

struct ssl_method_st;

namespace ticketgate::net {

enum class TlsVersion { v1_2, v1_3 };

/// Has no certificates yet. Throws std::runtime_error.
std::shared_ptr<SSL_CTX> tls_rules(const ssl_method_st* method, TlsVersion least);

/// Throws std::runtime_error with `what` and OpenSSL's reason for the failure of its last step.
[[noreturn]] void refuse_tls(const std::string& what);

}  // namespace ticketgate::net
