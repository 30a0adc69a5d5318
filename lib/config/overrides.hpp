// What one route (or `defaults:`) says: only the settings that stand in the file, each with its
// place. The lists of names below are the only ones: reading, inheriting and explaining all walk
// them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "config/model.hpp"

namespace ticketgate::config {

template <class T>
struct Setting {
    std::optional<T> value;  ///< absent: inherited
    Mark mark;               ///< where; line 0 when it is not in the file

    bool given() const { return mark.line != 0; }
    bool operator==(const Setting&) const = default;
};

struct AnswerOverrides {
    Setting<std::uint16_t> status;
    Setting<std::string> content_type;
    Setting<std::optional<SharedText>> body;  ///< a given null means the default document again
    Setting<Headers> headers;
    bool operator==(const AnswerOverrides&) const = default;
};

struct IdOverrides {
    Setting<std::vector<std::string>> headers;
    Setting<IdFormat> format;
    Setting<IdPolicy> policy;
    bool operator==(const IdOverrides&) const = default;
};

struct IdsOverrides {
    IdOverrides request_id;
    IdOverrides unique_id;
    std::map<std::string, IdOverrides> other;  ///< by names of `ids.other`
    bool operator==(const IdsOverrides&) const = default;
};

struct RouteOverrides {
    Setting<std::string> upstream;
    Setting<std::optional<std::string>> queue;  ///< a given null is `off`
    Setting<std::vector<std::string>> skip_methods;
    Setting<MethodOverride> method_override;
    Setting<milliseconds> wait_timeout;
    Setting<std::uint32_t> max_waiting;
    AnswerOverrides on_full;
    AnswerOverrides on_wait_timeout;
    AnswerOverrides on_backend_error;
    Setting<HalfClose> client_half_close;
    Setting<Bytes> max_body;
    Setting<milliseconds> body_timeout;
    Setting<Bytes> body_min_rate;
    Setting<milliseconds> connect_timeout;
    Setting<milliseconds> response_timeout;
    Setting<Bytes> response_spool_max;
    Setting<bool> server_timing;
    Setting<Tunnel> tunnel;
    Setting<milliseconds> tunnel_timeout;
    Setting<std::vector<std::string>> upgrades;
    IdsOverrides ids;
    bool operator==(const RouteOverrides&) const = default;
};

/// Calls use(name, override, effective) for every setting that is one value. `From` is
/// RouteOverrides, `To` is Settings, each const or not.
template <class From, class To, class Use>
void for_each_plain_setting(From& from, To& to, Use use) {
    use("upstream", from.upstream, to.upstream);
    use("queue", from.queue, to.queue);
    use("skip_methods", from.skip_methods, to.skip_methods);
    use("method_override", from.method_override, to.method_override);
    use("wait_timeout", from.wait_timeout, to.wait_timeout);
    use("max_waiting", from.max_waiting, to.max_waiting);
    use("client_half_close", from.client_half_close, to.client_half_close);
    use("max_body", from.max_body, to.max_body);
    use("body_timeout", from.body_timeout, to.body_timeout);
    use("body_min_rate", from.body_min_rate, to.body_min_rate);
    use("connect_timeout", from.connect_timeout, to.connect_timeout);
    use("response_timeout", from.response_timeout, to.response_timeout);
    use("response_spool_max", from.response_spool_max, to.response_spool_max);
    use("server_timing", from.server_timing, to.server_timing);
    use("tunnel", from.tunnel, to.tunnel);
    use("tunnel_timeout", from.tunnel_timeout, to.tunnel_timeout);
    use("upgrades", from.upgrades, to.upgrades);
}

/// Calls use(name, overrides, effective) for the three answers.
template <class From, class To, class Use>
void for_each_answer(From& from, To& to, Use use) {
    use("on_full", from.on_full, to.on_full);
    use("on_wait_timeout", from.on_wait_timeout, to.on_wait_timeout);
    use("on_backend_error", from.on_backend_error, to.on_backend_error);
}

/// Calls use(name, override, effective) for every field of one answer.
template <class From, class To, class Use>
void for_each_answer_field(From& from, To& to, Use use) {
    use("status", from.status, to.status);
    use("content_type", from.content_type, to.content_type);
    use("body", from.body, to.body);
    use("headers", from.headers, to.headers);
}

/// Calls use(name, overrides, effective) for the two ids that every config has.
template <class From, class To, class Use>
void for_each_id(From& from, To& to, Use use) {
    use("ids.request_id", from.request_id, to.request_id);
    use("ids.unique_id", from.unique_id, to.unique_id);
}

/// Calls use(name, overrides) for every id that a route may say something of: `request_id`,
/// `unique_id`, `other.NAME`.
template <class Use>
void for_each_id_override(const IdsOverrides& ids, Use use) {
    use(std::string("request_id"), ids.request_id);
    use(std::string("unique_id"), ids.unique_id);
    for (const auto& [name, id] : ids.other) use("other." + name, id);
}

/// Calls use(name, override, effective) for what a route may say of one id.
template <class From, class To, class Use>
void for_each_id_field(From& from, To& to, Use use) {
    use("headers", from.headers, to.headers);
    use("format", from.format, to.format);
    use("policy", from.policy, to.policy);
}

/// Every setting with its full name, those of the answers as `on_full.status`, of
/// the ids as `ids.request_id.format`; but those of `ids.other` not.
template <class From, class To, class Use>
void for_each_setting(From& from, To& to, Use use) {
    for_each_plain_setting(from, to, [&](const char* name, auto& override_, auto& effective) {
        use(std::string(name), override_, effective);
    });
    for_each_answer(from, to, [&](const char* answer, auto& overrides, auto& effective) {
        for_each_answer_field(overrides, effective, [&](const char* name, auto& o, auto& e) {
            use(std::string(answer) + "." + name, o, e);
        });
    });
    for_each_id(from.ids, to.ids, [&](const char* id, auto& overrides, auto& effective) {
        for_each_id_field(overrides, effective, [&](const char* name, auto& o, auto& e) {
            use(std::string(id) + "." + name, o, e);
        });
    });
}

}  // namespace ticketgate::config
