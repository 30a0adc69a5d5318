#include "gate/request_label.hpp"

#include <algorithm>

namespace ticketgate {
namespace {

constexpr std::size_t most_method = 16;  // the longest common one: VERSION-CONTROL
constexpr std::size_t most_upstream = 32;
constexpr std::string_view cut = "...";

}  // namespace

RequestLabel::RequestLabel(std::string_view request_id, std::string_view client_ip,
                           std::string_view method, std::string_view target,
                           std::string_view upstream) {
    append(0, request_id, capacity);
    append(1, client_ip, capacity);
    append(2, method, most_method);
    append(3, upstream, most_upstream);
    append(4, target, capacity);
}

void RequestLabel::append(std::size_t index, std::string_view text, std::size_t most) {
    const std::size_t begin = index == 0 ? 0 : ends_[index - 1];
    const std::size_t size = std::min({text.size(), most, capacity - begin});
    char* const end = std::copy_n(text.data(), size, text_.data() + begin);
    if (size < text.size() && size >= cut.size())
        std::copy(cut.begin(), cut.end(), end - cut.size());
    ends_[index] = static_cast<std::uint8_t>(begin + size);
}

}  // namespace ticketgate
