#include "config/rows.hpp"
#include "config/sections.hpp"

namespace ticketgate::config {
namespace {

constexpr std::array upstream_rows{
    like("\"http://127.0.0.1:8000\"",
         required_unless(
             "workers",
             plain("url", Kind::url, filled_by<Upstream, read_url, &Upstream::url>,
                   "http://host:port, https://host:port or unix:/path; for php-fpm "
                   "fastcgi://host:port or fastcgi+unix:/path. The port may be left out: 80, 443, "
                   "and for fastcgi 9000. A URL has no path here: requests keep their own. Not "
                   "needed with workers."))),
    commented(nested("fastcgi", Kind::section, Section::fcgi, part<&Upstream::fcgi>,
                     "For a fastcgi url, and for workers: where the scripts are, and which script "
                     "a path names. php-fpm.yaml is a whole example.")),
    commented(nested("workers", Kind::section, Section::workers, part<&Upstream::workers>,
                     "In place of url: FastCGI workers that ticketgate starts itself, such as "
                     "php-cgi. workers.yaml is a whole example.")),
    count("max_idle", field<&Upstream::max_idle>, 0, 100000,
          "Idle connections that each thread keeps for reuse."),
    duration("idle_timeout", field<&Upstream::idle_timeout>,
             "Closes a connection that was not used for this time. Keep it below the backend's own "
             "keep-alive time (Apache: 5s)."),
    size("max_head", field<&Upstream::max_head>, "The largest response head. Above it: 502.", kib,
         mib),
    count("max_headers", field<&Upstream::max_headers>, 1, 10000,
          "The most fields in a response head. Above it: 502."),
    flag("rewrite_location", field<&Upstream::rewrite_location>,
         "Rewrites Location and Refresh of a response that name the backend's own address, or the "
         "client's host with the backend's port, to the scheme and Host that the client used. "
         "Other redirects stay as they are. Has no meaning for php-fpm and unix sockets."),
    commented(like("{root: /var/www/html}",
                   nested("files", Kind::section, Section::files, part<&Upstream::files>,
                          "Static files of every route to this backend, where the route does not "
                          "set them itself. Its keys are those of files of a route."))),
    commented(nested("tls", Kind::section, Section::upstream_tls, part<&Upstream::tls>,
                     "For an https url: how the backend's certificate is checked.")),
};

constexpr std::array upstream_tls_rows{
    flag("verify", field<&UpstreamTls::verify>,
         "Checks that a CA of ca_file signed the backend's certificate and that it is for "
         "server_name. If it is not: 502."),
    like("/etc/ticketgate/backend-ca.pem",
         plain("ca_file", Kind::file, field<&UpstreamTls::ca_file>,
               "A PEM file with the CAs that may sign the backend's certificate, relative to this "
               "file. Without it, the system's CAs.")),
    like("app.internal",
         plain("server_name", Kind::text, field<&UpstreamTls::server_name>,
               "The name that must be in the backend's certificate, also sent as SNI. Without it, "
               "the host of the url.")),
    like("/etc/ticketgate/client.pem",
         plain("certificate", Kind::file, field<&UpstreamTls::certificate>,
               "A PEM file with ticketgate's own certificate, for a backend that asks for one. "
               "Needs key.")),
    like("/etc/ticketgate/client-key.pem",
         plain("key", Kind::file, field<&UpstreamTls::key>, "The private key of certificate.")),
};

constexpr std::array fcgi_rows{
    like("/var/www/html",
         required(plain("root", Kind::folder, filled_by<Fcgi, read_root, &Fcgi::root>,
                        "The document root as php-fpm sees it. It may be in another container."))),
    flag(
        "resolve_root", field<&Fcgi::resolve_root>,
        "Follows the symbolic links in root, looking again each second, and names the folder that "
        "they lead to in SCRIPT_FILENAME and DOCUMENT_ROOT, as nginx does with $realpath_root. For "
        "deployments that move a link: PHP's caches then take the new scripts at once. ticketgate "
        "must see the same folders as the application."),
    plain("script", Kind::script, field<&Fcgi::script>,
          "The script for every path that names no .php file (a front controller). With off, "
          "index serves paths that name a folder."),
    plain("index", Kind::file_name, field<&Fcgi::index>,
          "With script: off, the script of a path that names a folder."),
    flag("split", field<&Fcgi::split>,
         "Lets a path name a script: its first segment that ends in .php. What follows is "
         "PATH_INFO. With false, every path runs script, which must be set, and no other file "
         "can be run from outside."),
    plain("params", Kind::variables, field<&Fcgi::params>,
          "More CGI variables ($_SERVER), or other values for known ones."),
    flag("keep_alive", field<&Fcgi::keep_alive>,
         "Keeps connections (FCGI_KEEP_CONN). Each idle connection occupies a worker of php-fpm."),
    commented(nested("status", Kind::section, Section::fcgi_status, part<&Fcgi::status>,
                     "php-fpm's status page. Queues with release: worker_idle need it, except with "
                     "workers, which have none.")),
};

constexpr std::array fcgi_status_rows{
    like("\"fastcgi://127.0.0.1:9001\"",
         required(plain("url", Kind::fcgi_url,
                        filled_by<FcgiStatus, read_status_url, &FcgiStatus::url>,
                        "fastcgi://host:port or fastcgi+unix:/path: php-fpm's pm.status_listen, "
                        "which answers even when every worker is busy."))),
    plain("path", Kind::script, filled_by<FcgiStatus, read_status_path, &FcgiStatus::path>,
          "php-fpm's pm.status_path."),
};

}  // namespace

constinit const std::span<const Key> upstream_keys = upstream_rows;
constinit const std::span<const Key> upstream_tls_keys = upstream_tls_rows;
constinit const std::span<const Key> fcgi_keys = fcgi_rows;
constinit const std::span<const Key> fcgi_status_keys = fcgi_status_rows;

}  // namespace ticketgate::config
