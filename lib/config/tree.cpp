#include "config/tree.hpp"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

namespace ticketgate::config {
namespace {

// Ends the parse from inside an event; caught in this file.
struct Stop {};

// Builds nodes from yaml-cpp's events: unlike yaml-cpp's nodes, events show duplicate keys and let
// us bound the depth.
class Builder : public YAML::EventHandler {
 public:
    Builder(const std::string& file, const Environment& environment, Problems& problems)
        : file_(file), environment_(environment), problems_(problems) {}

    std::optional<Node> root;
    Mark last_quoted;  // the start of the last quoted or block scalar

    void OnDocumentStart(const YAML::Mark& at) override {
        if (root) stop(place(at), "a second document (---); a file may contain only one");
    }
    void OnDocumentEnd() override {}
    void OnNull(const YAML::Mark& at, YAML::anchor_t anchor) override {
        Node node;
        node.mark = place(at);
        add(std::move(node), anchor);
    }
    void OnScalar(const YAML::Mark& at, const std::string& tag, YAML::anchor_t anchor,
                  const std::string& value) override {
        Node node;
        node.kind = Node::Kind::scalar;
        node.mark = place(at);
        node.quoted = tag == "!";
        if (node.quoted) last_quoted = node.mark;
        if (value.find('\0') != value.npos)
            stop(node.mark, "contains a NUL byte, with which no name, path or header can continue");
        node.text = key_is_next() ? value : fill_in(value, node);
        if (value.find("$$") != std::string::npos) {
            std::vector<std::string> told_already;
            node.body = substitute_body(value, environment_, told_already);
        }
        add(std::move(node), anchor);
    }
    void OnSequenceStart(const YAML::Mark& at, const std::string&, YAML::anchor_t anchor,
                         YAML::EmitterStyle::value) override {
        open(Node::Kind::list, at, anchor);
    }
    void OnMapStart(const YAML::Mark& at, const std::string&, YAML::anchor_t anchor,
                    YAML::EmitterStyle::value) override {
        open(Node::Kind::map, at, anchor);
    }
    void OnSequenceEnd() override { close(); }
    void OnMapEnd() override { close(); }
    void OnAlias(const YAML::Mark& at, YAML::anchor_t anchor) override;

 private:
    struct Open {
        Node node;
        YAML::anchor_t anchor;
        std::optional<Entry> key = std::nullopt;  // of a map: already read, its value follows
    };

    Mark place(const YAML::Mark& at) const {
        return {file_, static_cast<std::uint32_t>(at.line + 1),
                static_cast<std::uint32_t>(at.column + 1)};
    }
    bool key_is_next() const {
        return !open_.empty() && open_.back().node.kind == Node::Kind::map && !open_.back().key;
    }
    std::string path() const;
    std::string fill_in(const std::string& value, Node& node);
    void open(Node::Kind kind, const YAML::Mark& at, YAML::anchor_t anchor);
    void close();
    void add(Node node, YAML::anchor_t anchor);
    void add_key(const Node& node);
    void add_value(Node& map, Entry entry);
    [[noreturn]] void stop(const Mark& at, const std::string& message) {
        problems_.error(at, path(), message);
        throw Stop{};
    }

