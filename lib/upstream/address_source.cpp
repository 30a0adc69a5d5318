#include "upstream/address_source.hpp"

#include "upstream/resolved_name.hpp"

namespace ticketgate {

std::shared_ptr<AddressSource> address_source(const UpstreamSettings& settings,
                                              net::Resolver& resolver) {
    if (!settings.unix_path.empty())
        return std::make_shared<FixedAddress>(*net::Endpoint::from_unix(settings.unix_path));
    if (const auto literal = net::Endpoint::from_ip(settings.host, settings.port))
        return std::make_shared<FixedAddress>(*literal);
    return std::make_shared<ResolvedName>(settings.host, settings.port, resolver);
}

}  // namespace ticketgate
