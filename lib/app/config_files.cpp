#include "app/config_files.hpp"

namespace ticketgate {

Files named_files(const config::Loaded& loaded) {
    Files files{loaded.text_files.begin(), loaded.text_files.end()};
    const config::Config* const config = loaded.read();
    if (config == nullptr) return files;
    for (const auto& listen : config->listen) {
        if (!listen.tls) continue;
        files.insert(listen.tls->client_ca);
        for (const auto& pair : listen.tls->certificates)
            files.insert({pair.certificate, pair.key});
    }
    for (const auto& [name, upstream] : config->upstreams)
        files.insert({upstream.tls.ca_file, upstream.tls.certificate, upstream.tls.key});
    if (config->tracing) files.insert(config->tracing->ca_file);
    // A reload reads only these files of the section `cluster` again: certificates can be renewed.
    if (config->cluster && config->cluster->peer.tls) {
        const config::PeerTls& tls = *config->cluster->peer.tls;
        files.insert({tls.certificate, tls.key, tls.ca_file});
    }
    files.erase("");
    return files;
}

}  // namespace ticketgate
