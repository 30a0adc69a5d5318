// Certificates and keys in PEM files: read, understood, and judged before anything is served with
// them. Values; any thread.
#pragma once

#include <openssl/types.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"

struct stack_st_X509;  // what <openssl/safestack.h> would make of much text

namespace ticketgate::net {

/// A certificate, those between it and a root, and its private key.
class KeyPair {
 public:
    /// Throws std::runtime_error that names the file and what is wrong with it, also if OpenSSL
    /// would not serve it (an RSA key of 1024 bits). Nobody is asked for
    /// a passphrase: a key that has one cannot be read.
    KeyPair(const std::string& certificate_file, const std::string& key_file);

    X509* leaf() const { return leaf_.get(); }
    stack_st_X509* chain() const { return chain_.get(); }
    EVP_PKEY* key() const { return key_.get(); }
    /// Is it for this name (RFC 6125)? `wildcards`: may *.example.com be?
    bool names(std::string_view host, bool wildcards) const;
    /// Do both say one DNS name? Then they are of one site.
    bool shares_name_with(const KeyPair& other) const;

 private:
    std::shared_ptr<X509> leaf_;
    std::shared_ptr<stack_st_X509> chain_;
    std::shared_ptr<EVP_PKEY> key_;
};

/// Something about a pair of files that whoever runs the proxy should know.
struct Finding {
    enum class About { certificate, key };
    About about;
    bool warning;  ///< it works, but perhaps not for long, or not safely
    std::string message;
};

/// Unreadable files, a key of another certificate, what OpenSSL would not serve (errors); expired
/// or soon to be, weak, or open to everybody (warnings).
std::vector<Finding> examine(const std::string& certificate_file, const std::string& key_file,
                             WallTime now);

/// The same of a file of authorities; empty: there is nothing wrong with it.
std::string examine_authorities(const std::string& file);

/// Trusts the certificates of this file to sign others. `tell_clients`: their names are sent to
/// clients, so that one can choose which of its own to show. Throws std::runtime_error.
void trust_authorities(SSL_CTX* rules, const std::string& file, bool tell_clients);

/// SHA-256 of a file's contents, as it is now; empty when it cannot be read.
std::string digest_of_file(const std::string& file);

/// RFC 2253, in printable ASCII.
std::string subject_of(const X509& certificate);
/// SHA-256 in hex.
std::string fingerprint_of(const X509& certificate);

}  // namespace ticketgate::net
