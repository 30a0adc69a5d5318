#include "config/tree.hpp"

#include "loading.hpp"

namespace ticketgate::config {
namespace {

std::vector<std::string> complaints(const std::string& text) {
    Problems problems;
    (void)parse_tree(text, "c.yaml", environment_of({}), problems);
    return printed(problems.take());
}

using Lines = std::vector<std::string>;

TEST(Tree, KnowsThePlaceOfEveryKeyAndValue) {
    Problems problems;
    const auto root =
        parse_tree("a: 1\nb:\n  - x\n  - {k: 'v'}\n", "c.yaml", environment_of({}), problems);
    ASSERT_TRUE(root);
    EXPECT_EQ(root->find("a")->mark, (Mark{"c.yaml", 1, 1}));
    EXPECT_EQ(root->find("a")->value.mark, (Mark{"c.yaml", 1, 4}));
    const auto& list = root->find("b")->value;
    EXPECT_EQ(list.items.at(0).mark, (Mark{"c.yaml", 3, 5}));
    EXPECT_EQ(list.items.at(1).find("k")->value.mark, (Mark{"c.yaml", 4, 9}));
    EXPECT_TRUE(list.items.at(1).find("k")->value.quoted);
    EXPECT_EQ(root->find("c"), nullptr);
}

TEST(Tree, ReportsDuplicateKeys) {
    EXPECT_EQ(complaints("a: 1\nb: {c: 1, c: 2}\na: 3\n"),
              (Lines{"c.yaml:2:11: b.c: occurs twice; the first is in line 2",
                     "c.yaml:3:1: a: occurs twice; the first is in line 1"}));
}

// A function that opens a file would read its name only up to the NUL.
TEST(Tree, RefusesNulBytes) {
    const std::string why = "contains a NUL byte, with which no name, path or header can continue";
    EXPECT_EQ(complaints("log: {access_file: \"/tmp/a\\0b\"}\n"),
              (Lines{"c.yaml:1:20: log.access_file: " + why}));
    EXPECT_EQ(complaints("\"a\\0b\": 1\n"), (Lines{"c.yaml:1:1: " + why}));
    using std::string_literals::operator""s;
    EXPECT_EQ(complaints("a: 1\nb: x\0y\n"s), (Lines{"c.yaml:2:5: a NUL byte; remove it"}));
    EXPECT_EQ(complaints("\0a: 1\n"s), (Lines{"c.yaml:1:1: a NUL byte; remove it"}));
}

TEST(Tree, NamesTheUsualCausesOfBadYaml) {
    const auto hint = [](const std::string& text) {
        const auto told = complaints(text);
        return told.size() == 1 ? told[0].substr(told[0].find(';') + 2) : "no single problem";
    };
    const std::string tabs = "indent with spaces, not tabs",
                      quotes = "put the address in quotes: \"[::]:8080\"",
                      column =
                          "the keys of a section begin in the same column; check the indentation "
                          "of this line and of the line before";
    EXPECT_EQ(hint("a:\n\t- b\n"), tabs);
    EXPECT_EQ(hint("a:\n  - b\n \t- c\n"), tabs);
    EXPECT_EQ(hint("listen:\n  - address: [::]:8080\n"), quotes);
    EXPECT_EQ(hint("listen: [{address: [::1]:8080}]\n"), quotes);
    EXPECT_EQ(hint("a:\n  - b: 1\n   c: 1\n"), column);
    EXPECT_EQ(hint("a:\n  - b: 1\n  c: 1\n"), column);
}

TEST(Tree, TurnsBadYamlIntoOneProblem) {
    EXPECT_EQ(complaints("a: [1, 2\n").size(), 1u);
    EXPECT_EQ(complaints("a:\n\t- b\n").size(), 1u);
    EXPECT_EQ(complaints("a: *nowhere\n").size(), 1u);
    EXPECT_EQ(complaints("a: 1\nb: \"open\nc: 1\n"),
              Lines{"c.yaml:2:4: this quote is never closed"});
    EXPECT_EQ(complaints("a: &x 'it''s\n"), Lines{"c.yaml:1:4: this quote is never closed"});
    EXPECT_EQ(complaints("a: &x 'it''s'\nb: \"\\\"\"\nc: 'x'"), Lines{});
    EXPECT_EQ(complaints("a: 1\n---\nb: 2\n"),
              Lines{"c.yaml:2:1: a second document (---); a file may contain only one"});
    EXPECT_EQ(complaints(""), Lines{"c.yaml: empty; start with config/quickstart.yaml"});
    EXPECT_EQ(complaints("# nothing\n"), Lines{"c.yaml: empty; start with config/quickstart.yaml"});
    EXPECT_EQ(complaints("{[a]: 1}\n"), Lines{"c.yaml:1:2: a key must be text, not a list"});
}

TEST(Tree, CopiesAliases) {
    Problems problems;
    const auto root = parse_tree("a: &x {k: v}\nb: *x\n", "c.yaml", environment_of({}), problems);
    ASSERT_TRUE(root);
    EXPECT_EQ(root->find("b")->value.find("k")->value.text, "v");
    EXPECT_EQ(complaints("a: &x [*x]\n").size(), 1u);
}

TEST(Tree, IsBounded) {
    EXPECT_EQ(complaints(std::string(max_file_bytes + 1, '#')),
              Lines{"c.yaml: larger than 1 MiB; put long bodies into files (body_file)"});
    EXPECT_EQ(complaints("a: " + std::string(40, '[') + std::string(40, ']') + "\n").size(), 1u);
    EXPECT_EQ(complaints("a: " + std::string(100000, '[')).size(), 1u);
    std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n";
    for (int i = 1; i < 12; ++i) {
        const auto below = "*a" + std::to_string(i - 1);
        const auto name = "a" + std::to_string(i);
        bomb +=
            name + ": &" + name + " [" + below + "," + below + "," + below + "," + below + "]\n";
    }
    EXPECT_EQ(complaints(bomb).size(), 1u);
    std::string deep = "a0: &a0 [x]\n";
    for (int i = 1; i < 60; ++i)
        deep += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [*a" +
                std::to_string(i - 1) + "]\n";
    EXPECT_EQ(complaints(deep).size(), 1u);
}

}  // namespace
}  // namespace ticketgate::config
