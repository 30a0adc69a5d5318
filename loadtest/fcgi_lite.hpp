#pragma once
// As much FastCGI as the order-logging backend needs: converts a request to the HTTP text that the
// backend reads, and an answer to records. Written from the specification, apart from the product's
// own codec, so that a fault there cannot hide here.

#include <cstdint>
#include <string>
#include <string_view>

namespace loadtest {

class FcgiInput {
 public:
    // Consumes FastCGI bytes; returns the HTTP bytes that they complete.
    std::string take(std::string_view bytes);
    bool broken() const { return broken_; }
    bool keeps_connection() const { return keeps_; }
    // The last request as php-fpm's table of workers shows it: SCRIPT_NAME?QUERY_STRING.
    const std::string& shown_uri() const { return shown_uri_; }

 private:
    std::string record(int type, std::string_view content);
    std::string head();

    std::string bytes_;   // of an incomplete record
    std::string params_;  // name-value pairs so far
    std::string shown_uri_;
    bool broken_ = false;
    bool keeps_ = false;
};

// The bytes as records of standard output; `whole` adds the end of the request.
std::string fcgi_output(std::string_view head, std::string_view body, bool whole);

}  // namespace loadtest
