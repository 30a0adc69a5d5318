#include "support/tls.hpp"

#include <openssl/pem.h>
#include <openssl/ssl.h>

#include <csignal>
#include <stdexcept>

namespace ticketgate::test {

struct TlsEnd::Kept {
    std::shared_ptr<SSL_SESSION> session;
};

namespace {

std::shared_ptr<SSL_CTX> make(const SSL_METHOD* method) {
    std::signal(SIGPIPE, SIG_IGN);  // OpenSSL writes without MSG_NOSIGNAL
    std::shared_ptr<SSL_CTX> made(SSL_CTX_new(method), SSL_CTX_free);
    if (!made) throw std::runtime_error("no TLS");
    SSL_CTX_set_mode(made.get(),
                     SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    return made;
}

void must(int done, const std::string& what) {
    if (done != 1) throw std::runtime_error("TLS of the test: " + what);
}

void load(SSL_CTX* into, const KeyFiles& files) {
    must(SSL_CTX_use_certificate_chain_file(into, files.certificate.c_str()), files.certificate);
    must(SSL_CTX_use_PrivateKey_file(into, files.key.c_str(), SSL_FILETYPE_PEM), files.key);
}

}  // namespace

TlsEnd TlsEnd::client(const std::string& ca, const std::string& name) {
    TlsEnd end(make(TLS_client_method()), false);
    end.name_ = name;
    if (ca.empty()) return end;
    must(SSL_CTX_load_verify_file(end.made_.get(), ca.c_str()), ca);
    SSL_CTX_set_verify(end.made_.get(), SSL_VERIFY_PEER, nullptr);
    return end;
}

TlsEnd TlsEnd::server(const KeyFiles& files) {
    TlsEnd end(make(TLS_server_method()), true);
    load(end.made_.get(), files);
    return end;
}

TlsEnd& TlsEnd::with(const KeyFiles& own) {
    load(made_.get(), own);
    return *this;
}

TlsEnd& TlsEnd::shows(const KeyFiles& other, int times) {
    BIO* const file = BIO_new_file(other.certificate.c_str(), "r");
    X509* const one = PEM_read_bio_X509(file, nullptr, nullptr, nullptr);
    for (int i = 0; i < times; ++i) SSL_CTX_add1_chain_cert(made_.get(), one);
    X509_free(one);
    BIO_free(file);
    return *this;
}

TlsEnd& TlsEnd::only(int version) {
    SSL_CTX_set_min_proto_version(made_.get(), version);
    SSL_CTX_set_max_proto_version(made_.get(), version);
    return *this;
}

TlsEnd& TlsEnd::speaks(const std::string& protocols) {
    SSL_CTX_set_alpn_protos(made_.get(), reinterpret_cast<const unsigned char*>(protocols.data()),
                            static_cast<unsigned>(protocols.size()));
    return *this;
}

TlsEnd& TlsEnd::signs(const char* algorithms) {
    must(static_cast<int>(SSL_CTX_set1_sigalgs_list(made_.get(), algorithms)), algorithms);
    return *this;
}

TlsEnd& TlsEnd::takes_from(const std::string& ca) {
    must(SSL_CTX_load_verify_file(made_.get(), ca.c_str()), ca);
    SSL_CTX_set_verify(made_.get(), SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
    return *this;
}

TlsEnd& TlsEnd::resuming() {
    resume_ = true;
    kept_ = std::make_shared<Kept>();
    SSL_CTX_set_app_data(made_.get(), kept_.get());
    SSL_CTX_set_session_cache_mode(made_.get(), SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
    SSL_CTX_sess_set_new_cb(made_.get(), [](SSL* ssl, SSL_SESSION* session) {
        static_cast<Kept*>(SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl)))
            ->session.reset(session, SSL_SESSION_free);
        return 1;
    });
    return *this;
}

std::shared_ptr<SSL> TlsEnd::open() const {
    std::shared_ptr<SSL> ssl(SSL_new(made_.get()), SSL_free);
    server_ ? SSL_set_accept_state(ssl.get()) : SSL_set_connect_state(ssl.get());
    if (!name_.empty()) {
        SSL_set_tlsext_host_name(ssl.get(), name_.c_str());
        SSL_set1_host(ssl.get(), name_.c_str());
    }
    if (kept_ && kept_->session) SSL_set_session(ssl.get(), kept_->session.get());
    return ssl;
}

}  // namespace ticketgate::test
