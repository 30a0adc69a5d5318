// A basic_stream of Beast whose peer may send so many bytes until a time, and no more. Beast counts
// heads and bodies only, so chunk extensions and trailers would go on for ever; and the timer of
// its streams loses against reads that complete at once. Below TLS it counts what arrives, whatever
// that is.
#pragma once

#include <algorithm>
#include <boost/asio/append.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/compose.hpp>
#include <boost/asio/post.hpp>
#include <boost/beast/core/error.hpp>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/clock.hpp"
#include "base/error.hpp"

namespace ticketgate::net {

template <class Next>
class BoundedStream {
 public:
    using next_layer_type = Next;
    using executor_type = typename Next::executor_type;
    using lowest_layer_type = typename Next::socket_type;

    template <class... Args>
    explicit BoundedStream(Args&&... args) : next_(std::forward<Args>(args)...) {}

    Next& next_layer() { return next_; }
    const Next& next_layer() const { return next_; }
    executor_type get_executor() { return next_.get_executor(); }
    lowest_layer_type& lowest_layer() { return next_.socket(); }
    const lowest_layer_type& lowest_layer() const { return next_.socket(); }

    /// From here on. A read behind them fails with `message_size`, or with Beast's `timeout`; one
    /// that waits at the deadline ends by it, too.
    void bound(std::uint64_t most_bytes, Time deadline) {
        left_ = most_bytes;
        deadline_ = deadline;
        next_.expires_at(deadline);
    }

    template <class Buffers, class Token>
    auto async_read_some(const Buffers& to, Token&& token) {
        return boost::asio::async_compose<Token, void(error_code, std::size_t)>(
            Read<Buffers>{*this, to}, token, next_);
    }
    template <class Buffers, class Token>
    auto async_write_some(const Buffers& from, Token&& token) {
        return next_.async_write_some(from, std::forward<Token>(token));
    }

 private:
    template <class Buffers>
    struct Read {
        BoundedStream& stream;
        Buffers to;
        bool begun = false;

        template <class Self>
        void operator()(Self& self, error_code error = {}, std::size_t got = 0) {
            if (begun) {
                stream.left_ -= got;
                return self.complete(error, got);
            }
            begun = true;
            const Buffers where = to;  // `self` takes its own along
            stream.begin(where, std::move(self));
        }
    };

    template <class Buffers, class Then>
    void begin(const Buffers& to, Then then) {
        if (const error_code why = refusal())
            return boost::asio::post(get_executor(),
                                     boost::asio::append(std::move(then), why, std::size_t{0}));
        const auto first = first_of(to);
        const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(left_, first.size()));
        next_.async_read_some(boost::asio::buffer(first, size), std::move(then));
    }

    // Enough for a read of some.
    template <class Buffers>
    static boost::asio::mutable_buffer first_of(const Buffers& to) {
        const auto end = boost::asio::buffer_sequence_end(to);
        for (auto at = boost::asio::buffer_sequence_begin(to); at != end; ++at)
            if (const boost::asio::mutable_buffer one(*at); one.size() != 0) return one;
        return {};
    }

    error_code refusal() const {
        if (left_ == 0) return make_error_code(boost::system::errc::message_size);
        if (monotonic_now() >= deadline_) return boost::beast::error::timeout;
        return {};
    }

    Next next_;
    std::uint64_t left_ = 0;
    Time deadline_{};
};

}  // namespace ticketgate::net
