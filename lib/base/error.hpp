// errc: every reason for a request to end early, in one category. Only proxy/failure turns an errc
// into a response.
#pragma once

#include <boost/system/error_code.hpp>
#include <boost/system/result.hpp>

namespace ticketgate {

using boost::system::error_code;
template <class T>
using result = boost::system::result<T>;

enum class errc {
    // the client's request
    bad_request = 1,       ///< 400: not HTTP, or HTTP that two parsers could read differently
    head_timeout,          ///< 408: the head did not arrive in time
    body_timeout,          ///< 408: the body did not arrive in time
    body_too_large,        ///< 413
    uri_too_long,          ///< 414
    head_too_large,        ///< 431
    expectation_failed,    ///< 417: an Expect other than 100-continue
    method_refused,        ///< 405: CONNECT and TRACE are not served
    version_refused,       ///< 505: a major version other than 1
    too_many_connections,  ///< 429: too many from this client
    not_trusted,           ///< a PROXY header from a peer that may not send one; closed
    last_hop,              ///< 204: OPTIONS with Max-Forwards: 0 ends here
    plain_http,            ///< 400: plain HTTP on a TLS port
    handshake_outdated,    ///< 421: a reload changed which certificates are good; reconnect
    // routing
    no_route,     ///< 404: no route matches the request
    no_file,      ///< 404: a route with files has none for this path, or hides it
    misdirected,  ///< 421: routes name hosts, and none names the request's (RFC 9110 15.5.20)
    // the line
    queue_full,     ///< answered as on_full says
    wait_timeout,   ///< answered as on_wait_timeout says
    call_accepted,  ///< 202: a call from inside that runs later; nobody waits for its answer
    inside_call,    ///< 508: the backend called itself, and the call may not wait or run
    draining,       ///< 503: stopping
    stopped,        ///< 502: stopping; the backend may still run the request
    slot_revoked,   ///< 503: an operator gave the slot away before the request was sent
    // the line of a cluster
    not_a_replica,  ///< 403: the listener for replicas, without their secret
    line_moved,     ///< 503: another replica keeps the line; the request was not started
    cluster_away,   ///< 503: no replica may grant, as far as this one knows
    word_given,     ///< 204: to a replica: nothing of the term that it asks for runs here
    no_word,        ///< 409: to a replica: not yet
    keeper_lost,    ///< 502: the replica that had the request is gone; it may have run
    keeper_silent,  ///< 504: the replica that has the request says nothing; it may run
    // the backend
    upstream_refused,          ///< 502: no connection could be made
    upstream_untrusted,        ///< 502: the TLS handshake failed, or the certificate is not good
    upstream_connect_timeout,  ///< 504: no connection within connect_timeout
    upstream_broke,            ///< 502: ended or failed before its response was whole
    upstream_lost,             ///< 502: this machine gave the connection up; it may work on
    upstream_bad_response,     ///< 502: not HTTP
    upstream_timeout,          ///< 504: silent past response_timeout
    upstream_overloaded,       ///< 503: a FastCGI backend reports that it is overloaded
    // ourselves
    spool_full,  ///< 503: spool memory or disk is at its limit
    spool_lost,  ///< 502: a spooled body cannot be read back
    internal,    ///< 500: an exception, such as no memory
    input_full,  ///< 503: max_input is full, kept for requests not yet whole
    files_busy,  ///< 503: too many files are open, too many reads wait, or the disk fails
    file_late,   ///< 504: the disk did not give the file in time
    file_lost,   ///< 500: a file became shorter, or unreadable, while it was sent
    // no answer possible or needed
    client_closed,  ///< 499 in the log only
    idle,           ///< a keep-alive connection ended between requests
};

const boost::system::error_category& category() noexcept;
inline error_code make_error_code(errc e) noexcept {
    return {static_cast<int>(e), category()};
}
// Without a second code, whose making calls the category.
inline bool operator==(const error_code& code, errc wanted) noexcept {
    return code.value() == static_cast<int>(wanted) && code.category() == category();
}

}  // namespace ticketgate

template <>
struct boost::system::is_error_code_enum<ticketgate::errc> : std::true_type {};
