#include "config/section.hpp"

#include <algorithm>
#include <exception>

#include "base/check.hpp"
#include "base/text.hpp"

namespace ticketgate::config {
namespace {

// Names from related programs that edit distance would not find.
std::string_view also_known_as(std::string_view name) {
    constexpr std::pair<std::string_view, std::string_view> others[]{
        {"concurrency", "queues: NAME: max_in_flight"},
        {"timeout", "wait_timeout or response_timeout"},
        {"queue_len", "max_waiting"},
        {"error_code", "on_wait_timeout: {status: …}"},
        {"path", "prefix"},
        {"location", "prefix"},
        {"backend", "upstream"},
        {"backends", "upstreams"},
        {"port", "address"},
        {"tries", "try"},
        {"try_files", "try"},
        {"request_id_header", "request_id: {header: …}"},
        {"unique_id_headers", "unique_id: {headers: […]}"},
        {"<<", "defaults: or nested routes, which inherit"}};
    for (const auto& [other, ours] : others)
        if (iequals(name, other)) return ours;
    return {};
}

std::string nearest_key(Section section, std::string_view name) {
    std::vector<std::string_view> known;
    for (const Key& key : keys_of(section)) known.push_back(key.name);
    const auto near = nearest(name, known);
    const auto meant = also_known_as(name);
    return std::string(meant.empty() ? near : meant);
}

// Names the section of this key, one level up or down: a frequent mistake of indentation.
std::string elsewhere(Section here, std::string_view name, const Node& value) {
    if (here == Section::top && name == "upstream" && value.kind == Node::Kind::map)
        return hint("upstreams");
    if (here == Section::top && find_key(Section::settings, name) != nullptr)
        return "; it belongs to a route, or below defaults: for all routes";
    for (const auto section :
         {Section::top, Section::queue, Section::route, Section::upstream, Section::fcgi,
          Section::clients, Section::spool, Section::ids, Section::log, Section::answer})
        if (find_key(section, name) != nullptr)
            return section == Section::top ? "; it belongs to the top level of the file"
                                           : "; it belongs to " + std::string(name_of(section));
    return {};
}

}  // namespace

std::string join(std::string_view path, std::string_view name) {
    return path.empty() ? std::string(name) : std::string(path) + "." + std::string(name);
}

SectionReader::SectionReader(const Node& node, Section section, std::string path, Reading& reading)
    : node_(node),
      section_(section),
      path_(std::move(path)),
      reading_(reading),
      exceptions_(std::uncaught_exceptions()),
      asked_(keys_of(section).size(), false) {
    for (const Entry& entry : node_.entries) {
        if (find_key(section, entry.key) != nullptr) continue;
        auto more = elsewhere(section, entry.key, entry.value);
        if (more.empty()) {
            meant_.push_back(nearest_key(section, entry.key));
            more = hint(meant_.back());
            if (!meant_.back().empty()) reading_.problems.misspelt(path_of(meant_.back()));
        }
        reading_.problems.error(entry.mark, path_of(entry.key), "unknown key" + more);
    }
    for (const Key& key : keys_of(section)) {
        if (key.required && !has(key.name) && !(!key.unless.empty() && has(key.unless)))
            reading_.problems.error(node_.mark, path_of(key.name), "is missing; " + expected(key));
    }
}

// While an exception such as no memory passes, the rest of the keys stay unread.
SectionReader::~SectionReader() {
    if (std::uncaught_exceptions() > exceptions_) return;
    TG_CHECK(std::all_of(asked_.begin(), asked_.end(), [](bool asked) { return asked; }));
}

bool SectionReader::has(std::string_view name) const {
    return node_.find(name) != nullptr || std::ranges::find(meant_, name) != meant_.end();
}

const Entry* SectionReader::take(std::string_view name) {
    const auto keys = keys_of(section_);
    const Key* key = find_key(section_, name);
    TG_CHECK(key != nullptr);
    asked_[static_cast<std::size_t>(key - keys.data())] = true;
    const Entry* entry = node_.find(name);
    if (entry != nullptr) reading_.marks[path_of(name)] = entry->mark;
    return entry;
}

void SectionReader::read_all(ModelType type, void* out) {
    const auto keys = keys_of(section_);
    for (std::size_t i = 0; i < keys.size(); ++i)
        if (!asked_[i] && keys[i].bound.in(type) != nullptr) read(keys[i], type, out);
}

void SectionReader::read(const Key& key, ModelType type, void* out) {
    const Entry* entry = take(key.name);
    if (entry == nullptr) return;
    const auto path = path_of(key.name);
    const Value value{entry->value, key, path, reading_};
    (void)key.bound.in(type)->read(value, out);  // reports a problem if false
}

std::string SectionReader::path_of(std::string_view name) const {
    return join(path_, name);
}

}  // namespace ticketgate::config
