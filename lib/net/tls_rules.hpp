// The TLS rules for both sides: versions, ciphers, modes. One place, so that a test of one listener
// (tests/real/tls_test.py, testssl.sh) holds for every listener and every backend.
#pragma once

#include <openssl/types.h>

#include <memory>
#include <string>

struct ssl_method_st;
struct x509_store_ctx_st;

namespace ticketgate::net {

enum class TlsVersion { v1_2, v1_3 };

/// Has no certificates yet. Throws std::runtime_error.
std::shared_ptr<SSL_CTX> tls_rules(const ssl_method_st* method, TlsVersion least);

/// For SSL_CTX_set_verify(): where OpenSSL refuses a certificate for the want of memory, the
/// verdict says so. OpenSSL itself calls a key weak that it had no memory to read.
int judge_memory(int good, x509_store_ctx_st* verdict);
/// True if OpenSSL's errors of this thread, which it takes, say that an allocation failed.
bool lacked_memory();

/// Throws std::runtime_error with `what` and OpenSSL's reason for the failure of its last step.
[[noreturn]] void refuse_tls(const std::string& what);

}  // namespace ticketgate::net
