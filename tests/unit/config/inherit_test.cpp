#include "config/inherit.hpp"

#include "config/walk.hpp"
#include "loading.hpp"
#include "rows.hpp"

namespace ticketgate::config {
namespace {

const Mark here{"c.yaml", 7, 3};

template <class T>
void give(Setting<T>& setting, T value) {
    setting = {std::move(value), here};
}

// Name and value of every setting.
using Shown = std::vector<std::pair<std::string, std::string>>;

Shown shown(Settings settings) {
    Shown all;
    const RouteOverrides unused;
    walk(Section::settings, &unused, &settings,
         [&](const Walked& setting) { all.emplace_back(setting.name(), setting.spell()); });
    return all;
}

std::vector<std::string> names_of_all() {
    std::vector<std::string> names;
    for (const auto& [name, value] : shown({})) names.push_back(name);
    return names;
}

// A route that sets only this setting, to a value other than the default.
RouteOverrides only(const std::string& name) {
    RouteOverrides route;
    Settings unused;
    walk(Section::settings, &route, &unused, [&](const Walked& setting) {
        if (setting.name() != name) return;
        auto* const said = const_cast<void*>(setting.said);
        EXPECT_TRUE(read_value(setting.key, setting.key.bound.said, said, other_value(setting.key))
                        .empty());
    });
    return route;
}

TEST(Inherit, InheritsEachSettingByItself) {
    const auto before = shown({});
    for (const auto& name : names_of_all()) {
        const auto merged = resolve(Settings{}, only(name));
        const auto after = shown(merged);
        for (std::size_t i = 0; i < before.size(); ++i)
            EXPECT_EQ(after[i] == before[i], before[i].first != name)
                << name << " and " << before[i].first;
        EXPECT_EQ(merged.on_backend_error_status_set, name == "on_backend_error.status");
    }
}

TEST(Inherit, InheritsTheOriginOfEachSettingByItself) {
    const auto origins = built_in_origins();
    EXPECT_EQ(origins.size(), names_of_all().size());
    for (const auto& name : names_of_all())
        for (const Origin& merged : resolve(origins, only(name)))
            EXPECT_EQ(merged.mark.line != 0, merged.name == name) << name;
}

TEST(Inherit, ARouteWithoutSettingsChangesNothing) {
    Settings parent;
    for (const auto& name : names_of_all()) parent = resolve(parent, only(name));
    EXPECT_EQ(resolve(parent, RouteOverrides{}), parent);
    EXPECT_NE(parent, Settings{});
}

TEST(Inherit, TheInnerRouteWins) {
    RouteOverrides outer, inner;
    give(outer.wait_timeout, 10ms);
    give(outer.max_waiting, 5u);
    give(inner.wait_timeout, 20ms);
    const auto merged = resolve(resolve(Settings{}, outer), inner);
    EXPECT_EQ(merged.wait_timeout, 20ms);
    EXPECT_EQ(merged.max_waiting, 5u);
}

TEST(Inherit, OffAndTheDefaultBodyAreValuesToo) {
    Settings parent;
    parent.queue = "q";
    parent.on_full.body = "busy";
    RouteOverrides child;
    give(child.queue, std::optional<std::string>{});
    const std::optional<SharedText> of_its_own;  // a temporary here is a false alarm of g++ 12
    give(child.on_full.body, of_its_own);
    const auto merged = resolve(parent, child);
    EXPECT_EQ(merged.queue, std::nullopt);
    EXPECT_EQ(merged.on_full.body, std::nullopt);
}

TEST(Inherit, AStatusSetOnceStaysSetFurtherIn) {
    RouteOverrides outer, inner;
    give(outer.on_backend_error.status, std::uint16_t{500});
    give(inner.on_backend_error.content_type, std::string("text/plain"));
    EXPECT_FALSE(resolve(Settings{}, inner).on_backend_error_status_set);
    EXPECT_TRUE(resolve(resolve(Settings{}, outer), inner).on_backend_error_status_set);
}

}  // namespace
}  // namespace ticketgate::config
