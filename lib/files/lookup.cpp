#include "files/lookup.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "base/text.hpp"
#include "files/names.hpp"

namespace ticketgate::files {
namespace {

using Kind = Resolved::Kind;

bool is_worse(const Found& found) {
    return found.kind == Found::Kind::unknown || found.kind == Found::Kind::failed;
}

Resolved as(Kind kind, std::string path = {}) {
    Resolved out;
    out.kind = kind;
    out.path = std::move(path);
    return out;
}

// Nothing: the next candidate.
using Candidate = std::optional<Resolved>;

class Search {
 public:
    Search(Tree& tree, const Query& query, const Rules& rules)
        : tree_(tree), query_(query), rules_(rules) {}

    Resolved run() {
        const std::string_view path = query_.path;
        const auto end = rules_.runs_scripts ? script_end(path) : path.npos;
        const bool names_files = rules_.tries_path || rules_.tries_folder;
        if (names_files && is_hidden(path.substr(0, end), rules_.hide)) return as(Kind::hidden);
        const bool names_scripts = rules_.tries_path || rules_.fallback == Fallback::named;
        if (end != path.npos && names_scripts && rules_.has_backend()) return as(Kind::upstream);
        if (auto found = look_at_path()) return *std::move(found);
        switch (rules_.fallback) {
            case Fallback::upstream:
                return as(Kind::upstream);
            case Fallback::script:
                return as(Kind::script, rules_.fallback_path);
            case Fallback::file:
                if (auto found = send_fallback()) return *std::move(found);
                break;
            case Fallback::named:
            case Fallback::none:
                break;
        }
        return as(Kind::missing);
    }

 private:
    bool is_run(const std::string& path) const {
        return is_script(path) || is_source(path, rules_.sources);
    }

    // A path is a file or a folder, so one look tells for both candidates.
    Candidate look_at_path() {
        const std::string& path = query_.path;
        const bool slash = path.ends_with('/');
        const bool as_file = rules_.tries_path && query_.reads && !slash && !is_run(path);
        if (!as_file && !rules_.tries_folder) return std::nullopt;
        const Found found = as_file ? tree_.open(path) : tree_.find(path);
        if (is_worse(found)) return failure(found);
        if (found.kind == Found::Kind::file && as_file) return with_coding(path, found.file);
        if (found.kind == Found::Kind::folder && rules_.tries_folder) return look_in_folder(path);
        return std::nullopt;
    }

    // Only a folder that has an index: any other is not shown, and its path is the fallback's.
    Candidate look_in_folder(std::string path) {
        const bool slash = path.ends_with('/');
        if (!slash) path += '/';
        for (const auto& name : rules_.index) {
            Candidate found = look_at_index(path + name);
            if (!found) continue;
            const bool bad = found->kind == Kind::unknown || found->kind == Kind::failed;
            return slash || bad ? std::move(found) : as(Kind::redirect, path);
        }
        return std::nullopt;
    }

    Candidate look_at_index(const std::string& path) {
        if (is_hidden(path, rules_.hide)) return std::nullopt;
        if (!is_run(path)) return query_.reads ? send(path) : std::nullopt;
        if (!rules_.has_backend()) return std::nullopt;
        // A backend that is not told the script finds it by itself.
        const bool runs = path.ends_with(".php") && !has_control(path);
        if (rules_.chooses_scripts && !runs) return std::nullopt;
        const Found found = tree_.find(path);
        if (is_worse(found)) return failure(found);
        if (found.kind != Found::Kind::file) return std::nullopt;
        Resolved out = as(rules_.chooses_scripts ? Kind::script : Kind::upstream, path);
        out.of_folder = true;
        return out;
    }

    Candidate send_fallback() {
        const std::string& path = rules_.fallback_path;
        if (!query_.reads || is_run(path) || is_hidden(path, rules_.hide)) return std::nullopt;
        return send(path);
    }

    Candidate send(const std::string& path) {
        const Found found = tree_.open(path);
        if (is_worse(found)) return failure(found);
        if (found.kind != Found::Kind::file) return std::nullopt;
        return with_coding(path, found.file);
    }

    Resolved with_coding(const std::string& path, const std::shared_ptr<OpenFile>& plain) {
        Resolved out = as(Kind::file, path);
        out.file = plain;
        if (!rules_.precompressed || !rules_.type_of(path).compressible) return out;
        for (const Coding coding : {Coding::br, Coding::gzip}) {
            const bool taken = coding == Coding::br ? query_.takes.br : query_.takes.gzip;
            const std::string coded = path + (coding == Coding::br ? ".br" : ".gz");
            const Found found = taken ? tree_.open(coded) : tree_.find(coded);
            if (found.kind == Found::Kind::unknown) return as(Kind::unknown);
            // No place for one more open file, say. What is open is an answer; whether there are
            // others cannot be told.
            if (found.kind == Found::Kind::failed) {
                out.varies = true;
                return out;
            }
            // One that is older than the file was made from an older one.
            const bool there = found.kind == Found::Kind::file && found.mtime_ns >= plain->mtime_ns;
            out.varies = out.varies || there;
            if (!there || !taken) continue;
            out.coding = coding;
            out.file = found.file;
            break;
        }
        return out;
    }

    static Resolved failure(const Found& found) {
        return as(found.kind == Found::Kind::unknown ? Kind::unknown : Kind::failed);
    }

    Tree& tree_;
    const Query& query_;
    const Rules& rules_;
};

// qvalue of RFC 9110 12.4.2: only zero matters.
bool is_zero(std::string_view parameters) {
    const auto at = parameters.find_first_of("qQ");
    if (at == std::string_view::npos) return false;
    const auto equals = parameters.find('=', at);
    if (equals == std::string_view::npos) return false;
    const auto value = trim(parameters.substr(equals + 1));
    return !value.empty() && value.find_first_not_of("0.") == std::string_view::npos;
}

}  // namespace

const MediaType& Rules::type_of(std::string_view name) const {
    static const MediaType unknown("application/octet-stream");
    for (const auto& [ending, type] : types)
        if (iequals(ending, ending_of(name))) return type;
    const MediaType* const found = known == nullptr ? nullptr : known->of(name);
    return found == nullptr ? unknown : *found;
}

std::string_view name_of(Coding coding) {
    switch (coding) {
        case Coding::gzip:
            return "gzip";
        case Coding::br:
            return "br";
        case Coding::identity:
            break;
    }
    return {};
}

Codings read_codings(std::string_view accept_encoding) {
    std::optional<bool> gzip, br;
    bool any = false;
    for_each_element(accept_encoding, [&](std::string_view element) {
        const auto end = std::min(element.find(';'), element.size());
        const auto name = trim(element.substr(0, end));
        const bool good = !is_zero(element.substr(end));
        if (iequals(name, "gzip") || iequals(name, "x-gzip")) gzip = good;
        if (iequals(name, "br")) br = good;
        if (name == "*") any = good;
    });
    return {gzip.value_or(any), br.value_or(any)};
}

Resolved look_up(Tree& tree, const Query& query, const Rules& rules) {
    return Search(tree, query, rules).run();
}

}  // namespace ticketgate::files
