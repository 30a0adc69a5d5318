#include "config/rows.hpp"
#include "config/sections.hpp"

namespace ticketgate::config {
namespace {

constexpr std::array ids_rows{
    nested("request_id", Kind::section, Section::id, part<&Ids::request_id>,
           "The request id. By default it is a txid in X-Request-Id."),
    like("headers: [UNIQUE_ID, Unique-Id]\nformat: httpd_2_4_47",
         nested("unique_id", Kind::section, Section::id, part<&Ids::unique_id>,
                "The unique id. By default it is an httpd_2_4_47 in UNIQUE_ID and Unique-Id. nginx "
                "and Apache drop the first header, and PHP sees the second as HTTP_UNIQUE_ID. Its "
                "keys are those of request_id.")),
    like("{}", nested("other", Kind::named, Section::id, named_parts<&Ids::other>,
                      "More ids, by the names that the access log gives them. Their keys are those "
                      "of request_id.")),
    nested("machine", Kind::section, Section::machine, part<&Ids::machine>,
           "What makes the ids of this process differ from those of others. snowflake uses it, and "
           "the formats of httpd up to 2.4.28."),
};

// The format names, each with a bar before it.
constexpr auto barred_formats = [] {
    constexpr auto size = [] {
        std::size_t sum = 0;
        for (const auto name : ids::format_names) sum += name.size() + 1;
        return sum;
    }();
    std::array<char, size> text{};
    auto* out = text.data();
    for (const auto name : ids::format_names) {
        *out++ = '|';
        out = std::copy(name.begin(), name.end(), out);
    }
    return text;
}();
constexpr std::string_view formats(barred_formats.data() + 1, barred_formats.size() - 1);
constexpr std::string_view policies = "generate|preserve_or_generate|preserve|disable";

constexpr std::array route_id_rows{
    like("X-Request-Id", instead_of("headers", "header", Kind::header_name,
                                    "The header of the id, to the backend and to the client.")),
    varying(plain("headers", Kind::header_names, setting<&Id::headers, &IdOverrides::headers>,
                  "The headers of the id, when there are several or none.")),
    varying(choice("format", setting<&Id::format, &IdOverrides::format>, formats,
                   "How the id is made. httpd_2_4_47 is what Apache makes now. httpd_2_4_49 is the "
                   "same with its counter modulo 65535. An id under other is a uuidv7 by "
                   "default.")),
    varying(choice("policy", setting<&Id::policy, &IdOverrides::policy>, policies,
                   "Whether an id that comes in is kept. generate: never. preserve_or_generate: an "
                   "id from a trusted proxy is kept, else one is made. preserve: an id from a "
                   "trusted proxy is kept, else the request has none. disable: the request has "
                   "none. Ids that are not kept are removed.")),
};

constexpr std::array own_id_rows{
    like("X-Client-Request-Id",
         plain("keep_client_in", Kind::header_name, field<&Id::keep_client_in>,
               "A header to the backend with the id that the client sent, when it was replaced.")),
};
constexpr auto id_rows = both(own_id_rows, route_id_rows);

constexpr std::array route_ids_rows{
    nested("request_id", Kind::section, Section::route_id,
           setting_part<&Ids::request_id, &IdsOverrides::request_id>, "The request id."),
    nested("unique_id", Kind::section, Section::route_id,
           setting_part<&Ids::unique_id, &IdsOverrides::unique_id>, "The unique id."),
    nested("other", Kind::named, Section::route_id, named_parts<&IdsOverrides::other>,
           "The ids of ids.other, by their names."),
};

constexpr std::array machine_rows{
    plain("address", Kind::text, field<&Machine::address>,
          "An IPv4 address. auto: TICKETGATE_ADDRESS, else the first of this machine that is not "
          "loopback."),
    count("worker", field<&Machine::worker>, 0, 31,
          "A number that no other process of the datacenter has. auto: TICKETGATE_WORKER, else the "
          "number at the end of the host name, such as 3 of web-3.",
          "auto"),
    count("datacenter", field<&Machine::datacenter>, 0, 31,
          "A number that the machines of one place share."),
};

}  // namespace

constinit const std::span<const Key> ids_keys = ids_rows;
constinit const std::span<const Key> id_keys = id_rows;
constinit const std::span<const Key> machine_keys = machine_rows;
constinit const std::span<const Key> route_ids_keys = route_ids_rows;
constinit const std::span<const Key> route_id_keys = route_id_rows;

}  // namespace ticketgate::config
