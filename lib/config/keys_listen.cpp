#include "config/rows.hpp"
#include "config/sections.hpp"

namespace ticketgate::config {
namespace {

constexpr std::array listen_rows{
    like("\"0.0.0.0:8080\"",
         required(plain("address", Kind::address, filled_by<Listen, read_address, &Listen::address>,
                        "IP address and port, such as 0.0.0.0:8080, or unix:/path. [::]:8080 is "
                        "all of IPv6 and of IPv4."))),
    like("web", varying(plain("name", Kind::listener, field<&Listen::name>,
                              "A name that routes can ask for with listener."))),
    flag("proxy_protocol", field<&Listen::proxy_protocol>,
         "Requires a PROXY header (version 1 or 2) at the start of each connection. The header "
         "names the client. Only clients.trusted_proxies and programs on this machine may send "
         "one."),
    commented(nested("tls", Kind::section, Section::listen_tls, part<&Listen::tls>,
                     "Serves HTTPS on this address. Without it, the address serves plain HTTP. "
                     "More examples are in tls.yaml.")),
};

constexpr std::array listen_tls_rows{
    required(nested("certificates", Kind::list, Section::certificate,
                    part_by<read_certificates, &ListenTls::certificates>,
                    "The certificates, one for each set of names. The client's SNI selects one. A "
                    "client that sends no SNI, or an unknown name, gets the first.")),
    choice("min_version", field<&ListenTls::min_version>, "1.2|1.3", "The oldest version of TLS."),
    like("/etc/ticketgate/clients.pem",
         plain("client_ca", Kind::file, field<&ListenTls::client_ca>,
               "A PEM file with the certificates of the CAs that sign clients' certificates, "
               "relative to this file. client_auth needs it, and it needs client_auth.")),
    choice("client_auth", field<&ListenTls::client_auth>, "off|optional|required",
           "Whether a client must have a certificate. With optional and with required, a "
           "certificate that client_ca did not sign is refused."),
};

constexpr std::array certificate_rows{
    like("/etc/ticketgate/chain.pem",
         required(plain("certificate", Kind::file, field<&CertificateFiles::certificate>,
                        "A PEM file with the certificate and the intermediate certificates, "
                        "relative to this file. A reload reads it again."))),
    like("/etc/ticketgate/key.pem",
         required(plain("key", Kind::file, field<&CertificateFiles::key>,
                        "A PEM file with the private key, without a passphrase."))),
};

constexpr std::array admin_rows{
    like("\"127.0.0.1:9901\"",
         required(plain(
             "address", Kind::address, filled_by<Config, read_admin_address, &Config::admin>,
             "IP address and port, such as 127.0.0.1:9901, or unix:/path. Choose an address that "
             "other machines cannot reach."))),
    like("\"${TICKETGATE_ADMIN_TOKEN:-}\"",
         plain("token", Kind::text, field<&Config::admin_token>,
               "Lets other machines use write actions (release, drain, reload) with the header "
               "Authorization: Bearer TOKEN. Without a token, only programs on this machine can.")),
    count("max_connections", field<&Config::admin_limits, &AdminLimits::max_connections>, 1, 10000,
          "Open connections. One more closes the connection that has been idle for longest."),
    count("max_viewers", field<&Config::admin_limits, &AdminLimits::max_viewers>, 0, 10000,
          "Browsers that may look at the live page at the same time; each holds a connection, so "
          "keep it below max_connections. One more is told to try again."),
    duration("read_timeout", field<&Config::admin_limits, &AdminLimits::read_timeout>,
             "Closes a connection whose request has not arrived whole after this time."),
    duration("write_timeout", field<&Config::admin_limits, &AdminLimits::write_timeout>,
             "Closes a connection whose client has not taken the whole answer after this time."),
};

}  // namespace

constinit const std::span<const Key> listen_keys = listen_rows;
constinit const std::span<const Key> listen_tls_keys = listen_tls_rows;
constinit const std::span<const Key> certificate_keys = certificate_rows;
constinit const std::span<const Key> admin_keys = admin_rows;

}  // namespace ticketgate::config
