#include "ids/generator.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

namespace ticketgate::ids {
namespace {

constexpr auto allowed = [] {
    std::array<bool, 256> table{};
    constexpr std::string_view characters =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._~+/=@:-";
    for (const char c : characters) table[static_cast<unsigned char>(c)] = true;
    return table;
}();

}  // namespace

Makers::Makers(const Machine& machine, Lane lane, Entropy& entropy)
    : txid(entropy),
      uuid7(entropy),
      uuid4(entropy),
      ulid(entropy),
      hex128(entropy),
      snowflake(machine, lane),
      httpd_1_3(layout_1_3, machine, lane, entropy),
      httpd_1_3_threads(layout_1_3_threads, machine, lane, entropy),
      httpd_2_0(layout_2_0, machine, lane, entropy),
      httpd_2_4_29(layout_2_4_29, machine, lane, entropy),
      httpd_2_4_47(layout_2_4_47, machine, lane, entropy),
      httpd_2_4_49(layout_2_4_47, machine, lane, entropy, CounterRange::as_httpd) {}

Id Makers::next(Format format, WallTime now) {
    switch (format) {
        case Format::txid:
            return txid.next(now);
        case Format::uuidv7:
            return uuid7.next(now);
        case Format::uuidv4:
            return uuid4.next(now);
        case Format::ulid:
            return ulid.next(now);
        case Format::hex128:
            return hex128.next(now);
        case Format::snowflake:
            return snowflake.next(now);
        case Format::httpd_1_3:
            return httpd_1_3.next(now);
        case Format::httpd_1_3_threads:
            return httpd_1_3_threads.next(now);
        case Format::httpd_2_0:
            return httpd_2_0.next(now);
        case Format::httpd_2_4_29:
            return httpd_2_4_29.next(now);
        case Format::httpd_2_4_47:
            return httpd_2_4_47.next(now);
        case Format::httpd_2_4_49:
            return httpd_2_4_49.next(now);
    }
    return {};
}

Generator::Generator(const Machine& machine, Lane lane, Entropy entropy)
    : machine_(machine),
      lane_(lane),
      entropy_(std::make_unique<Entropy>(std::move(entropy))),
      makers_(std::make_unique<Makers>(machine_, lane_, *entropy_)) {}

Generator::~Generator() = default;
Generator::Generator(Generator&&) noexcept = default;

Id Generator::next(Format format, WallTime now) {
    if (entropy_->forked()) [[unlikely]]
        start_anew();
    if (needs_worker(format) && !machine_.worker) return {};
    if (needs_address(format) && !machine_.address) return {};
    return makers_->next(format, now);
}

void Generator::start_anew() {
    machine_.process = static_cast<std::uint32_t>(getpid());
    machine_.worker.reset();
    makers_ = std::make_unique<Makers>(machine_, lane_, *entropy_);
}

bool acceptable(std::string_view id) {
    return id.size() >= 16 && harmless(id);
}

bool harmless(std::string_view id) {
    return !id.empty() && id.size() <= 128 && std::all_of(id.begin(), id.end(), [](char c) {
        return allowed[static_cast<unsigned char>(c)];
    });
}

}  // namespace ticketgate::ids
