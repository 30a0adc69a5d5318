#include "proxy/input.hpp"

namespace ticketgate {

net::IoResult Input::read(net::Stream& stream, std::span<char> buffer) {
    keep();
    const auto got = stream.read_some(buffer);
    if (got.status != net::Io::ok) return got;
    const std::string_view bytes(buffer.data(), got.bytes);
    view_ = kept_.empty() ? bytes : std::string_view(kept_.append(bytes));
    return got;
}

void Input::consume(std::size_t n) {
    view_.remove_prefix(n);
    if (view_.empty() && !kept_.empty()) kept_ = {};
}

void Input::keep() {
    const bool already =
        !kept_.empty() && view_.data() + view_.size() == kept_.data() + kept_.size();
    if (!already) {
        kept_.assign(view_);
    } else if (view_.size() < kept_.size()) {
        kept_.erase(0, kept_.size() - view_.size());
    }
    view_ = kept_;
}

}  // namespace ticketgate
