// A whole answer to a failure as text.
#pragma once

#include <string>

#include "proxy/failure.hpp"

namespace ticketgate {

inline std::string text_of(FailureResponse response) {
    std::string out = response.head;
    for (auto piece = response.body.next(); !piece.empty(); piece = response.body.next())
        out += piece;
    return out;
}

}  // namespace ticketgate
