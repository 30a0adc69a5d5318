#pragma once
// How a backend can break, asked for by one request's query: `?fault=NAME`.

#include <string_view>

namespace loadtest {

enum class Fault {
    none,
    silent,     // works for its time and closes: not a byte of answer
    die_read,   // closes as soon as the request is read
    die_head,   // closes after the head of its answer
    die_body,   // closes in the middle of a counted body
    die_chunk,  // closes in the middle of a chunk
    garbage,    // answers bytes that are not HTTP
    early,      // answers when the head is read, before the body
    takes_all,  // the same, and ends its answer when it has the body, as PHP does
    odd_field,  // a whole answer, but a field of it has a control character
    bare,       // as little as a parser must accept: no reason, blanks in chunk extensions
    drop_next,  // answers, then closes when the next request's bytes arrive on this connection
};

// An unknown name breaks nothing.
Fault fault_named(std::string_view name);

}  // namespace loadtest
