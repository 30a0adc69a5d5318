// TLS towards one backend: trusted authorities, own certificate, sessions to resume. Shared by the
// loops and by every connection that it made; each loop resumes its own sessions.
#pragma once

#include <openssl/types.h>

#include <memory>
#include <string>
#include <vector>

#include "net/stream.hpp"

struct ssl_session_st;

namespace ticketgate::net {

struct TlsClientSettings {
    bool verify = true;
    std::string ca_file;      ///< empty: the system's
    std::string server_name;  ///< a host name or an IP address
    std::string certificate;  ///< files; empty: none
    std::string key;
};

/// What every connection to this server follows. Reads the files; throws std::runtime_error that
/// names the bad one.
std::shared_ptr<SSL_CTX> client_rules(const TlsClientSettings& settings);

class TlsClient {
 public:
    /// Reads the files; throws std::runtime_error that names the bad one.
    TlsClient(const TlsClientSettings& settings, std::size_t loops);
    TlsClient(const TlsClient&) = delete;
    TlsClient& operator=(const TlsClient&) = delete;

 private:
    friend Connect connect_with(std::shared_ptr<TlsClient> client, Connect below);
    friend std::unique_ptr<Stream> secure(std::shared_ptr<TlsClient> client, Loop& loop,
                                          std::unique_ptr<Stream> backend);

    /// The last session that the backend gave; touched by its loop only.
    using Session = std::shared_ptr<ssl_session_st>;
    static int keep_session(SSL* connection, ssl_session_st* session);

    const std::string server_name_;
    const bool is_address_;  // server_name_ is an address, which SNI cannot carry (RFC 6066 3)
    std::shared_ptr<SSL_CTX> rules_;
    std::vector<Session> sessions_;  // by loop index
};

/// A connection that has begun or is established; connected() tells when the handshake is done.
std::unique_ptr<Stream> secure(std::shared_ptr<TlsClient> client, Loop& loop,
                               std::unique_ptr<Stream> backend);

/// Connects through `below`, then starts TLS on the connection.
Connect connect_with(std::shared_ptr<TlsClient> client, Connect below);

}  // namespace ticketgate::net
