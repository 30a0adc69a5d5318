#include "proxy/identify.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace ticketgate {
namespace {

bool preserves(config::IdPolicy policy) {
    return policy == config::IdPolicy::preserve || policy == config::IdPolicy::preserve_or_generate;
}

ids::Id chosen(const config::Id& wanted, const http::RequestHead* head, Sender sender,
               ids::Generator& generator, WallTime now) {
    if (wanted.policy == config::IdPolicy::disable) return {};
    const bool keeps =
        sender == Sender::replica || (sender == Sender::trusted && preserves(wanted.policy));
    if (keeps && head != nullptr) {
        const auto sent = sent_id(*head, wanted);
        if (ids::acceptable(sent)) return *ids::Id::from(sent);
    }
    if (wanted.policy == config::IdPolicy::preserve) return {};
    return generator.next(wanted.format, now);
}

}  // namespace

void identify(const config::Ids& wanted, const http::RequestHead* head, Sender sender,
              ids::Generator& generator, Record& record) {
    const auto choose = [&](const config::Id& id) {
        return chosen(id, head, sender, generator, record.received);
    };
    record.request_id = choose(wanted.request_id);
    record.unique_id = choose(wanted.unique_id);
    record.other_ids.clear();
    for (const auto& [name, id] : wanted.other) record.other_ids.emplace_back(name, choose(id));
}

std::string_view sent_id(const http::RequestHead& head, const config::Id& id) {
    std::string_view value;
    for (const auto& field : head.fields) {
        const auto named = [&](const auto& header) { return iequals(field.name, header); };
        if (!std::ranges::any_of(id.headers, named)) continue;
        if (!value.empty() && value != field.value) return {};
        value = field.value;
    }
    return value;
}

}  // namespace ticketgate
