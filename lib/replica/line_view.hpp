// What an operator sees of one clustered queue at one replica. A value.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "base/clock.hpp"
#include "cluster/keeper.hpp"

namespace ticketgate::replica {

struct LineView {
    cluster::Role role = cluster::Role::follower;
    cluster::Where where = cluster::Where::nowhere;
    cluster::Epoch epoch = 0;
    std::optional<cluster::Line> record;
    bool rid = true;       ///< as Replica::is_rid()
    Duration settling{0};  ///< for how long it waits for an earlier term
    std::uint64_t takeovers = 0;
    std::array<std::uint64_t, 4> settled{};  ///< earlier terms, by cluster::Settled
    std::uint64_t ended_pauses = 0;          ///< by the loss of the line to another replica
};

}  // namespace ticketgate::replica
