// One access log line from one Record, appended to a buffer that its owner reuses: no allocation
// once the buffer has grown. Pure; any thread. Whatever bytes the client sent, a line is one line
// and a JSON line is valid JSON: control characters and quotes are escaped, and bytes that are not
// UTF-8 are written as the four characters \xHH.
#pragma once

#include <string>

#include "log/record.hpp"

namespace ticketgate {

/// JSON, one object and a newline. Fields that do not apply to this request are left out, not null.
void format_json(const Record& record, std::string& out);

/// Apache's `combined`, with the request id and the unique id as its last fields.
void format_combined(const Record& record, std::string& out);

}  // namespace ticketgate
