// The files of the live page: nothing from elsewhere, nothing inline, no HTML made of text.
#include "admin/page_files.hpp"

#include <gtest/gtest.h>

#include <string>

namespace ticketgate::admin {
namespace {

TEST(PageFiles, ForbidEverythingInlineAndFromElsewhere) {
    for (const char* path : {"/", "/page.js", "/cluster.js", "/page.css", "/page.svg"}) {
        const auto file = page_file(path);
        ASSERT_TRUE(file.has_value()) << path;
        const std::string policy((*file)["Content-Security-Policy"]);
        EXPECT_NE(policy.find("default-src 'none'"), policy.npos) << path;
        EXPECT_NE(policy.find("frame-ancestors 'none'"), policy.npos) << path;
        EXPECT_EQ(policy.find("unsafe"), policy.npos) << path;
        EXPECT_EQ((*file)["X-Content-Type-Options"], "nosniff");
        EXPECT_EQ((*file)["Cache-Control"], "no-store") << "a new program, a new page";
    }
    EXPECT_FALSE(page_file("/page.html").has_value());
    EXPECT_FALSE(page_file("").has_value());
}

TEST(PageFiles, NameNoOtherHostAndHaveNoInlineScriptOrStyle) {
    const std::string html = page_file("/")->body(),
                      script = page_file("/page.js")->body() + page_file("/cluster.js")->body(),
                      style = page_file("/page.css")->body();
    for (const auto& text : {html, style}) EXPECT_EQ(text.find("//"), text.npos);
    EXPECT_EQ(html.find("style="), html.npos);
    EXPECT_EQ(html.find(" on"), html.npos) << "no handler such as onclick";
    EXPECT_EQ(html.find("<style"), html.npos);
    for (const char* sink : {"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write",
                             "eval(", "new Function", "DOMParser"})
        EXPECT_EQ(script.find(sink), script.npos) << sink;
}

TEST(PageFiles, AreSmall) {
    std::size_t all = 0;
    for (const char* path : {"/", "/page.js", "/cluster.js", "/page.css", "/page.svg"})
        all += page_file(path)->body().size();
    EXPECT_LT(all, 48u << 10);
}

}  // namespace
}  // namespace ticketgate::admin
