// Chooses the ids of a request: new ones, or a trusted proxy's own, by the policy of each. Pure but
// for the loop's generator.
#pragma once

#include <cstdint>
#include <string_view>

#include "config/model.hpp"
#include "http/head.hpp"
#include "ids/generator.hpp"
#include "log/record.hpp"

namespace ticketgate {

enum class Sender : std::uint8_t {
    client,
    trusted,  ///< a proxy whose ids count where the policy says so
    replica   ///< another replica of the cluster, which has made the ids
};

/// Sets the record's ids by `wanted`. `head`: null when the request's was refused.
void identify(const config::Ids& wanted, const http::RequestHead* head, Sender sender,
              ids::Generator& generator, Record& record);

/// The value that the client sent for this id, if all fields with exactly its header names agree;
/// else empty. Other spellings do not count: a trusted proxy does not write them.
std::string_view sent_id(const http::RequestHead& head, const config::Id& id);

/// Calls use(id's settings, its value in the record) for each id.
template <class Use>
void for_each_id(const config::Ids& wanted, const Record& record, Use use) {
    use(wanted.request_id, record.request_id);
    use(wanted.unique_id, record.unique_id);
    auto other = wanted.other.begin();
    for (const auto& [name, id] : record.other_ids) use((other++)->second, id);
}

}  // namespace ticketgate
