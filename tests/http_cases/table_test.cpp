// TABLE.md: every case and its verdict on one page, made from the tables themselves.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "http_cases/case_file.hpp"

namespace ticketgate::test {
namespace {

const std::filesystem::path folder = TG_SOURCE_DIR "/tests/http_cases";

std::string verdict(const Case& one) {
    const std::string stated = one.word("verdict");
    const std::string client = one.word("client");
    if (client == "cut") return "the client's connection is cut";
    if (!client.empty()) return client;
    const std::string answer = one.word("answer");
    if (answer.empty()) return stated.empty() ? "passed on" : stated;
    if (one.sees) return stated.empty() ? "forwarded" : stated;
    std::string text = answer;
    if (const auto at = text.find(' '); at != std::string::npos) text.insert(at, ",");
    return text + (stated.empty() ? "" : "; " + stated);
}

// A cell: no bar may end it early.
std::string cell(std::string text) {
    for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2)
        text.insert(at, "\\");
    return text;
}

std::string rendered() {
    std::ostringstream out;
    out << "# What is forwarded and what is refused\n\n"
           "Made from the tables in this folder by `http_cases_test`, which checks each line "
           "against a running gateway,\nwith and without a queue; do not edit. `closed`: the "
           "connection ends; `kept`: it goes on.\n";
    for (const char* file :
         {"request_framing", "request_syntax", "request_semantics", "responses"}) {
        const auto all = read_cases(folder / (std::string(file) + ".txt"));
        out << "\n## " << all.title << " (" << all.cases.size() << ", [" << file << ".txt](" << file
            << ".txt))\n\n| case | source | verdict |\n|---|---|---|\n";
        for (const Case& one : all.cases)
            out << "| " << cell(one.name) << " | " << cell(one.word("source")) << " | "
                << cell(verdict(one)) << " |\n";
    }
    return out.str();
}

TEST(Table, IsUpToDate) {
    const std::string now = rendered();
    if (std::getenv("TG_WRITE_TABLE") != nullptr)
        std::ofstream(folder / "TABLE.md", std::ios::binary) << now;
    std::ostringstream committed;
    committed << std::ifstream(folder / "TABLE.md", std::ios::binary).rdbuf();
    EXPECT_TRUE(committed.str() == now)
        << "TABLE.md is old: run http_cases_test with TG_WRITE_TABLE=1 in its environment";
}

TEST(Cases, HaveUniqueNamesAndASource) {
    for (const char* file :
         {"request_framing.txt", "request_syntax.txt", "request_semantics.txt", "responses.txt"}) {
        std::map<std::string, int> names;
        for (const Case& one : read_cases(folder / file).cases) {
            EXPECT_EQ(++names[one.name], 1) << file << ":" << one.line;
            EXPECT_NE(one.word("source"), "") << file << ":" << one.line;
        }
    }
}

}  // namespace
}  // namespace ticketgate::test
