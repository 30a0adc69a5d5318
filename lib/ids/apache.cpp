#include "ids/apache.hpp"

#include <algorithm>
#include <span>

#include "base/bytes.hpp"

namespace ticketgate::ids {
namespace {

constexpr std::string_view at_dash =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789@-";

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

template <class T>
const std::uint8_t* load(const std::uint8_t* in, T& out) {
    out = load_be<T>(in);
    return in + sizeof out;
}

const std::uint8_t* unpack(ApacheField field, const std::uint8_t* in, ApacheParts& parts) {
    switch (field) {
        case ApacheField::none:
            return in;
        case ApacheField::stamp:
            return load(in, parts.stamp);
        case ApacheField::address:
            return load(in, parts.address);
        case ApacheField::process:
            return load(in, parts.process);
        case ApacheField::root:
            std::copy_n(in, parts.root.size(), parts.root.begin());
            return in + parts.root.size();
        case ApacheField::counter:
            return load(in, parts.counter);
        case ApacheField::thread:
            return load(in, parts.thread);
    }
    return in;
}

}  // namespace

using enum ApacheField;
constinit const ApacheLayout layout_1_3{"httpd_1_3", {stamp, address, process, counter}, at_dash};
constinit const ApacheLayout layout_1_3_threads{
    "httpd_1_3_threads", {stamp, address, process, thread, counter}, at_dash};
constinit const ApacheLayout layout_2_0{
    "httpd_2_0", {stamp, address, process, counter, thread}, at_dash};
constinit const ApacheLayout layout_2_4_29{"httpd_2_4_29", {stamp, root, counter, thread}, at_dash};
constinit const ApacheLayout layout_2_4_47{
    "httpd_2_4_47", {stamp, root, counter, thread}, base64url_digits};

bool ApacheLayout::has(ApacheField field) const {
    return std::ranges::find(fields, field) != fields.end();
}

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

std::optional<ApacheParts> decode_apache(const ApacheLayout& layout, std::string_view text) {
    const auto size = pack(layout, {}).size;
    std::array<std::uint8_t, 20> bytes{};
    if (decode_base64(text, layout.alphabet, bytes) != size) return std::nullopt;
    ApacheParts parts;
    const auto* in = bytes.data();
    for (const auto field : layout.fields) in = unpack(field, in, parts);
    return parts;
}

Apache::Apache(const ApacheLayout& layout, const Machine& machine, Lane lane, Entropy& entropy,
               CounterRange range)
    : Apache(layout, ApacheParts{}, entropy.u32(), entropy, range) {
    parts_.address = machine.address.value_or(0);
    parts_.process = machine.process;
    parts_.thread = lane.index;
    if (!layout.has(thread)) lane_ = lane;
    room_ = range_ / lane_.stride();
    if (rooted_) fresh_root();
}

Apache::Apache(const ApacheLayout& layout, const ApacheParts& parts, std::uint32_t counter,
               Entropy& entropy, CounterRange range)
    : layout_(&layout),
      entropy_(&entropy),
      parts_(parts),
      counter_(counter),
      range_(static_cast<std::uint32_t>(range)),
      room_(range_),
      rooted_(layout.has(root)) {}

Id Apache::next(WallTime now) {
    enter(static_cast<std::uint32_t>(now.unix_s()));
    parts_.counter = counter_field();
    if (in_second_++ == 0)
        write_all();
    else
        write_counter();
    // When the counter wraps, % 65535 gives 0 twice in a row: a fresh root keeps the ids apart.
    if (++counter_ == 0 && rooted_) fresh_root();
    return text_;
}

// When the clock steps back, it can show a second whose counters are used up, and no record of them
// is kept: a fresh root makes them new. Roots are 80 random bits, so a collision in one second is
// as unlikely as between two processes. Without a root the stamp stays at the last second used.
void Apache::enter(std::uint32_t now) {
    if (rooted_) {
        if (now < parts_.stamp) fresh_root();
        if (in_second_ == room_ && now == parts_.stamp) fresh_root();
    } else {
        now = std::max(now, parts_.stamp);
        if (in_second_ == room_ && now == parts_.stamp) ++now;
    }
    if (now != parts_.stamp) in_second_ = 0;
    parts_.stamp = now;
}

std::uint16_t Apache::counter_field() const {
    const auto value = range_ == 65535 ? counter_ % 65535 : counter_ * lane_.stride();
    return static_cast<std::uint16_t>(value + lane_.index);
}

void Apache::write_all() {
    packed_ = pack(*layout_, parts_);
    text_ = encode_apache(*layout_, parts_);
}

// Rewrites the counter, the only field that changes within a second. It lies within two groups of
// three bytes: eight characters instead of 27 (15 ns instead of 27).
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
