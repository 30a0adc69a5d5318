#include "http/accept.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "base/text.hpp"

namespace ticketgate::http {
namespace {

// One form of an answer, and what the ranges read so far give it.
struct Offer {
    int precision = 0;  // of the range that decides; 0: no range matches
    int weight = 0;     // in thousandths
};

struct Offers {
    Offer html, json, problem;
};

// A range that concerns us. `*/*` is the least precise.
struct Known {
    std::string_view name;
    int precision;
    bool html, json, problem;
};

constexpr std::array known_ranges{
    Known{"*/*", 1, true, true, true},
    Known{"text/*", 2, true, false, false},
    Known{"text/html", 3, true, false, false},
    Known{"application/*", 2, false, true, true},
    Known{"application/json", 3, false, true, false},
    Known{"application/problem+json", 3, false, false, true},
};

const Known* find_known(std::string_view name) {
    for (const Known& one : known_ranges)
        if (one.name.size() == name.size() && iequals(one.name, name)) return &one;
    return nullptr;
}

std::string_view take(std::string_view& text, std::size_t size) {
    const auto piece = trim(text.substr(0, size));
    text.remove_prefix(std::min(size, text.size()));
    if (!text.empty()) text.remove_prefix(1);
    return piece;
}

// The piece before the next `stop` that is not in a quoted string.
std::string_view take_piece(std::string_view& text, char stop) {
    std::size_t at = std::min(text.find(stop), text.size());
    if (text.substr(0, at).find('"') == text.npos) return take(text, at);
    bool quoted = false;
    for (at = 0; at < text.size(); ++at) {
        if (text[at] == '"') quoted = !quoted;
        if (!quoted && text[at] == stop) break;
        if (quoted && text[at] == '\\') ++at;
    }
    return take(text, at);
}

// qvalue of RFC 9110 12.4.2: 0 to 1 with at most three digits behind the dot.
std::optional<int> weight_of(std::string_view text) {
    if (text.empty() || text.size() > 5 || (text[0] != '0' && text[0] != '1')) return std::nullopt;
    if (text.size() > 1 && text[1] != '.') return std::nullopt;
    int weight = (text[0] - '0') * 1000, unit = 100;
    for (const char c : text.substr(std::min<std::size_t>(2, text.size()))) {
        if (c < '0' || c > '9') return std::nullopt;
        weight += (c - '0') * unit;
        unit /= 10;
    }
    return weight <= 1000 ? std::optional(weight) : std::nullopt;
}

struct Parameters {
    int weight = 1000;
    bool any = false;
    bool utf8_only = true;  // no parameter but charset=utf-8
};

bool is_utf8(std::string_view name, std::string_view value) {
    return iequals(name, "charset") && (iequals(value, "utf-8") || iequals(value, "\"utf-8\""));
}

// Absent: the weight is malformed.
std::optional<Parameters> read_parameters(std::string_view text) {
    Parameters out;
    while (!text.empty()) {
        auto value = take_piece(text, ';');
        if (value.empty()) continue;
        const auto name = take_piece(value, '=');
        if (iequals(name, "q")) {  // what follows the weight is an extension of RFC 7231
            const auto weight = weight_of(value);
            if (!weight) return std::nullopt;
            out.weight = *weight;
            break;
        }
        out.any = true;
        out.utf8_only = out.utf8_only && is_utf8(name, value);
    }
    return out;
}

// The most precise range decides, wherever it stands.
void consider(int precision, int weight, Offer& offer) {
    if (precision < offer.precision) return;
    offer.weight = precision == offer.precision ? std::max(offer.weight, weight) : weight;
    offer.precision = precision;
}

void read_range(std::string_view range, Offers& offers) {
    const Known* const known = find_known(take_piece(range, ';'));
    if (known == nullptr) return;
    const auto parameters = read_parameters(range);
    if (!parameters) return;
    const int precision = known->precision + (parameters->any && known->precision == 3 ? 1 : 0);
    // JSON has no parameters: a client that writes one all the same means JSON.
    if (known->html && parameters->utf8_only) consider(precision, parameters->weight, offers.html);
    if (known->json) consider(precision, parameters->weight, offers.json);
    if (known->problem) consider(precision, parameters->weight, offers.problem);
}

}  // namespace

bool prefers_html(std::span<const Field> fields) {
    Offers offers;
    for (const Field& field : fields) {
        if (field.id != FieldName::accept) continue;
        for (auto list = field.value; !list.empty();) read_range(take_piece(list, ','), offers);
    }
    return offers.html.weight > std::max(offers.json.weight, offers.problem.weight);
}

bool AcceptMemo::prefers_html(std::span<const Field> fields) {
    const auto is_accept = [](const Field& field) { return field.id == FieldName::accept; };
    const auto first = std::ranges::find_if(fields, is_accept);
    if (first == fields.end()) return false;
    const bool more = std::any_of(first + 1, fields.end(), is_accept);
    if (more || first->value.size() > max_value) return http::prefers_html(fields);
    Entry& entry = entries_[first->value.size() % entries_.size()];
    if (entry.value != first->value) {
        entry.html = http::prefers_html({first, 1});
        entry.value = first->value;
    }
    return entry.html;
}

}  // namespace ticketgate::http
