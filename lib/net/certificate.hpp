// Reads certificates and keys from PEM files, and checks them before they serve anything. Values;
// any thread.
#pragma once

#include <openssl/types.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"

struct stack_st_X509;  // declared here: <openssl/safestack.h> is large

namespace ticketgate::net {

/// A certificate, its intermediate certificates, and its private key.
class KeyPair {
 public:
    /// Throws std::runtime_error that names the file and what is wrong with it, also if OpenSSL
    /// would not serve it (an RSA key of 1024 bits). Never asks for a passphrase: an encrypted key
    /// cannot be read.
    KeyPair(const std::string& certificate_file, const std::string& key_file);

    X509* leaf() const { return leaf_.get(); }
    stack_st_X509* chain() const { return chain_.get(); }
    EVP_PKEY* key() const { return key_.get(); }
    /// True if the certificate is for this name (RFC 6125). `wildcards`: *.example.com counts.
    bool names(std::string_view host, bool wildcards) const;
    /// True if the two have a DNS name in common, so both are for one site.
    bool shares_name_with(const KeyPair& other) const;

 private:
    std::shared_ptr<X509> leaf_;
    std::shared_ptr<stack_st_X509> chain_;
    std::shared_ptr<EVP_PKEY> key_;
};

/// An error or a warning about a pair of files, for the operator.
struct Finding {
    enum class About { certificate, key };
    About about;
    bool warning;  ///< it works, but perhaps not for long, or not safely
    std::string message;
};

/// Errors: an unreadable file, a key of another certificate, a pair that OpenSSL refuses. Warnings:
/// expired or soon to expire, weak, or readable by everybody.
std::vector<Finding> examine(const std::string& certificate_file, const std::string& key_file,
                             WallTime now);

/// The same of a file of authorities. Warns of dates only by the certificate that ends last of
/// those that have begun: a file of all public authorities may have some that have ended, and one
/// for later may be there ahead of its time.
std::vector<Finding> examine_authorities(const std::string& file, WallTime now);

/// Returns why one that trusts `ca_file` would refuse this certificate, as that of the server
/// `name` (a host name or an IP address) and as that of a client. Empty: it would not, or a file
/// cannot be read. Dates do not count: examine() tells them.
std::string examine_trust(const std::string& certificate_file, const std::string& ca_file,
                          const std::string& name);

/// Trusts the certificates of this file to sign others. `tell_clients`: sends their names to
/// clients, so that a client can choose which of its own to show. Throws std::runtime_error.
void trust_authorities(SSL_CTX* rules, const std::string& file, bool tell_clients);

/// SHA-256 of the file's present contents; empty when it cannot be read.
std::string digest_of_file(const std::string& file);

/// RFC 2253, in printable ASCII.
std::string subject_of(const X509& certificate);
/// The begin and the end of its validity.
WallTime begin_of(const X509& certificate);
WallTime expiry_of(const X509& certificate);
/// Returns the certificate that ends first, the leaf or an intermediate one: clients refuse the
/// whole pair then.
const X509& first_to_end(const KeyPair& pair);
/// The certificates that these rules trust to sign others, loaded by trust_authorities().
std::vector<std::shared_ptr<const X509>> authorities_of(SSL_CTX* rules);
/// SHA-256 in hex.
std::string fingerprint_of(const X509& certificate);

}  // namespace ticketgate::net
