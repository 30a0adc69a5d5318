// TLS towards clients, of one listener: its certificates, and which clients may connect. Immutable;
// made anew by each reload, and kept alive by the connections that began under it. Any thread.
#pragma once

#include <openssl/types.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "net/certificate.hpp"
#include "net/stream.hpp"
#include "net/tls_rules.hpp"

namespace ticketgate::net {

enum class ClientAuth {
    off,
    optional,  ///< no certificate is accepted, a bad one is not
    required
};

struct TlsServerSettings {
    struct Files {
        std::string certificate, key;
    };
    std::vector<Files> certificates;  ///< at least one; the first is for clients without SNI
    TlsVersion min_version = TlsVersion::v1_2;
    std::string client_ca;  ///< file; of client_auth
    ClientAuth client_auth = ClientAuth::off;
    bool for_replicas = false;  ///< no client comes here
};

class TlsServer {
 public:
    /// Reads every file; throws std::runtime_error that names the bad one.
    explicit TlsServer(const TlsServerSettings& settings);
    TlsServer(const TlsServer&) = delete;
    TlsServer& operator=(const TlsServer&) = delete;

    /// The rules by which clients' certificates are accepted, to compare; empty: none is asked for.
    const std::string& guests() const { return guests_; }
    bool requires_guests() const { return required_; }
    /// It asks clients for certificates, of which backends are told.
    bool knows_clients() const { return !guests_.empty() && !for_replicas_; }
    const std::vector<KeyPair>& pairs() const { return pairs_; }
    /// Those of client_ca; empty: no client is asked for a certificate.
    std::vector<std::shared_ptr<const X509>> authorities() const;

    // For OpenSSL, during a handshake.
    /// The certificates for the name that the client asked for.
    bool choose_certificates(SSL* connection) const;

 private:
    friend std::unique_ptr<Stream> secure(std::shared_ptr<const TlsServer>,
                                          std::unique_ptr<Stream>);
    void ask_for_certificates(const TlsServerSettings& settings);

    std::vector<KeyPair> pairs_;
    std::shared_ptr<SSL_CTX> rules_;
    std::string guests_;
    bool required_ = false;
    const bool for_replicas_;
};

/// TLS on a client's connection, from its first byte on.
std::unique_ptr<Stream> secure(std::shared_ptr<const TlsServer> server,
                               std::unique_ptr<Stream> client);

}  // namespace ticketgate::net
