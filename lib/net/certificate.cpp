#include "net/certificate.hpp"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>

#include <array>
#include <stdexcept>

#include "base/bytes.hpp"
#include "base/file.hpp"
#include "net/tls_rules.hpp"

namespace ticketgate::net {
namespace {

constexpr std::int64_t day_s = 86'400, soon_s = 14 * day_s;
// All authorities that browsers trust take a quarter of a megabyte.
constexpr std::uint64_t most_bytes = 16 << 20;
// NIST SP 800-57 part 1: smaller keys give less than 112 bits of security.
constexpr int least_rsa_bits = 2048, least_ec_bits = 224;

template <class T, void (*free)(T*)>
std::shared_ptr<T> owned(T* made) {
    return std::shared_ptr<T>(made, free);
}

void free_all(stack_st_X509* certificates) {
    sk_X509_pop_free(certificates, X509_free);
}

[[noreturn]] void refuse(const std::string& file, const std::string& why) {
    ERR_clear_error();
    throw std::runtime_error(file + ": " + why);
}

std::string contents(const std::string& file) {
    auto got = read_file(file, most_bytes);
    if (!got || got.text.empty()) refuse(file, got ? "it is empty" : got.why);
    return std::move(got.text);
}

std::shared_ptr<BIO> text_bio(const std::string& text) {
    return owned<BIO, BIO_free_all>(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

std::shared_ptr<X509> next_certificate(BIO* bio) {
    return owned<X509, X509_free>(PEM_read_bio_X509(bio, nullptr, nullptr, nullptr));
}

std::shared_ptr<X509> read_chain(const std::string& file, stack_st_X509* chain) {
    const std::string text = contents(file);
    const auto bio = text_bio(text);
    ERR_clear_error();
    auto leaf = next_certificate(bio.get());
    if (!leaf) refuse(file, "it contains no certificate in PEM format");
    while (X509* next = PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr))
        sk_X509_push(chain, next);
    if (ERR_GET_REASON(ERR_peek_last_error()) != PEM_R_NO_START_LINE)
        refuse(file, "it contains a damaged certificate");
    ERR_clear_error();
    return leaf;
}

int no_passphrase(char*, int, int, void*) {
    return -1;
}

std::shared_ptr<EVP_PKEY> read_key(const std::string& file) {
    const std::string text = contents(file);
    const auto bio = text_bio(text);
    ERR_clear_error();
    auto key = owned<EVP_PKEY, EVP_PKEY_free>(
        PEM_read_bio_PrivateKey(bio.get(), nullptr, no_passphrase, nullptr));
    if (!key)
        refuse(file, text.find("ENCRYPTED") != std::string::npos
                         ? "the key has a passphrase; store it without one"
                         : "it contains no private key in PEM format");
    return key;
}

std::int64_t seconds_to(const ASN1_TIME* at, WallTime now) {
    const auto from = owned<ASN1_TIME, ASN1_TIME_free>(
        ASN1_TIME_set(nullptr, static_cast<time_t>(now.unix_us / 1'000'000)));
    int days = 0, seconds = 0;
    if (ASN1_TIME_diff(&days, &seconds, from.get(), at) != 1) return 0;
    return std::int64_t{days} * 24 * 3600 + seconds;
}

std::string date_of(const ASN1_TIME* at) {
    std::tm day{};
    if (ASN1_TIME_to_tm(at, &day) != 1) return "an unknown date";
    std::array<char, 32> text;
    return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M UTC", &day)};
}

void examine_times(const X509* one, const std::string& name, WallTime now,
                   std::vector<Finding>& found) {
    const auto tell = [&](const std::string& message) {
        found.push_back({Finding::About::certificate, true, message});
    };
    const ASN1_TIME* const begin = X509_get0_notBefore(one);
    const ASN1_TIME* const end = X509_get0_notAfter(one);
    if (seconds_to(begin, now) > 0) tell(name + " is not valid before " + date_of(begin));
    const std::int64_t left = seconds_to(end, now);
    if (left <= 0)
        tell(name + " expired at " + date_of(end));
    else if (left < soon_s)
        tell(name + " expires at " + date_of(end) + ", in less than " +
             std::to_string(left / day_s + 1) + " days");
}

void examine_strength(const EVP_PKEY* key, std::vector<Finding>& found) {
    const int bits = EVP_PKEY_get_bits(key);
    const bool rsa = EVP_PKEY_is_a(key, "RSA") == 1 || EVP_PKEY_is_a(key, "RSA-PSS") == 1;
    const bool weak =
        rsa ? bits < least_rsa_bits : EVP_PKEY_is_a(key, "EC") == 1 && bits < least_ec_bits;
    if (weak)
        found.push_back({Finding::About::key, true,
                         "the key has " + std::to_string(bits) + " bits, which is weak"});
}

// Returns OpenSSL's reason to refuse the pair (its security level checks key sizes and hashes);
// empty: accepted. Checks each pair at load, as a refusal in a handshake comes too late.
std::string why_unusable(X509* leaf, EVP_PKEY* key, stack_st_X509* chain) {
    const auto rules = tls_rules(TLS_server_method(), TlsVersion::v1_2);
    ERR_clear_error();
    if (SSL_CTX_use_cert_and_key(rules.get(), leaf, key, chain, 1) == 1) return {};
    const char* const reason = ERR_reason_error_string(ERR_peek_error());
    ERR_clear_error();
    return std::string("OpenSSL does not serve it: ") + (reason == nullptr ? "unknown" : reason);
}

void examine_access(const std::string& key_file, std::vector<Finding>& found) {
    struct stat about {};
    if (::stat(key_file.c_str(), &about) != 0 || (about.st_mode & S_IROTH) == 0) return;
    found.push_back({Finding::About::key, true,
                     key_file + ": every user of this machine can read the key; run chmod o-r"});
}

void examine_use(X509* leaf, EVP_PKEY* key, stack_st_X509* chain,
                 const std::string& certificate_file, std::vector<Finding>& found) {
    if (const auto why = why_unusable(leaf, key, chain); !why.empty())
        found.push_back({Finding::About::certificate, false, certificate_file + ": " + why});
}

// As OpenSSL judges in a handshake, but for the dates.
std::string why_untrusted(X509* leaf, stack_st_X509* chain, stack_st_X509* authorities, bool server,
                          const std::string& name) {
    const auto verdict = owned<X509_STORE_CTX, X509_STORE_CTX_free>(X509_STORE_CTX_new());
    if (!verdict || X509_STORE_CTX_init(verdict.get(), nullptr, leaf, chain) != 1) return {};
    X509_STORE_CTX_set0_trusted_stack(verdict.get(), authorities);
    X509_STORE_CTX_set_default(verdict.get(), server ? "ssl_server" : "ssl_client");
    X509_VERIFY_PARAM* const asked = X509_STORE_CTX_get0_param(verdict.get());
    X509_VERIFY_PARAM_set_flags(asked, X509_V_FLAG_NO_CHECK_TIME);
    X509_VERIFY_PARAM_set_hostflags(asked, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    if (server && X509_VERIFY_PARAM_set1_ip_asc(asked, name.c_str()) != 1)
        X509_VERIFY_PARAM_set1_host(asked, name.c_str(), 0);
    const bool good = X509_verify_cert(verdict.get()) == 1;
    ERR_clear_error();
    return good ? "" : X509_verify_cert_error_string(X509_STORE_CTX_get_error(verdict.get()));
}

}  // namespace

KeyPair::KeyPair(const std::string& certificate_file, const std::string& key_file)
    : chain_(owned<stack_st_X509, free_all>(sk_X509_new_null())) {
    leaf_ = read_chain(certificate_file, chain_.get());
    key_ = read_key(key_file);
    if (X509_check_private_key(leaf_.get(), key_.get()) != 1)
        refuse(key_file, "it is not the key of the certificate in " + certificate_file);
    if (const auto why = why_unusable(leaf_.get(), key_.get(), chain_.get()); !why.empty())
        refuse(certificate_file, why);
}

bool KeyPair::names(std::string_view host, bool wildcards) const {
    const unsigned flags = X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS |
                           (wildcards ? 0U : unsigned{X509_CHECK_FLAG_NO_WILDCARDS});
    return X509_check_host(leaf_.get(), host.data(), host.size(), flags, nullptr) == 1;
}

bool KeyPair::shares_name_with(const KeyPair& other) const {
    const auto all = owned<GENERAL_NAMES, GENERAL_NAMES_free>(static_cast<GENERAL_NAMES*>(
        X509_get_ext_d2i(leaf_.get(), NID_subject_alt_name, nullptr, nullptr)));
    for (int i = 0; all && i < sk_GENERAL_NAME_num(all.get()); ++i) {
        const GENERAL_NAME* const name = sk_GENERAL_NAME_value(all.get(), i);
        if (name->type != GEN_DNS) continue;
        const auto* const text = reinterpret_cast<const char*>(ASN1_STRING_get0_data(name->d.ia5));
        const auto size = static_cast<std::size_t>(ASN1_STRING_length(name->d.ia5));
        if (other.names({text, size}, false)) return true;
    }
    return false;
}

std::vector<Finding> examine(const std::string& certificate_file, const std::string& key_file,
                             WallTime now) {
    std::vector<Finding> found;
    const auto chain = owned<stack_st_X509, free_all>(sk_X509_new_null());
    std::shared_ptr<X509> leaf;
    std::shared_ptr<EVP_PKEY> key;
    try {
        leaf = read_chain(certificate_file, chain.get());
        examine_times(leaf.get(), "the certificate", now, found);
        for (int i = 0; i < sk_X509_num(chain.get()); ++i) {
            const X509* const one = sk_X509_value(chain.get(), i);
            examine_times(one, "its intermediate certificate " + subject_of(*one), now, found);
        }
    } catch (const std::runtime_error& why) {
        found.push_back({Finding::About::certificate, false, why.what()});
    }
    try {
        key = read_key(key_file);
        examine_strength(key.get(), found);
        examine_access(key_file, found);
    } catch (const std::runtime_error& why) {
        found.push_back({Finding::About::key, false, why.what()});
    }
    if (leaf && key && X509_check_private_key(leaf.get(), key.get()) != 1)
        found.push_back(
            {Finding::About::key, false,
             key_file + ": it is not the key of the certificate in " + certificate_file});
    else if (leaf && key)
        examine_use(leaf.get(), key.get(), chain.get(), certificate_file, found);
    ERR_clear_error();
    return found;
}

// Does not use SSL_CTX_load_verify_file, which opens the file itself and waits if it is a pipe.
void trust_authorities(SSL_CTX* rules, const std::string& file, bool tell_clients) {
    const auto others = owned<stack_st_X509, free_all>(sk_X509_new_null());
    const auto first = read_chain(file, others.get());
    for (int i = -1; i < sk_X509_num(others.get()); ++i) {
        X509* const one = i < 0 ? first.get() : sk_X509_value(others.get(), i);
        if (X509_STORE_add_cert(SSL_CTX_get_cert_store(rules), one) != 1 ||
            (tell_clients && SSL_CTX_add_client_CA(rules, one) != 1))
            refuse_tls(file);
    }
}

std::vector<Finding> examine_authorities(const std::string& file, WallTime now) {
    std::vector<Finding> found;
    const auto others = owned<stack_st_X509, free_all>(sk_X509_new_null());
    try {
        const auto first = read_chain(file, others.get());
        const X509* last = first.get();
        const auto rank = [now](const X509& one) {
            return std::pair(begin_of(one).unix_us <= now.unix_us, expiry_of(one).unix_us);
        };
        for (int i = 0; i < sk_X509_num(others.get()); ++i)
            if (const X509* one = sk_X509_value(others.get(), i); rank(*one) > rank(*last))
                last = one;
        examine_times(last, "its certificate " + subject_of(*last), now, found);
    } catch (const std::runtime_error& why) {
        found.push_back({Finding::About::certificate, false, why.what()});
    }
    return found;
}

std::string examine_trust(const std::string& certificate_file, const std::string& ca_file,
                          const std::string& name) {
    const auto chain = owned<stack_st_X509, free_all>(sk_X509_new_null());
    const auto authorities = owned<stack_st_X509, free_all>(sk_X509_new_null());
    try {
        const auto leaf = read_chain(certificate_file, chain.get());
        sk_X509_push(authorities.get(), X509_dup(read_chain(ca_file, authorities.get()).get()));
        if (auto why = why_untrusted(leaf.get(), chain.get(), authorities.get(), false, {});
            !why.empty())
            return "as a client's: " + why;
        return why_untrusted(leaf.get(), chain.get(), authorities.get(), true, name);
    } catch (const std::runtime_error&) {
        return {};  // examine() and examine_authorities() tell it
    }
}

std::string digest_of_file(const std::string& file) {
    std::string text;
    try {
        text = contents(file);
    } catch (const std::runtime_error&) {
        return {};
    }
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
    unsigned size = 0;
    if (EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha256(), nullptr) != 1)
        return {};
    return {reinterpret_cast<const char*>(digest.data()), size};
}

std::string subject_of(const X509& certificate) {
    const auto bio = owned<BIO, BIO_free_all>(BIO_new(BIO_s_mem()));
    X509_NAME_print_ex(bio.get(), X509_get_subject_name(&certificate), 0, XN_FLAG_RFC2253);
    char* text = nullptr;
    const long size = BIO_get_mem_data(bio.get(), &text);
    return size > 0 ? std::string(text, static_cast<std::size_t>(size)) : std::string();
}

WallTime begin_of(const X509& certificate) {
    return {seconds_to(X509_get0_notBefore(&certificate), WallTime{}) * 1'000'000};
}

WallTime expiry_of(const X509& certificate) {
    return {seconds_to(X509_get0_notAfter(&certificate), WallTime{}) * 1'000'000};
}

const X509& first_to_end(const KeyPair& pair) {
    const X509* first = pair.leaf();
    for (int i = 0; i < sk_X509_num(pair.chain()); ++i) {
        const X509* const one = sk_X509_value(pair.chain(), i);
        if (expiry_of(*one).unix_us < expiry_of(*first).unix_us) first = one;
    }
    return *first;
}

std::vector<std::shared_ptr<const X509>> authorities_of(SSL_CTX* rules) {
    std::vector<std::shared_ptr<const X509>> out;
    STACK_OF(X509)* const all = X509_STORE_get1_all_certs(SSL_CTX_get_cert_store(rules));
    for (int i = 0; i < sk_X509_num(all); ++i) {
        X509* const one = sk_X509_value(all, i);
        X509_up_ref(one);
        out.emplace_back(one, [](X509* certificate) { X509_free(certificate); });
    }
    sk_X509_pop_free(all, X509_free);
    return out;
}

std::string fingerprint_of(const X509& certificate) {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
    unsigned size = 0;
    if (X509_digest(&certificate, EVP_sha256(), digest.data(), &size) != 1) return {};
    std::string text(hex_size(size), '\0');
    encode_hex({digest.data(), size}, text.data());
    return text;
}

}  // namespace ticketgate::net