    const std::string& file_;
    const Environment& environment_;
    Problems& problems_;
    std::vector<Open> open_;
    std::map<YAML::anchor_t, Node> anchors_;
    std::size_t count_ = 0;
};

// Returns the path of the next value: `routes[0].queue`.
std::string Builder::path() const {
    std::string path;
    for (const Open& level : open_) {
        if (level.node.kind == Node::Kind::list) {
            path += '[' + std::to_string(level.node.items.size()) + ']';
        } else if (level.key) {
            path += (path.empty() ? "" : ".") + level.key->key;
        }
    }
    return path;
}

std::string Builder::fill_in(const std::string& value, Node& node) {
    if (value.find('$') == std::string::npos) return value;
    std::vector<std::string> complaints;
    const auto read = [&](std::string_view name) {
        node.variables.emplace_back(name);
        return environment_(name);
    };
    auto text = substitute(value, read, complaints);
    node.broken = !complaints.empty();
    std::set<std::string> told;  // a variable may stand there twice
    for (const auto& complaint : complaints)
        if (told.insert(complaint).second) problems_.error(node.mark, path(), complaint);
    return text;
}

void Builder::open(Node::Kind kind, const YAML::Mark& at, YAML::anchor_t anchor) {
    if (open_.size() >= max_depth)
        stop(place(at), "nested deeper than " + std::to_string(max_depth) + " levels");
    Node node;
    node.kind = kind;
    node.mark = place(at);
    open_.push_back({std::move(node), anchor});
}

void Builder::close() {
    auto done = std::move(open_.back());
    open_.pop_back();
    add(std::move(done.node), done.anchor);
}

void Builder::OnAlias(const YAML::Mark& at, YAML::anchor_t anchor) {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) stop(place(at), "an alias inside the value that its anchor names");
    if (open_.size() + found->second.height > max_depth)
        stop(place(at), "nested deeper than " + std::to_string(max_depth) + " levels");
    if (count_ + found->second.size > max_nodes)
        stop(place(at), "more than " + std::to_string(max_nodes) + " values, aliases counted");
    Node copy = found->second;
    copy.mark = place(at);
    count_ += copy.size - 1;
    add(std::move(copy), 0);
}

void Builder::add(Node node, YAML::anchor_t anchor) {
    if (++count_ > max_nodes) stop(node.mark, "more than " + std::to_string(max_nodes) + " values");
    if (anchor != 0) anchors_[anchor] = node;
    if (open_.empty()) {
        root = std::move(node);
        return;
    }
    if (key_is_next()) return add_key(node);
    Open& parent = open_.back();
    parent.node.size += node.size;
    parent.node.height = std::max(parent.node.height, node.height + 1);
    if (parent.node.kind == Node::Kind::list) {
        parent.node.items.push_back(std::move(node));
        return;
    }
    auto entry = std::move(*parent.key);
    parent.key.reset();
    entry.value = std::move(node);
    add_value(parent.node, std::move(entry));
}

void Builder::add_key(const Node& node) {
    if (node.kind == Node::Kind::list || node.kind == Node::Kind::map)
        stop(node.mark, "a key must be text, not " + std::string(name_of(node.kind)));
    open_.back().key = Entry{node.text, node.mark, {}};
}

void Builder::add_value(Node& map, Entry entry) {
    if (const Entry* first = map.find(entry.key)) {
        const auto above = path();
        problems_.error(entry.mark, above + (above.empty() ? "" : ".") + entry.key,
                        "occurs twice; the first is in line " + std::to_string(first->mark.line));
        return;
    }
    map.entries.push_back(std::move(entry));
}

// True if the quoted scalar at `at` is not closed: yaml-cpp ends an open quote at the end of the
// file, and so takes the keys after it as text. Only the last quoted scalar can be open.
bool is_open_quote(std::string_view text, const Mark& at) {
    for (std::uint32_t line = 1; line < at.line && !text.empty(); ++line)
        text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
    text.remove_prefix(
        std::min<std::size_t>(at.line == 0 ? text.size() : at.column - 1, text.size()));
    while (text.starts_with('&') || text.starts_with('!'))  // skip its anchor or tag
        text.remove_prefix(std::min(
            text.find_first_not_of(" \t\r\n", text.find_first_of(" \t\r\n")), text.size()));
    if (!text.starts_with('"') && !text.starts_with('\'')) return false;
    const char quote = text[0];
    for (std::size_t i = 1; i < text.size(); ++i) {
        if (text[i] == '\\' && quote == '"') {
            ++i;
        } else if (text[i] == quote) {
            if (quote == '"' || i + 1 == text.size() || text[i + 1] != quote) return false;
            ++i;  // '' is one quote inside
        }
    }
    return true;
}

Mark place_of(std::string_view text, std::size_t at, const std::string& file) {
    const auto before = text.substr(0, at);
    const auto line = std::min(before.rfind('\n') + 1, at);  // npos + 1 is 0
    return {file, static_cast<std::uint32_t>(1 + std::ranges::count(before, '\n')),
            static_cast<std::uint32_t>(1 + at - line)};
}

std::string_view line_of(std::string_view text, std::uint32_t number) {
    for (; number > 1; --number) {
        const auto end = text.find('\n');
        if (end == text.npos) return {};
        text.remove_prefix(end + 1);
    }
    return text.substr(0, text.find('\n'));
}

// YAML reads [::]:8080 as the beginning of a list.
bool has_bare_ipv6(std::string_view line) {
    const auto at = line.find("[:");
    return at != line.npos && (at == 0 || (line[at - 1] != '"' && line[at - 1] != '\''));
}

// Adds the usual cause to yaml-cpp's message.
std::string explain_yaml(const YAML::Exception& error, std::string_view line) {
    std::string message = "not valid YAML: " + error.msg;
    const auto indent = line.substr(0, std::min(line.find_first_not_of(" \t"), line.size()));
    if (indent.find('\t') != indent.npos || error.msg == YAML::ErrorMsg::TAB_IN_INDENTATION ||
        error.msg.find("tab") != std::string::npos)
        return message + "; indent with spaces, not tabs";
    if (has_bare_ipv6(line)) return message + "; put the address in quotes: \"[::]:8080\"";
    if (error.msg == YAML::ErrorMsg::MAP_VALUE || error.msg == YAML::ErrorMsg::END_OF_MAP ||
        error.msg == YAML::ErrorMsg::END_OF_SEQ)
        return message +
               "; the keys of a section begin in the same column; check the indentation "
               "of this line and of the line before";
    return message;
}

}  // namespace

