#include "net/tls_client.hpp"

#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <utility>

#include "base/check.hpp"
#include "net/endpoint.hpp"
#include "net/tls_rules.hpp"
#include "net/tls_stream.hpp"

namespace ticketgate::net {
namespace {

// RFC 7301 3.1. Tells a backend that prefers another protocol which one it gets.
constexpr unsigned char protocol[] = "\x08http/1.1";

}  // namespace

TlsClient::TlsClient(const TlsClientSettings& settings, std::size_t loops)
    : server_name_(settings.server_name),
      is_address_(Endpoint::from_ip(server_name_, 0).has_value()),
      rules_(tls_rules(TLS_client_method(), TlsVersion::v1_2)),
      sessions_(loops) {
    SSL_CTX* const rules = rules_.get();
    if (settings.verify) trust(settings);
    if (!settings.certificate.empty()) {
        own_.emplace(settings.certificate, settings.key);
        if (SSL_CTX_use_cert_and_key(rules, own_->leaf(), own_->key(), own_->chain(), 1) != 1)
            refuse_tls(settings.certificate);
    }
    SSL_CTX_set_alpn_protos(rules, protocol, sizeof(protocol) - 1);
    SSL_CTX_set_session_cache_mode(rules, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
    SSL_CTX_sess_set_new_cb(rules, keep_session);
}

void TlsClient::trust(const TlsClientSettings& settings) {
    SSL_CTX* const rules = rules_.get();
    if (!settings.ca_file.empty())
        trust_authorities(rules, settings.ca_file, false);
    else if (SSL_CTX_set_default_verify_paths(rules) != 1)
        refuse_tls("the system's certificates");
    SSL_CTX_set_verify(rules, SSL_VERIFY_PEER, nullptr);
    X509_VERIFY_PARAM* const whom = SSL_CTX_get0_param(rules);
    X509_VERIFY_PARAM_set_hostflags(whom, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    const int named = is_address_ ? X509_VERIFY_PARAM_set1_ip_asc(whom, server_name_.c_str())
                                  : X509_VERIFY_PARAM_set1_host(whom, server_name_.c_str(), 0);
    if (named != 1) refuse_tls("server_name " + server_name_);
}

// RFC 8446 4.6.1: sessions come after the handshake, one or several. Returning 1 takes ownership.
int TlsClient::keep_session(SSL* connection, SSL_SESSION* session) {
    auto* const slot = static_cast<Session*>(SSL_get_app_data(connection));
    if (slot == nullptr) return 0;
    slot->reset(session, SSL_SESSION_free);
    return 1;
}

std::unique_ptr<Stream> secure(std::shared_ptr<TlsClient> client, Loop& loop,
                               std::unique_ptr<Stream> backend) {
    SslPointer owned = new_ssl(*client->rules_);
    SSL* const connection = owned.get();
    SSL_set_connect_state(connection);
    const char* const name = client->server_name_.c_str();
    if (!client->is_address_ && SSL_set_tlsext_host_name(connection, name) != 1)
        throw std::bad_alloc();
    auto& session = client->sessions_[loop.index()];
    if (SSL_set_app_data(connection, &session) != 1) throw std::bad_alloc();
    if (session && SSL_SESSION_is_resumable(session.get()) == 1)
        SSL_set_session(connection, session.get());
    return std::make_unique<TlsStream>(std::move(backend), std::move(owned),
                                       TlsStream::Role::client, std::move(client));
}

Connect connect_with(std::shared_ptr<TlsClient> client, Connect below) {
    return [client = std::move(client), below = std::move(below)](
               Loop& loop, const Endpoint& to, int& error) -> std::unique_ptr<Stream> {
        auto backend = below(loop, to, error);
        if (backend == nullptr) return nullptr;
        return secure(client, loop, std::move(backend));
    };
}

}  // namespace ticketgate::net
