#include "ids/apache.hpp"

#include <algorithm>
#include <span>

#include "base/bytes.hpp"

namespace ticketgate::ids {
namespace {

std::uint8_t* pack(ApacheField field, const ApacheParts& parts, std::uint8_t* out) {
    switch (field) {
        case ApacheField::none:
            return out;
        case ApacheField::stamp:
            return store_be(out, parts.stamp);
        case ApacheField::address:
            return store_be(out, parts.address);
        case ApacheField::process:
            return store_be(out, parts.process);
        case ApacheField::root:
            return std::copy(parts.root.begin(), parts.root.end(), out);
        case ApacheField::counter:
            return store_be(out, parts.counter);
        case ApacheField::thread:
            return store_be(out, parts.thread);
    }
    return out;
}

}  // namespace

using enum ApacheField;
constinit const ApacheLayout httpd_2_4_47{
    "httpd_2_4_47", {stamp, root, counter, thread}, base64url_digits};

PackedApache pack(const ApacheLayout& layout, const ApacheParts& parts) {
    PackedApache packed;
    auto* end = packed.bytes.data();
    for (const auto field : layout.fields) {
        if (field == counter)
            packed.counter_at = static_cast<std::size_t>(end - packed.bytes.data());
        end = pack(field, parts, end);
    }
    packed.size = static_cast<std::size_t>(end - packed.bytes.data());
    return packed;
}

Id encode_apache(const ApacheLayout& layout, const ApacheParts& parts) {
    const auto packed = pack(layout, parts);
    const std::span bytes(packed.bytes.data(), packed.size);
    Id id;
    encode_base64(bytes, layout.alphabet, id.write(base64_size(bytes.size())));
    return id;
}

Apache::Apache(std::uint32_t thread_index, Entropy& entropy, CounterRange range)
    : entropy_(&entropy), counter_(entropy.u32()), range_(static_cast<std::uint32_t>(range)) {
    parts_.thread = thread_index;
    fresh_root();
}

Apache::Apache(const ApacheParts& parts, std::uint32_t counter, Entropy& entropy,
               CounterRange range)
    : entropy_(&entropy),
      parts_(parts),
      counter_(counter),
      range_(static_cast<std::uint32_t>(range)) {}

Id Apache::next(WallTime now) {
    const auto stamp = static_cast<std::uint32_t>(now.unix_s());
    // A clock that went back may show a second whose counters are used up, and nobody remembers
    // which: another root makes them new.
    if (stamp < parts_.stamp) fresh_root();
    if (stamp != parts_.stamp) in_second_ = 0;
    parts_.stamp = stamp;
    // All counter values of this second are used, and a second root doubles them: roots are 80
    // random bits, so two alike in one second are as unlikely as between two processes.
    if (in_second_ == range_) fresh_root();
    parts_.counter = static_cast<std::uint16_t>(range_ == 65535 ? counter_ % 65535 : counter_);
    if (in_second_++ == 0)
        write_all();
    else
        write_counter();
    // 2^32 is one more than a multiple of 65535: there httpd's field would show 0 twice running.
    if (++counter_ == 0) fresh_root();
    return text_;
}

void Apache::write_all() {
    packed_ = pack(*layout_, parts_);
    text_ = encode_apache(*layout_, parts_);
}

// Until the next second only the counter changes, which lies within two groups of three bytes:
// eight characters instead of 27 (15 ns instead of 27).
void Apache::write_counter() {
    store_be(&packed_.bytes[packed_.counter_at], parts_.counter);
    const auto from = packed_.counter_at / 3 * 3;
    const std::span bytes(&packed_.bytes[from], std::min<std::size_t>(packed_.size - from, 6));
    encode_base64(bytes, layout_->alphabet, text_.write(text_.view().size()) + from / 3 * 4);
}

void Apache::fresh_root() {
    entropy_->fill(parts_.root);
    in_second_ = 0;
}

}  // namespace ticketgate::ids
