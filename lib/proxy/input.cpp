#include "proxy/input.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace ticketgate {

net::IoResult Input::read(net::Stream& stream, std::span<char> buffer, std::uint64_t most) {
    keep();
    const auto got = stream.read_some(buffer.first(std::min<std::uint64_t>(buffer.size(), most)));
    if (got.status != net::Io::ok) return got;
    const std::string_view bytes(buffer.data(), got.bytes);
    if (kept_.empty()) {
        view_ = bytes;
    } else {
        compact();
        view_ = kept_.append(bytes);
        count();
    }
    return got;
}

void Input::consume(std::size_t n) {
    view_.remove_prefix(n);
    if (view_.empty() && !kept_.empty()) drop();
}

void Input::keep(std::size_t below, InputBudget::Kind kind) {
    if (is_kept()) {
        // Frees used bytes once they outnumber the others: each byte moved then pays for one freed,
        // however many small requests come in a row.
        if (view_.size() < kept_.size() / 2) compact();
    } else {
        kept_.assign(view_);
        view_ = kept_;
    }
    count(below, kind);
}

void Input::drop() {
    release(kept_);
    view_ = {};
    count();
}

bool Input::is_kept() const {
    return !kept_.empty() && view_.data() + view_.size() == kept_.data() + kept_.size();
}

// Drops the used bytes. The view is the end of kept_, and becomes all of it.
void Input::compact() {
    kept_.erase(0, kept_.size() - view_.size());
    view_ = kept_;
}

// A short string is stored within the object itself.
void Input::count(std::size_t below, InputBudget::Kind kind) {
    const std::size_t own = kept_.capacity() > std::string().capacity() ? kept_.capacity() : 0;
    const std::size_t now = own + below;
    if (now == counted_ && kind == kind_) return;
    budget_.take(kind, now);
    budget_.give_back(kind_, counted_);
    counted_ = now;
    kind_ = kind;
}

}  // namespace ticketgate
