// Certificates made for one test: an authority and the certificates it signs, as PEM files in the
// test's folder. No key outlives the test that made it.
#pragma once

#include <openssl/types.h>

#include <memory>
#include <string>
#include <vector>

#include "support/temporary_folder.hpp"

namespace ticketgate::test {

/// Paths of the PEM files.
struct KeyFiles {
    std::string certificate, key;
};

struct Wanted {
    std::vector<std::string> names{"localhost"};  ///< DNS names; digits and dots: an IP address
    std::string common_name = "a test";
    int days = 30;  ///< negative: it has expired
    bool rsa = false;
    int rsa_bits = 2048;
};

class Authority {
 public:
    /// `file`: the name of its own certificate in the folder.
    explicit Authority(const std::string& file = "ca.pem");

    std::string file() const { return folder_.file(file_); }
    std::string folder() const { return folder_.path(); }
    std::string read(const std::string& file) const { return folder_.read(file); }
    /// Signs a certificate, in NAME.pem and NAME.key.
    KeyFiles issue(const std::string& name, const Wanted& wanted = {}) const;

 private:
    TemporaryFolder folder_;
    std::string file_;
    std::shared_ptr<EVP_PKEY> key_;
    std::shared_ptr<X509> certificate_;
};

}  // namespace ticketgate::test
