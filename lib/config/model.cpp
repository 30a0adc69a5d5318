#include "config/model.hpp"

namespace ticketgate::config {
namespace {

std::optional<Fcgi> without_status(std::optional<Fcgi> fcgi) {
    if (fcgi) fcgi->status.reset();
    return fcgi;
}

}  // namespace

bool same_backend(const Upstream& a, const Upstream& b) {
    return a.url == b.url && a.workers == b.workers &&
           without_status(a.fcgi) == without_status(b.fcgi);
}

}  // namespace ticketgate::config
