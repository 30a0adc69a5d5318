// `ticketgate explain`: reads a request as the proxy would and tells what applies to it. It asks
// the code that serves requests (proxy/routing). Pure.
#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "config/config.hpp"
#include "config/dump.hpp"

namespace ticketgate {

/// What a request would be, as far as routes look at it.
struct ExplainedRequest {
    std::string method;
    std::string target;                ///< a path or a URL
    std::string host;                  ///< empty: that of the URL
    std::string listener;              ///< by its name; empty: the first
    std::string from;                  ///< the client's address, or `unix`
    std::vector<std::string> headers;  ///< `Name: value`
};

struct Explanation {
    std::string text;
    std::string misuse;  ///< what is wrong with the arguments; then there is no text
};

Explanation explain(const config::Config& config, const ExplainedRequest& request,
                    config::Shown shown);

}  // namespace ticketgate
