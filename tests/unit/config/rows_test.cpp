// Each row of the table of keys, and the field that it fills.
#include "rows.hpp"

#include "loading.hpp"

namespace ticketgate::config {
namespace {

std::string full_name(Section section, const Key& key) {
    return std::string(name_of(section)) + "." + std::string(key.name);
}

bool is_section(const Key& key) {
    return key.section != Section::top;
}

// Calls use(section, key, field) for each field of each row that holds one value. A setting of
// routes has two fields.
template <class Use>
void for_each_value(Use use) {
    for_each_key([&](Section section, const Key& key) {
        if (is_section(key)) return;
        for (const Binding* field : {&key.bound.field, &key.bound.said})
            if (field->owner != nullptr) use(section, key, *field);
    });
}

// Returns the value of the key in the model after reading `text`; for a route, after inheriting.
std::string after_reading(const Key& key, const Binding& field, void* owner,
                          const std::string& text) {
    const auto told = read_value(key, field, owner, text);
    EXPECT_EQ(printed(told), std::vector<std::string>{}) << key.name;
    if (&field != &key.bound.said) return field.spell(key, owner);
    const auto merged = key.bound.field.make();
    key.bound.inherit(owner, merged.get());
    return key.bound.field.spell(key, merged.get());
}

TEST(Rows, EveryKeyHasAFieldOrFillsThatOfAnotherKey) {
    for_each_key([](Section section, const Key& key) {
        const auto name = full_name(section, key);
        if (name == "route.routes") return;  // nested routes are read into one flat list
        const Key* filled = key.same_as.empty() ? &key : find_key(section, key.same_as);
        ASSERT_NE(filled, nullptr) << name;
        EXPECT_NE(filled->bound.field.read, nullptr) << name;
        EXPECT_EQ(filled->bound.field.spell == nullptr, is_section(key)) << name;
    });
}

TEST(Rows, ASettingOfARouteCanBeReadAndInherited) {
    for (const Section section : {Section::settings, Section::answer, Section::route_id})
        for (const Key& key : keys_of(section)) {
            if (!key.same_as.empty()) continue;
            EXPECT_NE(key.bound.said.read, nullptr) << key.name;
            EXPECT_EQ(key.bound.inherit == nullptr, is_section(key)) << key.name;
            EXPECT_EQ(key.bound.mark == nullptr, is_section(key)) << key.name;
        }
}

TEST(Rows, DefaultsCanBeWrittenAndRead) {
    for_each_value([](Section section, const Key& key, const Binding& field) {
        const auto name = full_name(section, key);
        const auto owner = field.make();
        const auto fresh = key.bound.field.make();
        const auto built_in = key.bound.field.spell(key, fresh.get());
        EXPECT_NE(after_reading(key, field, owner.get(), other_value(key)), built_in) << name;
        const auto text = default_of(key);
        if (text.empty()) return;
        EXPECT_EQ(after_reading(key, field, owner.get(), text == "-" ? "\"-\"" : text), built_in)
            << name;
    });
}

TEST(Rows, ExamplesAreGoodValues) {
    for_each_value([](Section section, const Key& key, const Binding& field) {
        if (key.example.empty()) return;
        const auto owner = field.make();
        EXPECT_EQ(printed(read_value(key, field, owner.get(), std::string(key.example))),
                  std::vector<std::string>{})
            << full_name(section, key);
    });
}

TEST(Rows, PrintedValuesCanBeReadAgain) {
    for_each_value([](Section section, const Key& key, const Binding& field) {
        const auto first = field.make(), second = field.make();
        const auto shown = after_reading(key, field, first.get(), other_value(key));
        EXPECT_EQ(after_reading(key, field, second.get(), shown), shown) << full_name(section, key);
    });
}

TEST(Rows, EachFillsAFieldOfItsOwn) {
    for_each_value([](Section section, const Key& key, const Binding& field) {
        if (&field == &key.bound.said) return;
        const auto fresh = field.make(), changed = field.make();
        (void)after_reading(key, field, changed.get(), other_value(key));
        for (const Key& other : keys_of(section)) {
            const Binding& beside = other.bound.field;
            if (&other == &key || beside.owner != field.owner || beside.spell == nullptr) continue;
            EXPECT_EQ(beside.spell(other, changed.get()), beside.spell(other, fresh.get()))
                << full_name(section, key) << " changes " << other.name;
        }
    });
}

TEST(Rows, ANumberOutOfRangeByOneIsRefused) {
    std::size_t bounds = 0;
    for_each_value([&](Section section, const Key& key, const Binding& field) {
        if (key.max == no_maximum) return;
        const auto owner = field.make();
        const auto problems = [&](std::uint64_t number) {
            return read_value(key, field, owner.get(), spell_number(key, number)).size();
        };
        EXPECT_EQ(problems(key.min), 0u) << full_name(section, key);
        EXPECT_EQ(problems(key.max), 0u) << full_name(section, key);
        EXPECT_EQ(problems(key.max + 1), 1u) << full_name(section, key);
        ++bounds;
        if (key.min == 0) return;
        EXPECT_EQ(problems(key.min - 1), 1u) << full_name(section, key);
        ++bounds;
    });
    EXPECT_GT(bounds, 100u);
}

}  // namespace
}  // namespace ticketgate::config
