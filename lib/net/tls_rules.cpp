#include "net/tls_rules.hpp"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <stdexcept>
#include <string>

namespace ticketgate::net {
namespace {

// RFC 9325 4.2: forward secret and authenticated. TLS 1.3 has no others.
constexpr const char* tls_1_2_ciphers = "ECDHE+AESGCM:ECDHE+CHACHA20";
constexpr const char* groups = "X25519:P-256:P-384";
constexpr long most_certificates = 32 << 10;  // bytes of a backend's chain; clients have less

// Compressed certificates (RFC 8879) would be parsed unseen (tls_chain.hpp).
#ifdef SSL_OP_NO_RX_CERTIFICATE_COMPRESSION
constexpr std::uint64_t plain_certificates = SSL_OP_NO_RX_CERTIFICATE_COMPRESSION;
#else
constexpr std::uint64_t plain_certificates = 0;
#endif
constexpr std::uint64_t options = plain_certificates | SSL_OP_NO_COMPRESSION |
                                  SSL_OP_NO_RENEGOTIATION | SSL_OP_CIPHER_SERVER_PREFERENCE |
                                  SSL_OP_PRIORITIZE_CHACHA;
constexpr long modes = SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER;

// A key that cannot be read has no strength. That of a copy can: there is memory again.
bool had_no_memory_for_key(X509* certificate) {
    if (certificate == nullptr || X509_get0_pubkey(certificate) != nullptr) return false;
    X509* const copy = X509_dup(certificate);
    const bool readable = copy == nullptr || X509_get0_pubkey(copy) != nullptr;
    X509_free(copy);
    return readable;
}

}  // namespace

bool lacked_memory() {
    bool lacked = false;
    while (const unsigned long error = ERR_get_error())
        lacked = lacked || ERR_GET_REASON(error) == ERR_R_MALLOC_FAILURE;
    return lacked;
}

int judge_memory(int good, x509_store_ctx_st* verdict) {
    if (good == 1) return good;
    const int error = X509_STORE_CTX_get_error(verdict);
    const bool weak = error == X509_V_ERR_EE_KEY_TOO_SMALL || error == X509_V_ERR_CA_KEY_TOO_SMALL;
    if (lacked_memory() ||
        (weak && had_no_memory_for_key(X509_STORE_CTX_get_current_cert(verdict))) ||
        lacked_memory())
        X509_STORE_CTX_set_error(verdict, X509_V_ERR_OUT_OF_MEM);
    return good;
}

void refuse_tls(const std::string& what) {
    const char* reason = ERR_reason_error_string(ERR_peek_error());
    const std::string why = what + ": " + (reason == nullptr ? "TLS failed" : reason);
    ERR_clear_error();
    throw std::runtime_error(why);
}

std::shared_ptr<SSL_CTX> tls_rules(const ssl_method_st* method, TlsVersion least) {
    const std::shared_ptr<SSL_CTX> rules(SSL_CTX_new(method), SSL_CTX_free);
    if (!rules) refuse_tls("TLS");
    SSL_CTX* const all = rules.get();
    SSL_CTX_set_min_proto_version(all, least == TlsVersion::v1_3 ? TLS1_3_VERSION : TLS1_2_VERSION);
    SSL_CTX_set_options(all, options);
    SSL_CTX_set_mode(all, modes);
    SSL_CTX_set_max_cert_list(all, most_certificates);
    SSL_CTX_set_session_cache_mode(all, SSL_SESS_CACHE_OFF);
    if (SSL_CTX_set_cipher_list(all, tls_1_2_ciphers) != 1 ||
        SSL_CTX_set1_groups_list(all, groups) != 1)
        refuse_tls("TLS ciphers");
    return rules;
}

}  // namespace ticketgate::net
