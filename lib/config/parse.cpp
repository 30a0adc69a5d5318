#include "config/parse.hpp"
#include "config/secrets.hpp"

namespace ticketgate::config {

Config parse(const Node& root, const std::filesystem::path& folder, Problems& problems,
             std::vector<std::string>& text_files) {
    Config config;
    Reading reading{problems, folder, config.marks, text_files};
    if (root.kind != Node::Kind::map) {
        problems.error(root.mark, "",
                       "expected a map of keys such as listen:, upstreams: and routes:");
        return config;
    }
    SectionReader top(root, Section::top, "", reading);
    top.read_all(config);
    config.secret_variables = secret_variables(root);
    return config;
}

}  // namespace ticketgate::config
