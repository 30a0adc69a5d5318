// HTTP messages for the tests: keeps every line and reads strictly. Anything that a lenient reader
// would accept is a fault here.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/socket.hpp"

namespace ticketgate::test {

/// Header lines: names ignore case; order and repetition are kept.
class Fields {
 public:
    /// Adds a line; returns false if it is not `Name: value`.
    bool parse(std::string_view lines);

    std::vector<std::string> all(std::string_view name) const;
    std::size_t count(std::string_view name) const { return all(name).size(); }
    bool has(std::string_view name) const { return count(name) != 0; }
    /// The only value; empty if there is none.
    std::string get(std::string_view name) const;
    const std::vector<std::pair<std::string, std::string>>& list() const { return list_; }

 private:
    std::vector<std::pair<std::string, std::string>> list_;
};

bool same_word(std::string_view a, std::string_view b);

/// The framing of a body, and whether the body is complete.
enum class Coding { none, length, chunked, until_close };

/// Reads one body into `into`; returns the fault, empty if there is none.
std::string read_body(Reader& reader, Coding coding, std::size_t length, std::string& into);
std::string read_chunk(Reader& reader, std::string& into, bool& last);

struct Response {
    std::string raw_head;
    int version = 0;  ///< 10 or 11
    int status = 0;   ///< 0: there was none
    std::string reason;
    Fields fields;
    Coding coding = Coding::none;
    std::string body;
    std::string fault;  ///< why it is not whole
    Socket::Status end = Socket::Status::ok;

    bool whole() const { return status != 0 && fault.empty(); }
    std::string header(std::string_view name) const { return fields.get(name); }
};

/// `to_head`: the answer to a HEAD request, which has no body.
Response read_response(Reader& reader, bool to_head = false, Clock::duration limit = patience);

/// Bytes that do not repeat, so that a lost, doubled or swapped piece shows.
std::string pattern(std::size_t size, unsigned seed = 1);

/// One chunk of chunked coding.
std::string chunk(std::string_view payload);

}  // namespace ticketgate::test
