// What replicas tell each other in header fields when a request of a clustered queue goes from the
// replica that got it to the one that keeps the queue (CLUSTER.md section 9). Pure.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.hpp"

namespace ticketgate::cluster {

/// In the request.
inline constexpr std::string_view forward_header = "Ticketgate-Forward";
/// In the response, and in a 102 when the ticket is taken and has to wait: what it had told is the
/// place if the keeper is lost.
inline constexpr std::string_view place_header = "Ticketgate-Place";

/// In a request of a replica that took a line over, to the one that kept it: is all over that was
/// granted there?
inline constexpr std::string_view ask_header = "Ticketgate-Ask";

/// All of them. A replica removes those that come from a client or a backend.
inline constexpr std::array headers{forward_header, place_header, ask_header};

struct Ask {
    std::string_view secret;
    std::string_view queue;
    /// The id of the replica that is asked. Another process may listen at its address now; that
    /// process knows nothing of the term.
    std::string_view instance;
    std::uint64_t term = 0;  ///< the epoch that is asked for
    std::uint64_t by = 0;    ///< that of the replica that asks

    bool operator==(const Ask&) const = default;
};

std::string write_ask(const Ask& ask);
/// Views into `text`. Null: it is none, or of another version.
std::optional<Ask> read_ask(std::string_view text);

/// The facts of a request that its head does not have.
struct Forward {
    std::string_view secret;
    std::string_view queue;
    std::string_view client;         ///< its address
    std::string_view listener = {};  ///< name of the listener that it came to
    Duration waited{0};              ///< since its head was complete
    /// A call from inside: the request id that it names, which may be empty.
    std::optional<std::string_view> inside = std::nullopt;
    /// The number of its ticket at a keeper that had it before; 0: it had none.
    std::uint64_t place = 0;
    /// The term of the keeper to which it goes, as the other replica knows it: the same replica may
    /// keep the line in a later one by now. 0: not told, by a replica of an earlier version.
    std::uint64_t term = 0;
    bool unknown = false;  ///< `client` is a proxy that has not told its client's address
};

std::string write_forward(const Forward& forward);
/// Views into `text`. Null: it is none, or of another version.
std::optional<Forward> read_forward(std::string_view text);

/// The place that the request had, or that it has none here.
struct Place {
    bool moved = false;  ///< this replica does not keep the queue; the request was not started
    std::uint64_t number = 0;
    std::uint32_t position = 0;
    std::uint64_t blocked_by = 0;
    std::uint64_t token = 0;
    Duration waited{0};
    /// Since the head was complete at the replica that forwarded it, as told by Forward::waited;
    /// the rest of the time that this one sees went into forwarding. Zero: not told.
    Duration age{0};

    bool operator==(const Place&) const = default;
};

std::string write_place(const Place& place);
std::optional<Place> read_place(std::string_view text);

}  // namespace ticketgate::cluster
