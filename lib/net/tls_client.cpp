#include "net/tls_client.hpp"

#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <utility>

#include "base/check.hpp"
#include "net/certificate.hpp"
#include "net/endpoint.hpp"
#include "net/tls_rules.hpp"
#include "net/tls_stream.hpp"

namespace ticketgate::net {
namespace {

// RFC 7301 3.1. Tells a backend that prefers another protocol which one it gets.
constexpr unsigned char protocol[] = "\x08http/1.1";

bool is_address(const std::string& name) {
    return Endpoint::from_ip(name, 0).has_value();
}

void trust(SSL_CTX* rules, const TlsClientSettings& settings) {
    if (!settings.ca_file.empty())
        trust_authorities(rules, settings.ca_file, false);
    else if (SSL_CTX_set_default_verify_paths(rules) != 1)
        refuse_tls("the system's certificates");
    SSL_CTX_set_verify(rules, SSL_VERIFY_PEER, judge_memory);
    X509_VERIFY_PARAM* const whom = SSL_CTX_get0_param(rules);
    X509_VERIFY_PARAM_set_hostflags(whom, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    const std::string& name = settings.server_name;
    const int named = is_address(name) ? X509_VERIFY_PARAM_set1_ip_asc(whom, name.c_str())
                                       : X509_VERIFY_PARAM_set1_host(whom, name.c_str(), 0);
    if (named != 1) refuse_tls("server_name " + name);
}

}  // namespace

std::shared_ptr<SSL_CTX> client_rules(const TlsClientSettings& settings) {
    auto rules = tls_rules(TLS_client_method(), TlsVersion::v1_2);
    if (settings.verify) trust(rules.get(), settings);
    if (!settings.certificate.empty()) {
        const KeyPair own(settings.certificate, settings.key);
        if (SSL_CTX_use_cert_and_key(rules.get(), own.leaf(), own.key(), own.chain(), 1) != 1)
            refuse_tls(settings.certificate);
    }
    SSL_CTX_set_alpn_protos(rules.get(), protocol, sizeof(protocol) - 1);
    return rules;
}

TlsClient::TlsClient(const TlsClientSettings& settings, std::size_t loops)
    : server_name_(settings.server_name),
      is_address_(is_address(server_name_)),
      rules_(client_rules(settings)),
      sessions_(loops) {
    SSL_CTX_set_session_cache_mode(rules_.get(),
                                   SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
    SSL_CTX_sess_set_new_cb(rules_.get(), keep_session);
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
