// Certificates that cost more than those of honest clients are not parsed.
#include "net/tls_chain.hpp"

#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include "net/tls_stream.hpp"
#include "tls_pair.hpp"

namespace ticketgate::net {
namespace {

constexpr const char* too_many = "more than 10 certificates";
constexpr const char* too_fine = "certificates of more than 1800 elements";
constexpr const char* rare_curve =
    "a certificate with a key on a curve that is rare and costs much, as P-224";

std::string sized(std::string_view bytes, int octets) {
    std::string out;
    for (int shift = 8 * (octets - 1); shift >= 0; shift -= 8)
        out += static_cast<char>(bytes.size() >> static_cast<unsigned>(shift));
    return out + std::string(bytes);
}

std::string message(const std::vector<std::string>& certificates, bool in_1_3) {
    std::string list;
    for (const auto& one : certificates)
        list += sized(one, 3) + (in_1_3 ? std::string(2, '\0') : "");
    return "\x0b" + sized((in_1_3 ? std::string(1, '\0') : "") + sized(list, 3), 3);
}

std::string element(char tag, std::string_view content) {
    return tag + std::string("\x82") + sized(content, 2);
}

// A certificate that is cheap to parse.
const std::string simple = element('\x30', element('\x03', std::string(1000, 'k')));

class Chain : public testing::TestWithParam<bool> {
 protected:
    static const char* judge(const std::vector<std::string>& certificates) {
        return why_costly(message(certificates, GetParam()), GetParam());
    }
};

TEST_P(Chain, MayHaveTenCertificates) {
    EXPECT_EQ(judge({}), nullptr);
    EXPECT_EQ(judge(std::vector(10, simple)), nullptr);
    EXPECT_STREQ(judge(std::vector(11, simple)), too_many);
}

TEST_P(Chain, IsCountedAsFarAsItGoes) {
    std::string cut = message(std::vector(11, simple), GetParam());
    cut.resize(cut.size() - 500);
    EXPECT_STREQ(why_costly(cut, GetParam()), too_many);
    for (std::size_t size = 0; size < 40; ++size)
        EXPECT_EQ(why_costly(cut.substr(0, size), GetParam()), nullptr);
}

TEST_P(Chain, MayHaveTwoThousandElements) {
    std::string elements;
    for (std::size_t i = 1; i < most_chain_elements; ++i) elements += std::string("\x82\0", 2);
    EXPECT_EQ(judge({element('\x30', elements)}), nullptr);
    EXPECT_STREQ(judge({element('\x30', elements), simple}), too_fine);
    // The value of an extension holds others, too.
    EXPECT_STREQ(judge({element('\x30', element('\x04', elements))}), too_fine);
    EXPECT_STREQ(judge({std::string("\x30\x80", 2) + elements + elements}), too_fine)
        << "without a size";
    EXPECT_STREQ(judge({std::string("\x3f\x81\x01\x80", 4) + elements + elements}), too_fine)
        << "with a long tag";
}

// The second piece begins within an element.
TEST_P(Chain, CountsAStringInPiecesByItsBytes) {
    const std::string pieces = element('\x04', std::string("\x30\x82", 2)) +
                               element('\x04', std::string(most_chain_elements, '\x05'));
    EXPECT_STREQ(judge({element('\x24', pieces)}), too_fine);
    EXPECT_EQ(judge({element('\xa4', pieces)}), nullptr) << "no string, but a tag of a context";
}

TEST_P(Chain, CountsWhatIsNestedDeeplyByItsBytes) {
    std::string nested;
    for (int i = 0; i < 7000; ++i) nested += "\x30\x80";
    EXPECT_STREQ(judge({nested}), too_fine);
}

TEST_P(Chain, HasNoKeyOnARareCurveThatCostsMuch) {
    const auto key = [](std::string_view curve) {
        return element('\x30', "\x06" + sized(curve, 1) + element('\x03', std::string(57, 'k')));
    };
    const auto sec = [](char which) { return std::string("\x2b\x81\x04\x00", 4) + which; };
    EXPECT_STREQ(judge({simple, key("\x2a\x86\x48\xce\x3d\x01\x01")}), rare_curve) << "its own";
    EXPECT_STREQ(judge({simple, key("\x2a\x86\x48\xce\x3d\x01\x02")}), rare_curve);
    const std::string_view binary("\x2a\x86\x48\xce\x3d\x03\x00\x13", 8);
    EXPECT_STREQ(judge({simple, key(binary)}), rare_curve) << "c2pnb368w1";
    EXPECT_STREQ(judge({simple, key("\x67\x2b\x01\x04\x0c")}), rare_curve) << "wtls12";
    EXPECT_EQ(judge({simple, key("\x2a\x86\x48\xce\x3d\x03\x01\x07")}), nullptr) << "P-256";
    for (const char which : {'\x21', '\x26', '\x20'})
        EXPECT_STREQ(judge({key(sec('\x22')), key(sec(which))}), rare_curve) << int(which);
    for (const char which : {'\x22', '\x23', '\x0a'})
        EXPECT_EQ(judge({simple, key(sec(which))}), nullptr) << int(which);
}

INSTANTIATE_TEST_SUITE_P(Of, Chain, testing::Bool(), [](const auto& each) {
    return std::string(each.param ? "Tls13" : "Tls12");
});

TEST(Chain, IsLookedForInACertificateMessageOnly) {
    std::string other = message(std::vector(11, simple), false);
    other.front() = '\x0f';
    EXPECT_EQ(why_costly(other, false), nullptr);
}

// ── with OpenSSL ──

struct FreeRules {
    void operator()(SSL_CTX* rules) const { SSL_CTX_free(rules); }
};
struct FreeCertificate {
    void operator()(X509* one) const { X509_free(one); }
};
struct FreeKey {
    void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};
using Certificate = std::unique_ptr<X509, FreeCertificate>;

std::unique_ptr<EVP_PKEY, FreeKey> new_key(const char* encoding) {
    EVP_PKEY_CTX* const maker = EVP_PKEY_CTX_new_from_name(nullptr, "EC", nullptr);
    EVP_PKEY* made = nullptr;
    EXPECT_EQ(EVP_PKEY_keygen_init(maker), 1);
    EVP_PKEY_CTX_set_group_name(maker, "P-256");
    EVP_PKEY_keygen(maker, &made);
    EVP_PKEY_set_utf8_string_param(made, OSSL_PKEY_PARAM_EC_ENCODING, encoding);
    EVP_PKEY_CTX_free(maker);
    return std::unique_ptr<EVP_PKEY, FreeKey>(made);
}

Certificate filler(const char* encoding = OSSL_PKEY_EC_ENCODING_GROUP) {
    const auto key = new_key(encoding);
    Certificate made(X509_new());
    X509_gmtime_adj(X509_getm_notBefore(made.get()), 0);
    X509_gmtime_adj(X509_getm_notAfter(made.get()), 3600);
    X509_set_pubkey(made.get(), key.get());
    X509_sign(made.get(), key.get(), EVP_sha256());
    return made;
}

// A server that asks for a certificate, and a client that shows a good one and what the test adds.
class TlsChain : public testing::TestWithParam<int> {
 protected:
    TlsChain() {
        const auto own = Keys::get().authority.issue("guest");
        SSL_CTX_set_min_proto_version(rules_.get(), GetParam());
        SSL_CTX_set_max_proto_version(rules_.get(), GetParam());
        SSL_CTX_use_certificate_file(rules_.get(), own.certificate.c_str(), SSL_FILETYPE_PEM);
        SSL_CTX_use_PrivateKey_file(rules_.get(), own.key.c_str(), SSL_FILETYPE_PEM);
    }
    void add(X509* one, int times = 1) {
        for (int i = 0; i < times; ++i) SSL_CTX_add1_chain_cert(rules_.get(), one);
    }
    bool shakes_hands() {
        TlsServerSettings settings = serving(Keys::get().localhost);
        settings.client_auth = ClientAuth::required;
        settings.client_ca = Keys::get().authority.file();
        auto near = std::make_unique<MemoryStream>(pipe_);
        auto far = std::make_unique<MemoryStream>(pipe_);
        near->join(*far);
        MemoryStream *const below_server = near.get(), *const below_client = far.get();
        server_ = secure(server_with(settings), std::move(near));
        auto ssl = new_ssl(*rules_);
        SSL_set_connect_state(ssl.get());
        client_ = std::make_unique<TlsStream>(std::move(far), std::move(ssl),
                                              TlsStream::Role::client, nullptr);
        for (int i = 0; i < 100 && server_->secured() == nullptr && !server_->broken(); ++i) {
            char none = 0;
            (void)client_->connected();
            (void)server_->read_some({&none, 0});
            while (below_server->deliver() || below_client->deliver()) {
            }
        }
        return server_->secured() != nullptr;
    }

