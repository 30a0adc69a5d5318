// Shared by the tests of FastCGI: records, and a bench whose upstream speaks it.
#pragma once

#include "bench.hpp"
#include "fcgi/record.hpp"
#include "http/parser.hpp"
#include "upstream/fcgi_upstream.hpp"

namespace ticketgate::fcgi_test {

using namespace std::string_literals;
using fcgi::Type;

inline std::string record(Type type, std::string_view content) {
    std::string out;
    fcgi::append_header(out, type, content.size());
    return out.append(content);
}
inline std::string out(std::string_view content) {
    return record(Type::out, content);
}
inline std::string end_record(char app = 0, char status = 0) {
    return record(Type::end_request, "\0\0\0"s + app + status + "\0\0\0"s);
}

inline const std::string head = "the parameters";
inline const std::string params_end = record(Type::params, "");
inline const std::string in_end = record(Type::in, "");

struct FcgiBench : Bench {
    explicit FcgiBench(bool keep_alive = false) {
        UpstreamSettings settings;
        settings.host = "127.0.0.1";
        settings.port = door.at().port();
        FcgiSettings fcgi;
        fcgi.scripts.root = "/w";
        fcgi.keep_alive = keep_alive;
        fcgi.status = settings;
        fcgi.status_path = "/status";
        upstream = std::make_shared<FcgiUpstream>(settings, fcgi, resolver, 1);
    }
    Running run() { return Bench::run(head, head + params_end + in_end); }
    Answer answer(std::string_view bytes, bool to_head = false) {
        const Running running = run();
        running.backend.send(bytes);
        running.backend.finish();
        return read(*running.exchange, to_head);
    }
};

}  // namespace ticketgate::fcgi_test
