#include "fault.hpp"

#include <array>
#include <utility>

namespace loadtest {

Fault fault_named(std::string_view name) {
    static constexpr std::array<std::pair<std::string_view, Fault>, 11> names{{
        {"silent", Fault::silent},
        {"die_read", Fault::die_read},
        {"die_head", Fault::die_head},
        {"die_body", Fault::die_body},
        {"die_chunk", Fault::die_chunk},
        {"garbage", Fault::garbage},
        {"early", Fault::early},
        {"takes_all", Fault::takes_all},
        {"odd_field", Fault::odd_field},
        {"bare", Fault::bare},
        {"drop_next", Fault::drop_next},
    }};
    for (const auto& [known, fault] : names) {
        if (known == name) return fault;
    }
    return Fault::none;
}

}  // namespace loadtest
