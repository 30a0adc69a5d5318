#include "net/tls_server.hpp"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <array>
#include <stdexcept>

#include "base/check.hpp"
#include "net/tls_chain.hpp"
#include "net/tls_stream.hpp"

namespace ticketgate::net {
namespace {

// RFC 7301 3.1: protocol names, each after its length.
constexpr std::string_view protocols = "\x08http/1.1\x08http/1.0";
// A session can be resumed only on the listener, and under the reload, that it began with.
constexpr std::string_view session_scope = "ticketgate";

const unsigned char* bytes_of(std::string_view text) {
    return reinterpret_cast<const unsigned char*>(text.data());
}

// As nginx does: sends an alert to a client that offers only other protocols (RFC 7301 3.2).
int choose_protocol(SSL*, const unsigned char** chosen, unsigned char* size,
                    const unsigned char* offered, unsigned offered_size, void*) {
    unsigned char* out = nullptr;
    const int found =
        SSL_select_next_proto(&out, size, bytes_of(protocols),
                              static_cast<unsigned>(protocols.size()), offered, offered_size);
    if (found != OPENSSL_NPN_NEGOTIATED) return SSL_TLSEXT_ERR_ALERT_FATAL;
    *chosen = out;
    return SSL_TLSEXT_ERR_OK;
}

int choose_certificates_of(SSL* connection, void* server) {
    return static_cast<const TlsServer*>(server)->choose_certificates(connection) ? 1 : 0;
}

}  // namespace

TlsServer::TlsServer(const TlsServerSettings& settings)
    : rules_(tls_rules(TLS_server_method(), settings.min_version)),
      for_replicas_(settings.for_replicas) {
    TG_CHECK(!settings.certificates.empty());
    for (const auto& files : settings.certificates)
        pairs_.emplace_back(files.certificate, files.key);
    SSL_CTX* const rules = rules_.get();
    const KeyPair& first = pairs_.front();
    if (SSL_CTX_use_cert_and_key(rules, first.leaf(), first.key(), first.chain(), 1) != 1)
        refuse_tls(settings.certificates.front().certificate);
    // Other kinds of key for the same site, for clients without SNI that cannot use the first.
    for (const KeyPair& pair : pairs_)
        if (pair.shares_name_with(first))
            (void)SSL_CTX_use_cert_and_key(rules, pair.leaf(), pair.key(), pair.chain(), 0);
    ERR_clear_error();  // two of one kind: the first stays
    SSL_CTX_set_alpn_select_cb(rules, choose_protocol, nullptr);
    SSL_CTX_set_session_id_context(rules, bytes_of(session_scope),
                                   static_cast<unsigned>(session_scope.size()));
    if (pairs_.size() > 1) SSL_CTX_set_cert_cb(rules, choose_certificates_of, this);
    if (settings.client_auth != ClientAuth::off) ask_for_certificates(settings);
}

void TlsServer::ask_for_certificates(const TlsServerSettings& settings) {
    SSL_CTX* const rules = rules_.get();
    trust_authorities(rules, settings.client_ca, true);
    guests_ = digest_of_file(settings.client_ca);
    required_ = settings.client_auth == ClientAuth::required;
    SSL_CTX_set_max_cert_list(rules, long{most_chain_bytes});
    SSL_CTX_set_verify(rules, SSL_VERIFY_PEER | (required_ ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0),
                       judge_memory);
}

std::vector<std::shared_ptr<const X509>> TlsServer::authorities() const {
    if (guests_.empty()) return {};
    return authorities_of(rules_.get());
}

// Offers all pairs that fit the name; OpenSSL takes the first kind (RSA, ECDSA) that the client can
// use. An exact name goes before a wildcard if the client can use any of its kinds. If no name
// fits, the default stays (RFC 6066 3).
bool TlsServer::choose_certificates(SSL* connection) const {
    const char* const asked = SSL_get_servername(connection, TLSEXT_NAMETYPE_host_name);
    if (asked == nullptr) return true;
    bool found = false;
    for (const bool wildcards : {false, true}) {
        bool fits = false;
        for (const KeyPair& pair : pairs_) {
            if (!pair.names(asked, wildcards)) continue;
            if (!found) SSL_certs_clear(connection);
            found = true;
            if (SSL_use_cert_and_key(connection, pair.leaf(), pair.key(), pair.chain(), 0) != 1)
                continue;  // two of one kind: the first stays
            const int use = SSL_check_chain(connection, pair.leaf(), pair.key(), pair.chain());
            fits = fits || (use & CERT_PKEY_VALID) != 0;
        }
        if (fits) break;
    }
    ERR_clear_error();
    return true;
}

std::unique_ptr<Stream> secure(std::shared_ptr<const TlsServer> server,
                               std::unique_ptr<Stream> client) {
    SslPointer connection = new_ssl(*server->rules_);
    SSL_set_accept_state(connection.get());
    return std::make_unique<TlsStream>(std::move(client), std::move(connection),
                                       TlsStream::Role::server, std::move(server));
}

}  // namespace ticketgate::net
