// The picture of a process as lines of text for a terminal of some width and height. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "top/browser.hpp"
#include "top/kept.hpp"
#include "top/told.hpp"

namespace ticketgate::top {

enum class Style : std::uint8_t { plain, strong, selected, alarm, faint };

struct Line {
    std::string text;
    Style style = Style::plain;
    bool operator==(const Line&) const = default;
};

struct Size {
    std::size_t columns = 80, rows = 24;
};

/// No limit, and no line about keys: for a pipe or a file.
inline constexpr Size unlimited{1 << 20, 1 << 20};

/// What is shown beside the browser's queues.
struct Surroundings {
    std::string address;   ///< of the admin listener
    std::string whom;      ///< options of commands that name the process
    std::string every;     ///< how often it is asked
    std::string failure;   ///< why it does not answer; the queues are older
    bool looking = false;  ///< the process is asked: its answers change the picture
    bool ready = true;
    std::string drain = {};  ///< read_drain()
    std::optional<ConfigLine> config = {};
    std::string spool_trouble = {};                   ///< read_spool_trouble()
    std::vector<std::string> upstream_troubles = {};  ///< read_upstream_troubles()
    std::vector<BusyWorker> busy_workers = {};
    std::optional<ClusterPicture> cluster = {};
    const ClusterPicture* replicas() const { return cluster ? &*cluster : nullptr; }
    Clock now = {};
};

/// At most size.rows lines, each of at most size.columns characters.
std::vector<Line> screen(const Browser& browser, const Surroundings& around, Size size);

}  // namespace ticketgate::top
