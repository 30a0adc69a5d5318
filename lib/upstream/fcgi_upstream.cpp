#include "upstream/fcgi_upstream.hpp"

#include "fcgi/pairs.hpp"
#include "fcgi/params.hpp"
#include "fcgi/record.hpp"
#include "fcgi/worker_table.hpp"
#include "fcgi/workers.hpp"
#include "http/rewrite.hpp"
#include "http/target.hpp"
#include "upstream/fcgi_exchange.hpp"

namespace ticketgate {
namespace {

// php-fpm keeps a connection only on request, and never says for how long.
UpstreamSettings without_pool(UpstreamSettings settings, bool keep_alive) {
    if (!keep_alive) settings.max_idle = 0;
    return settings;
}

// The usual size of the variables that do not come from the client's head.
constexpr std::size_t usual_pairs = 768;

std::shared_ptr<FcgiUpstream> status_of(const FcgiSettings& fcgi, net::Resolver& resolver,
                                        std::size_t loops, const net::Connect& connect) {
    if (!fcgi.status) return nullptr;
    return std::make_shared<FcgiUpstream>(*fcgi.status, FcgiSettings(), resolver, loops, connect);
}

}  // namespace

FcgiUpstream::FcgiUpstream(UpstreamSettings settings, FcgiSettings fcgi, net::Resolver& resolver,
                           std::size_t loops, const net::Connect& connect)
    : PooledUpstream(without_pool(std::move(settings), fcgi.keep_alive), resolver, loops, connect),
      fcgi_(std::move(fcgi)),
      status_(status_of(fcgi_, resolver, loops, connect)) {}

// CGI needs the length before the body. A HEAD stays a HEAD: FastCGI tells the end of the work
// apart from the end of the answer.
Prepared FcgiUpstream::prepare(const http::RequestHead& head, const RequestFacts& facts,
                               std::string& out) const {
    http::RequestEdits edits = facts.edits;
    Prepared how;
    how.needs_length = head.framing == http::Framing::chunked;
    edits.framing = how.needs_length ? http::Framing::until_close : head.framing;
    edits.content_length = head.content_length;
    const fcgi::Origin origin = facts.origin == nullptr ? fcgi::Origin() : facts.origin->origin();
    std::string written, pairs;
    const http::RequestHead edited = http::edit_request(head, edits, written);
    pairs.reserve(usual_pairs + head.bytes.size() + edits.added.size());
    fcgi::append_params(edited, head.version, edits.id_names, origin, fcgi_.scripts, facts.choice,
                        pairs);
    fcgi::append_begin(out, fcgi_.keep_alive);
    fcgi::append_stream(out, fcgi::Type::params, pairs);
    return how;
}

void FcgiUpstream::add_length(std::string& head, std::uint64_t length) const {
    std::string pair;
    fcgi::append_length(pair, length);
    fcgi::append_stream(head, fcgi::Type::params, pair);
}

// As variables that no client can set, and as those of the headers over HTTP.
void FcgiUpstream::add_fencing(std::string& head, const Fencing& fencing) const {
    std::string pairs;
    const std::string token = std::to_string(fencing.token);
    fcgi::append_pair(pairs, "FENCING_TOKEN", token);
    fcgi::append_pair(pairs, "FENCING_QUEUE", fencing.queue);
    fcgi::append_pair(pairs, fcgi::variable_of(fencing.header), token);
    fcgi::append_pair(pairs, fcgi::variable_of(fencing_queue_header), fencing.queue);
    fcgi::append_stream(head, fcgi::Type::params, pairs);
}

void FcgiUpstream::append_question(std::string& head) const {
    std::string pairs;
    for (const auto& [name, value] : {std::pair{"SCRIPT_NAME", fcgi_.status_path},
                                      {"SCRIPT_FILENAME", fcgi_.status_path},
                                      {"REQUEST_METHOD", "GET"},
                                      {"QUERY_STRING", "json&full"}})
        fcgi::append_pair(pairs, name, value);
    fcgi::append_begin(head, false);
    fcgi::append_stream(head, fcgi::Type::params, pairs);
}

// A request of ticketgate's own to the status address; it is neither logged nor queued.
std::unique_ptr<Exchange> FcgiUpstream::ask(net::Loop& loop, const net::Endpoint& sent_to,
                                            std::string& head) {
    append_question(head);
    return open_status(loop, sent_to);
}

std::unique_ptr<Exchange> FcgiUpstream::knock(net::Loop& loop, std::string& head) {
    append_question(head);
    return open(loop, true, false);
}

// Each pool resolves its name by itself, so pages of the same host can come from another machine
// than the answer did.
std::unique_ptr<Exchange> FcgiUpstream::open_status(net::Loop& loop, const net::Endpoint& sent_to) {
    const UpstreamSettings &page = status_->settings(), &scripts = settings();
    const bool same_host = !page.host.empty() && page.host == scripts.host;
    const bool known = sent_to.family() != AF_UNSPEC;
    if (same_host && known) return status_->open_at(loop, sent_to.with_port(page.port));
    return status_->open(loop, true, false);
}

result<fcgi::Working> FcgiUpstream::still_runs(std::string_view answer,
                                               const Answered& request) const {
    if (request.method.empty()) return errc::upstream_bad_response;  // no worker would match
    fcgi::Script script;
    if (request.script != nullptr) {
        script = *request.script;
    } else {
        std::string path;
        // The request was routed by its normal form, so it has one.
        (void)http::normalise_path(http::path_of(request.target), path);
        script = fcgi::find_script(path, fcgi_.scripts);
    }
    const auto query = std::min(request.target.find('?'), request.target.size() - 1);
    // On a kept connection php-fpm counts from when the worker began to wait for the request.
    const Time sent = fcgi_.keep_alive ? Time() : request.sent;
    const fcgi::Trace trace{request.method, fcgi::told_script(std::move(script), fcgi_.scripts),
                            request.target.substr(query + 1), sent, request.ended};
    return fcgi::still_runs(answer, trace, {request.asked, request.told});
}

error_code FcgiUpstream::readable(std::string_view answer) const {
    const auto workers = fcgi::read_worker_table(answer);
    return workers ? error_code() : workers.error();
}

std::string FcgiUpstream::status_address() const {
    const UpstreamSettings& at = status_->settings();
    return at.unix_path.empty() ? "fastcgi://" + at.authority : "fastcgi+unix:" + at.unix_path;
}

fcgi::StatusAdvice FcgiUpstream::advice(const fcgi::StatusFailure& failure) const {
    return fcgi::advice_for(failure, status_address(), fcgi_.status_path);
}

fcgi::StatusAdvice FcgiUpstream::advice_for_other_pool() const {
    return fcgi::advice_for_other_pool(status_address());
}

std::string FcgiUpstream::compare_pools(std::string_view page, std::string_view at_scripts) {
    auto why = fcgi::why_other_pool(page, at_scripts);
    why.empty() ? compared_.add(fcgi::run_of(page)) : compared_.forget();
    return why;
}

void FcgiUpstream::retire(net::Loop& loop) {
    PooledUpstream::retire(loop);
    if (status_) status_->retire(loop);
}

void FcgiUpstream::unretire(net::Loop& loop) {
    PooledUpstream::unretire(loop);
    if (status_) status_->unretire(loop);
}

std::unique_ptr<FcgiExchange> FcgiUpstream::connect_to(net::Loop& loop,
                                                       const net::Endpoint& address) {
    auto exchange = std::make_unique<FcgiExchange>(shared_from_this(), pool(loop), loop);
    exchange->go_to(address);
    return exchange;
}

std::unique_ptr<FcgiExchange> FcgiUpstream::talk_over(net::Loop& loop,
                                                      std::unique_ptr<net::Stream> stream) {
    auto exchange = std::make_unique<FcgiExchange>(shared_from_this(), pool(loop), loop);
    exchange->talk_over(std::move(stream));
    return exchange;
}

std::unique_ptr<PooledExchange> FcgiUpstream::make_exchange(Pool& pool, net::Loop& loop) {
    return std::make_unique<FcgiExchange>(shared_from_this(), pool, loop);
}

}  // namespace ticketgate
