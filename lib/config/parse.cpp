#include "config/parse.hpp"

namespace ticketgate::config {

Config parse(const Node& root, const std::filesystem::path& folder, Problems& problems) {
    Config config;
    Reading reading{problems, folder, config.marks};
    if (root.kind != Node::Kind::map) {
        problems.error(root.mark, "",
                       "expected a map of keys such as listen:, upstreams: and routes:");
        return config;
    }
    SectionReader top(root, Section::top, "", reading);
    top.read_all(config);
    return config;
}

}  // namespace ticketgate::config
