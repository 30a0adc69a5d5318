#include "support/certificates.hpp"

#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>

#include <stdexcept>

namespace ticketgate::test {
namespace {

using Key = std::shared_ptr<EVP_PKEY>;
using Certificate = std::shared_ptr<X509>;

Key new_key(const Wanted& wanted) {
    EVP_PKEY* made = wanted.rsa ? EVP_PKEY_Q_keygen(nullptr, nullptr, "RSA",
                                                    static_cast<std::size_t>(wanted.rsa_bits))
                                : EVP_PKEY_Q_keygen(nullptr, nullptr, "EC", "P-256");
    if (made == nullptr) throw std::runtime_error("no key");
    return Key(made, EVP_PKEY_free);
}

void extend(X509* certificate, int nid, const std::string& value) {
    X509_EXTENSION* extension = X509V3_EXT_nconf_nid(nullptr, nullptr, nid, value.c_str());
    if (extension == nullptr) throw std::runtime_error("no extension " + value);
    X509_add_ext(certificate, extension, -1);
    X509_EXTENSION_free(extension);
}

std::string alternative_names(const Wanted& wanted) {
    std::string out;
    for (const auto& name : wanted.names) {
        const bool address = name.find_first_not_of("0123456789.") == std::string::npos;
        out += (out.empty() ? "" : ",") + std::string(address ? "IP:" : "DNS:") + name;
    }
    return out;
}

Certificate new_certificate(const Wanted& wanted, const Key& key) {
    Certificate made(X509_new(), X509_free);
    X509_set_version(made.get(), X509_VERSION_3);
    std::uint32_t serial = 0;
    RAND_bytes(reinterpret_cast<unsigned char*>(&serial), sizeof(serial));
    ASN1_INTEGER_set_uint64(X509_get_serialNumber(made.get()), std::uint64_t{serial} + 1);
    const long day = 24L * 3600;
    X509_gmtime_adj(X509_getm_notBefore(made.get()), -60 * day);
    X509_gmtime_adj(X509_getm_notAfter(made.get()), wanted.days * day);
    X509_set_pubkey(made.get(), key.get());
    X509_NAME_add_entry_by_txt(X509_get_subject_name(made.get()), "CN", MBSTRING_UTF8,
                               reinterpret_cast<const unsigned char*>(wanted.common_name.c_str()),
                               -1, -1, 0);
    return made;
}

std::string text_of(const std::shared_ptr<BIO>& bio) {
    char* text = nullptr;
    const long size = BIO_get_mem_data(bio.get(), &text);
    return {text, static_cast<std::size_t>(size)};
}

std::shared_ptr<BIO> memory() {
    return {BIO_new(BIO_s_mem()), BIO_free};
}

}  // namespace

Authority::Authority(const std::string& file) : file_(file), key_(new_key({})) {
    Wanted self;
    self.common_name = "authority of " + std::filesystem::path(folder_.path()).filename().string();
    certificate_ = new_certificate(self, key_);
    X509_set_issuer_name(certificate_.get(), X509_get_subject_name(certificate_.get()));
    extend(certificate_.get(), NID_basic_constraints, "critical,CA:TRUE");
    X509_sign(certificate_.get(), key_.get(), EVP_sha256());
    const auto pem = memory();
    PEM_write_bio_X509(pem.get(), certificate_.get());
    folder_.write(file_, text_of(pem));
}

KeyFiles Authority::issue(const std::string& name, const Wanted& wanted) const {
    const Key key = new_key(wanted);
    const Certificate made = new_certificate(wanted, key);
    X509_set_issuer_name(made.get(), X509_get_subject_name(certificate_.get()));
    if (!wanted.names.empty()) extend(made.get(), NID_subject_alt_name, alternative_names(wanted));
    X509_sign(made.get(), key_.get(), EVP_sha256());
    const auto certificate_pem = memory(), key_pem = memory();
    PEM_write_bio_X509(certificate_pem.get(), made.get());
    PEM_write_bio_PrivateKey(key_pem.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr);
    KeyFiles files{folder_.write(name + ".pem", text_of(certificate_pem)),
                   folder_.write(name + ".key", text_of(key_pem))};
    ::chmod(files.key.c_str(), 0600);
    return files;
}

}  // namespace ticketgate::test
