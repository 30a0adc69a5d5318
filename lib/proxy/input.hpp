// The bytes a client has sent and nobody has used yet. They lie in the loop's shared buffer while
// one coroutine works on them, and are copied out only when it must wait: so an idle connection
// keeps none.
#pragma once

#include <string>
#include <string_view>

#include "net/stream.hpp"

namespace ticketgate {

class Input {
 public:
    std::string_view view() const { return view_; }
    bool empty() const { return view_.empty(); }

    /// Reads what is there into `buffer`, behind what is kept.
    net::IoResult read(net::Stream& stream, std::span<char> buffer);
    void consume(std::size_t n);
    /// Before any suspension: what is not used must not stay in the shared buffer.
    void keep();

 private:
    std::string kept_;
    std::string_view view_;
};

}  // namespace ticketgate
