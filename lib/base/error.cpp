#include "base/error.hpp"

#include <string>

namespace ticketgate {
namespace {

const char* text_of_cluster(errc e) {
    switch (e) {
        case errc::not_a_replica:
            return "only replicas of the cluster may connect here";
        case errc::line_moved:
            return "the queue moved to another replica; the request was not started";
        case errc::cluster_away:
            return "no replica of the cluster can serve the queue now";
        case errc::word_given:
            return "nothing of that term runs here";
        case errc::no_word:
            return "something of that term may run here";
        case errc::keeper_lost:
            return "the replica that had the request was lost";
        case errc::keeper_silent:
            return "the replica that keeps the queue did not answer in time";
        default:
            return "unknown error";
    }
}

const char* text(errc e) {
    switch (e) {
        case errc::bad_request:
            return "bad request";
        case errc::head_timeout:
            return "the request head did not arrive in time";
        case errc::body_timeout:
            return "the request body did not arrive in time";
        case errc::body_too_large:
            return "the request body is too large";
        case errc::uri_too_long:
            return "the request target is too long";
        case errc::head_too_large:
            return "the request head is too large";
        case errc::expectation_failed:
            return "the expectation cannot be met";
        case errc::method_refused:
            return "the method is not served by a gateway";
        case errc::version_refused:
            return "the HTTP version is not supported";
        case errc::too_many_connections:
            return "the client has too many connections";
        case errc::not_trusted:
            return "the peer is not a trusted proxy";
        case errc::last_hop:
            return "the request has no forwards left (Max-Forwards)";
        case errc::plain_http:
            return "plain HTTP was sent to a port that speaks HTTPS";
        case errc::handshake_outdated:
            return "the rules for client certificates have changed since this connection began";
        case errc::no_route:
            return "no route matches the request";
        case errc::no_file:
            return "there is no such file";
        case errc::misdirected:
            return "no site of this host is served here";
        case errc::queue_full:
            return "the queue is full";
        case errc::wait_timeout:
            return "the wait in the queue timed out";
        case errc::call_accepted:
            return "the call runs in its turn";
        case errc::inside_call:
            return "the backend called itself while it held the slot";
        case errc::draining:
            return "the server is stopping";
        case errc::stopped:
            return "the server stopped before the backend answered";
        case errc::slot_revoked:
            return "the request was released before it was sent to the backend";
        case errc::not_a_replica:
        case errc::line_moved:
        case errc::cluster_away:
        case errc::word_given:
        case errc::no_word:
        case errc::keeper_lost:
        case errc::keeper_silent:
            return text_of_cluster(e);
        case errc::upstream_refused:
            return "cannot connect to the backend";
        case errc::upstream_untrusted:
            return "the TLS handshake with the backend failed";
        case errc::upstream_connect_timeout:
            return "the backend did not accept a connection in time";
        case errc::upstream_broke:
            return "the backend ended its response early";
        case errc::upstream_lost:
            return "the network to the backend failed";
        case errc::upstream_bad_response:
            return "the backend's response is not valid";
        case errc::upstream_timeout:
            return "the backend did not answer in time";
        case errc::upstream_overloaded:
            return "the backend is overloaded";
        case errc::spool_full:
            return "the spool is full or cannot be written";
        case errc::spool_lost:
            return "the request body could not be read back from the spool";
        case errc::internal:
            return "the proxy could not serve the request";
        case errc::input_full:
            return "too many requests are incomplete";
        case errc::files_busy:
            return "the file cannot be read now";
        case errc::file_late:
            return "the file could not be read in time";
        case errc::file_lost:
            return "the file changed while it was sent";
        case errc::client_closed:
            return "the client closed the connection";
        case errc::idle:
            return "the connection was idle";
    }
    return "unknown error";
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wnon-virtual-dtor"  // Boost's base class is like that
class Category final : public boost::system::error_category {
 public:
    const char* name() const noexcept override { return "ticketgate"; }
    std::string message(int value) const override { return text(static_cast<errc>(value)); }
};
#pragma GCC diagnostic pop

}  // namespace

const boost::system::error_category& category() noexcept {
    static const Category instance;
    return instance;
}

}  // namespace ticketgate
