#include "ids/generator.hpp"

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

Generator::Generator(std::uint32_t loop_index, Entropy entropy)
    : entropy_(std::make_unique<Entropy>(std::move(entropy))),
      txid_(*entropy_),
      apache_(loop_index, *entropy_) {}

bool acceptable(std::string_view id) {
    return id.size() >= 16 && id.size() <= 128 && std::all_of(id.begin(), id.end(), [](char c) {
               return allowed[static_cast<unsigned char>(c)];
           });
}

}  // namespace ticketgate::ids
