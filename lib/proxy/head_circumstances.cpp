#include "proxy/head_circumstances.hpp"

#include "base/text.hpp"
#include "http/cgi_name.hpp"

namespace ticketgate {

const config::HeaderReadings& HeadCircumstances::header(std::string_view name) const {
    const auto known = known_.find(name);
    return known != known_.end() ? known->second : known_.emplace(name, read(name)).first->second;
}

config::HeaderReadings HeadCircumstances::read(std::string_view name) const {
    if (head_.names_hop_fields && !options_) options_.emplace(head_.fields);
    config::HeaderReadings readings;
    const auto cgi = http::cgi_name(name);
    for (const auto& field : head_.fields) {
        if (!http::same_cgi_name(field.name, cgi)) continue;
        readings.values.push_back(field.value);
        if (!iequals(field.name, name) || (options_ && options_->names(field)))
            readings.may_be_absent = true;
    }
    return readings;
}

}  // namespace ticketgate
