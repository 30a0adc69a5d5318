// A second HTTP parser (http_parser 2.9 in C, as used by Node) for the messages that we write: it
// must see exactly one message, the one we meant, and no byte after it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.hpp"

namespace ticketgate::fuzz {

struct Message {
    bool whole = false;  ///< one message, and every byte belongs to it
    std::string fault;
    unsigned method = 0, status = 0;
    std::string target, body;
    std::vector<std::pair<std::string, std::string>> fields;  ///< names in lower case

    std::size_t count(std::string_view name) const;
    std::string get(std::string_view name) const;
};

/// The length from which http_parser fails.
constexpr std::uint64_t largest_of_second_parser = (~std::uint64_t{0} - 10) / 10;

/// http_parser takes a name that only begins with Transfer-Encoding for it, and then refuses.
template <class Fields>
bool confuses_second_parser(const Fields& fields) {
    constexpr std::string_view known = "transfer-encoding";
    for (const auto& field : fields)
        if (field.name.size() > known.size() && iequals(field.name.substr(0, known.size()), known))
            return true;
    return false;
}

Message read_request(std::string_view bytes);
/// `to_head`: the answer to HEAD. `ends`: the connection ends behind the bytes.
Message read_response(std::string_view bytes, bool to_head, bool ends);

}  // namespace ticketgate::fuzz
