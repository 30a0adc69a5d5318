#include "ids/decode.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include "base/bytes.hpp"
#include "base/text.hpp"
#include "ids/apache.hpp"
#include "ids/snowflake.hpp"
#include "ids/txid.hpp"
#include "ids/ulid.hpp"
#include "ids/uuid.hpp"

namespace ticketgate::ids {
namespace {

constexpr std::int64_t second_us = 1'000'000, day_us = 86'400 * second_us;
constexpr std::int64_t httpd_1_3_us = 896'572'800 * second_us;    // 1998-05-31
constexpr std::int64_t millennium_us = 946'684'800 * second_us;   // 2000-01-01
constexpr std::int64_t snowflake_us = snowflake_epoch_ms * 1000;  // 2010-11-04

std::string address_text(std::uint32_t address) {
    std::string out;
    for (int shift = 24; shift >= 0; shift -= 8)
        out += std::to_string(address >> shift & 255) + (shift == 0 ? "" : ".");
    return out;
}

template <class Bytes>
std::string hex_text(const Bytes& bytes) {
    std::string out(hex_size(bytes.size()), '?');
    encode_hex(bytes, out.data());
    return out;
}

std::string hex_text(std::uint64_t number, unsigned digits) {
    std::array<std::uint8_t, 8> bytes;
    store_be(bytes.data(), number);
    return hex_text(bytes).substr(16 - digits);
}

WallTime from_ms(std::uint64_t ms) {
    return {static_cast<std::int64_t>(ms) * 1000};
}

struct Decoder {
    std::string_view text;
    WallTime now;
    std::vector<Reading>& out;

    Reading& add(std::string_view format) {
        out.emplace_back();
        out.back().format = format;
        return out.back();
    }
    void set_time(Reading& reading, WallTime time, std::int64_t birth_us) const {
        reading.time = time;
        reading.plausible = time.unix_us >= birth_us && time.unix_us <= now.unix_us + day_us;
    }

    void apache(const ApacheLayout& layout) {
        const auto parts = decode_apache(layout, text);
        if (!parts) return;
        Reading& reading = add(layout.name);
        set_time(reading, {std::int64_t{parts->stamp} * second_us}, httpd_1_3_us);
        reading.whole_seconds = true;
        const auto say = [&](ApacheField field, const char* name, const std::string& value) {
            if (layout.has(field)) reading.fields.emplace_back(name, value);
        };
        say(ApacheField::address, "machine", address_text(parts->address));
        say(ApacheField::process, "process", std::to_string(parts->process));
        say(ApacheField::root, "process", hex_text(parts->root) + " (random)");
        say(ApacheField::counter, "counter", std::to_string(parts->counter));
        say(ApacheField::thread, "thread", std::to_string(parts->thread));
    }

    void txid() {
        const auto parts = decode_txid(text);
        if (!parts) return;
        Reading& reading = add("txid");
        set_time(reading, from_ms(parts->unix_ms), millennium_us);
        reading.fields.emplace_back("random", hex_text(parts->random, 14));
        if (!reading.plausible)
            reading.note = "perhaps made by nginx's ngx_txid, whose time counts from the boot";
    }

    void ulid() {
        const auto parts = decode_ulid(text);
        if (!parts) return;
        Reading& reading = add("ulid");
        set_time(reading, from_ms(parts->unix_ms), millennium_us);
        reading.fields.emplace_back(
            "random", hex_text(parts->random_high, 4) + hex_text(parts->random_low, 16));
    }

    void uuid() {
        const auto value = decode_uuid(text);
        if (!value) return;
        const auto version = value->version();
        const bool ours = value->of_rfc() && (version == 4 || version == 7);
        Reading& reading = add((ours ? "uuidv" : "uuid version ") + std::to_string(version));
        if (!ours) reading.note = "a version that ticketgate does not make";
        if (!ours || version != 7) return;
        set_time(reading, from_ms(value->unix_ms()), millennium_us);
        reading.fields.emplace_back("random",
                                    hex_text(value->high & 0xfff, 3) + hex_text(value->low, 16));
    }

    void hex128() {
        std::array<std::uint8_t, 16> bytes;
        if (text.size() != 32 || !decode_hex(text, bytes)) return;
        Reading& reading = add("hex128");
        const unsigned version = bytes[6] >> 4;
        if (bytes[8] >> 6 == 2 && (version == 4 || version == 7))
            reading.note = "or a UUID of version " + std::to_string(version) + " without hyphens";
    }

    void snowflake(std::optional<std::uint64_t> id, std::string_view note) {
        if (!id) return;
        const auto parts = unpack_snowflake(*id);
        Reading& reading = add("snowflake");
        set_time(reading, {parts.unix_ms * 1000}, snowflake_us + day_us);
        reading.fields = {{"datacenter", std::to_string(parts.datacenter)},
                          {"worker", std::to_string(parts.worker)},
                          {"counter", std::to_string(parts.sequence)}};
        reading.note = note;
    }

    // The eight bytes of a noeq id in hex, as clients of the id service print them.
    std::optional<std::uint64_t> snowflake_hex() const {
        std::array<std::uint8_t, 8> bytes;
        if (text.size() != 16 || !decode_hex(text, bytes)) return std::nullopt;
        return load_be<std::uint64_t>(bytes.data());
    }
};

}  // namespace

std::vector<Reading> readings(std::string_view id, WallTime now) {
    std::vector<Reading> out;
    Decoder decoder{id, now, out};
    decoder.txid();
    decoder.uuid();
    decoder.ulid();
    decoder.hex128();
    decoder.snowflake(decode_snowflake(id), "");
    decoder.snowflake(decoder.snowflake_hex(), "as 16 hex digits");
    for (const auto* layout :
         {&layout_2_4_47, &layout_2_4_29, &layout_2_0, &layout_1_3_threads, &layout_1_3})
        decoder.apache(*layout);
    std::vector<Reading> sorted;
    for (const bool plausible : {true, false})
        std::ranges::copy_if(out, std::back_inserter(sorted),
                             [=](const Reading& r) { return r.plausible == plausible; });
    return sorted;
}

std::string why_no_id(std::string_view text) {
    constexpr std::array<std::size_t, 8> lengths{16, 19, 20, 24, 26, 27, 32, 36};
    if (text.empty()) return "it is empty";
    const auto stray = std::ranges::find_if(text, [](char c) {
        return std::string_view("@-_").find(c) == std::string_view::npos && (c < '0' || c > '9') &&
               (to_lower(c) < 'a' || to_lower(c) > 'z');
    });
    if (stray != text.end())
        return "no known format has the character '" + std::string(1, *stray) + "'";
    if (std::ranges::find(lengths, text.size()) == lengths.end())
        return "it has " + std::to_string(text.size()) +
               " characters; ids have 19, 20, 24, 26, 27, 32 or 36, or are a number";
    return "its " + std::to_string(text.size()) +
           " characters match no format; it may have been cut, or its case changed";
}

}  // namespace ticketgate::ids
