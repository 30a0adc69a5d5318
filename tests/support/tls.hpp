// One end of TLS in a test: OpenSSL on the descriptor, without code of the product.
#pragma once

#include <openssl/types.h>

#include <memory>
#include <optional>
#include <string>

#include "support/certificates.hpp"

namespace ticketgate::test {

/// Shared by copies; any thread.
class TlsEnd {
 public:
    /// Trusts the file `ca` and asks for `name`. Empty: trusts any certificate; asks for no name.
    static TlsEnd client(const std::string& ca, const std::string& name = "localhost");
    static TlsEnd server(const KeyFiles& files);

    TlsEnd& with(const KeyFiles& own);                ///< a client's certificate
    TlsEnd& shows(const KeyFiles& other, int times);  ///< that many more behind its own
    TlsEnd& only(int version);                        ///< TLS1_2_VERSION …
    TlsEnd& speaks(const std::string& protocols);     ///< ALPN, each behind its length
    TlsEnd& signs(const char* algorithms);            ///< those it takes, as RSA-PSS+SHA256
    TlsEnd& takes_from(const std::string& ca);        ///< a server that wants certificates
    TlsEnd& resuming();                               ///< keeps the last session
    bool resumes() const { return resume_; }

    /// The SSL object of a new connection, with its role set.
    std::shared_ptr<SSL> open() const;

 private:
    TlsEnd(std::shared_ptr<SSL_CTX> made, bool server) : made_(std::move(made)), server_(server) {}
    std::shared_ptr<SSL_CTX> made_;
    bool server_;
    std::string name_;
    bool resume_ = false;
    struct Kept;
    std::shared_ptr<Kept> kept_;
};

}  // namespace ticketgate::test
