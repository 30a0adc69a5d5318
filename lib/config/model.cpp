#include "config/model.hpp"

#include <tuple>

namespace ticketgate::config {
namespace {

// All but the status page. Compared in place: a run asks without memory, too.
bool same_scripts(const Fcgi& a, const Fcgi& b) noexcept {
    const auto of = [](const Fcgi& fcgi) {
        return std::tie(fcgi.root, fcgi.resolve_root, fcgi.script, fcgi.index, fcgi.split,
                        fcgi.params, fcgi.keep_alive);
    };
    return of(a) == of(b);
}

}  // namespace

bool same_backend(const Upstream& a, const Upstream& b) {
    if (a.url != b.url || a.workers != b.workers || a.fcgi.has_value() != b.fcgi.has_value())
        return false;
    return !a.fcgi || same_scripts(*a.fcgi, *b.fcgi);
}

}  // namespace ticketgate::config