    Pipe pipe_;
    std::unique_ptr<SSL_CTX, FreeRules> rules_{SSL_CTX_new(TLS_client_method())};
    std::unique_ptr<Stream> server_, client_;
};

TEST_P(TlsChain, OfTenIsTaken) {
    add(filler().get(), 9);
    ASSERT_TRUE(shakes_hands()) << server_->fault();
    EXPECT_EQ(server_->secured()->client_subject, "CN=a test");
}

TEST_P(TlsChain, OfElevenIsRefused) {
    add(filler().get(), 10);
    EXPECT_FALSE(shakes_hands());
    EXPECT_EQ(server_->fault(), too_many);
    char none = 0;
    EXPECT_EQ(server_->read_some({&none, 1}).status, Io::failed) << "and stays so";
}

TEST_P(TlsChain, OfMoreBytesIsRefused) {
    const auto large = filler();
    const std::string text(60, 'o');
    for (int i = 0; i < 60; ++i)
        X509_NAME_add_entry_by_txt(X509_get_subject_name(large.get()), "O", MBSTRING_ASC,
                                   reinterpret_cast<const unsigned char*>(text.data()), 60, -1, 0);
    X509_sign(large.get(), new_key(OSSL_PKEY_EC_ENCODING_GROUP).get(), EVP_sha256());
    add(large.get(), 4);
    EXPECT_FALSE(shakes_hands());
    EXPECT_EQ(server_->fault(), "excessive message size");
}

TEST_P(TlsChain, WithACurveOfItsOwnIsRefused) {
    add(filler(OSSL_PKEY_EC_ENCODING_EXPLICIT).get());
    EXPECT_FALSE(shakes_hands());
    EXPECT_EQ(server_->fault(), rare_curve);
}

INSTANTIATE_TEST_SUITE_P(In, TlsChain, testing::Values(TLS1_2_VERSION, TLS1_3_VERSION),
                         [](const auto& each) {
                             return std::string(each.param == TLS1_3_VERSION ? "Tls13" : "Tls12");
                         });

}  // namespace
}  // namespace ticketgate::net