const Entry* Node::find(std::string_view key) const {
    const auto found =
        std::find_if(entries.begin(), entries.end(), [&](const Entry& e) { return e.key == key; });
    return found == entries.end() ? nullptr : &*found;
}

std::string_view name_of(Node::Kind kind) {
    switch (kind) {
        case Node::Kind::scalar:
            return "text";
        case Node::Kind::list:
            return "a list";
        case Node::Kind::map:
            return "a map";
        case Node::Kind::null:
            break;
    }
    return "nothing";
}

std::optional<Node> parse_tree(std::string_view text, const std::string& file,
                               const Environment& environment, Problems& problems) {
    const Mark whole{file, 0, 0};
    if (text.size() > max_file_bytes) {
        problems.error(whole, "", "larger than 1 MiB; put long bodies into files (body_file)");
        return std::nullopt;
    }
    if (const auto nul = text.find('\0'); nul != text.npos) {
        problems.error(place_of(text, nul, file), "", "a NUL byte; remove it");
        return std::nullopt;
    }
    Builder builder(file, environment, problems);
    try {
        std::istringstream stream{std::string(text)};
        YAML::Parser parser(stream);
        while (parser.HandleNextDocument(builder)) {
        }
        if (!builder.root) {
            problems.error(whole, "", "empty; start with config/quickstart.yaml");
            return std::nullopt;
        }
        if (is_open_quote(text, builder.last_quoted))
            problems.error(builder.last_quoted, "", "this quote is never closed");
        return std::move(builder.root);
    } catch (const YAML::Exception& error) {
        const auto line =
            error.mark.is_null() ? 0 : static_cast<std::uint32_t>(error.mark.line + 1);
        const auto column = line == 0 ? 0 : static_cast<std::uint32_t>(error.mark.column + 1);
        problems.error({file, line, column}, "", explain_yaml(error, line_of(text, line)));
    } catch (const Stop&) {
        // Already reported.
    }
    return std::nullopt;
}

}  // namespace ticketgate::config
