// What routes look at in a request. Views into what the caller keeps.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ticketgate::config {

/// The readings of one header field: servers behind CGI fold spellings (`X_Kind`, `X-Kind`) into
/// one variable, and take the first, the last or all of several fields.
struct HeaderReadings {
    std::vector<std::string_view> values;  ///< of every field with that name, in any spelling
    bool may_be_absent = false;            ///< for some server, though there are values
};

/// What costs something to find out; asked only for routes whose other conditions hold.
class Circumstances {
 public:
    /// The client's address, after trusted_proxies, or `unix`. Empty: a proxy told none.
    virtual std::string client() const = 0;
    /// Valid as long as the object. Each name is read once for a request, however many routes ask.
    virtual const HeaderReadings& header(std::string_view name) const = 0;

 protected:
    ~Circumstances() = default;
};

struct Asked {
    std::string_view path;       ///< in its normal form
    std::string_view host = {};  ///< as in the Host field
    std::string_view method = {};
    std::string_view listener = {};                ///< its name in the config; may be empty
    const Circumstances* circumstances = nullptr;  ///< null: nothing is known of them
};

}  // namespace ticketgate::config
