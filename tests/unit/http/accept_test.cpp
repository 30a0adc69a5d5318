// RFC 9110 12.5.1: who gets a page, and who gets a problem document.
#include "http/accept.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace ticketgate::http {
namespace {

// Each case is asked three times: of the function, and of a memory that does not know it yet and
// then knows it.
bool page_for(const std::vector<std::string_view>& values) {
    std::vector<Field> fields{{FieldName::host, "Host", "a", {}},
                              {FieldName::other, "X-Accept", "text/html", {}}};
    for (const auto value : values) fields.push_back({FieldName::accept, "Accept", value, {}});
    static AcceptMemo memo;
    const bool html = prefers_html(fields);
    for (int time = 0; time < 2; ++time) EXPECT_EQ(memo.prefers_html(fields), html);
    return html;
}

TEST(Accept, BrowsersPreferAPage) {
    for (const char* browser :
         {// Chromium 131, Firefox 131, Firefox 128 ESR, Safari 18; w3m, lynx
          "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,"
          "image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7",
          "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
          "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,"
          "image/png,image/svg+xml,*/*;q=0.8",
          "text/html, text/*;q=0.5, image/*", "text/html, text/plain, text/sgml, */*;q=0.01"})
        EXPECT_TRUE(page_for({browser})) << browser;
}

TEST(Accept, ProgramsAndPartsOfAPageGetTheDocument) {
    for (const char* program :
         {"*/*",                                             // curl, fetch(), scripts of a page
          "", "application/json",                            //
          "application/json, text/plain, */*",               // axios
          "application/json, text/javascript, */*; q=0.01",  // jQuery
          "application/problem+json",                        //
          "text/css,*/*;q=0.1",                              // a style sheet
          "image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8",  // a picture
          "text/event-stream"})
        EXPECT_FALSE(page_for({program})) << program;
    EXPECT_FALSE(page_for({})) << "without Accept";
}

struct Case {
    std::vector<std::string_view> accept;
    bool page;
};

TEST(Accept, TheMostSpecificRangeDecidesAndATieIsAProgram) {
    const Case cases[] = {
        {{"text/*"}, true},
        {{"TEXT/HTML"}, true},
        {{"text/html, application/json"}, false},
        {{"text/html;q=0.9, application/json;q=0.8"}, true},
        {{"text/html;q=0.8, application/json;q=0.9"}, false},
        {{"text/html;q=0.8, application/problem+json;q=0.9"}, false},
        {{"text/html;q=0.8, application/*;q=0.9"}, false},
        {{"text/html, */*"}, false},
        {{"application/*;q=0.1, */*"}, true},
        {{"text/*;q=0.9, text/html;q=0.1, */*;q=0.5"}, false},
        {{"text/html;q=0.1, text/*;q=0.9, */*;q=0.5"}, false},
        {{"text/html;q=0, */*"}, false},
        {{"text/html;q=0.001"}, true},
        {{"text/html;q=0.000"}, false},
        {{"application/json;q=0, application/problem+json;q=0, */*"}, true},
        {{"text/html;q=0.1, text/html"}, true},
        {{"text/html", "*/*;q=0.8"}, true},  // two fields are one list
        {{"*/*;q=0.8", "text/html"}, true},
        {{"text/html;q=0.5", "application/json"}, false},
        {{"text/html;charset=UTF-8, */*;q=0.1"}, true},
        {{"text/html; charset=\"utf-8\", */*;q=0.1"}, true},
        {{"text/html;level=1, */*;q=0.1"}, false},  // we have no such form
        {{"text/html;level=1, text/html;q=0.4, */*;q=0.1"}, true},
        {{"application/json;v=1, text/html;q=0.9"}, false},
        {{"*/*;v=1;q=0.1, text/html;q=0.5"}, true},
        {{"text/html;q=0.9;ext=1, */*;q=0.8"}, true},
    };
    for (const Case& one : cases) EXPECT_EQ(page_for(one.accept), one.page) << one.accept.front();
}

TEST(Accept, AValueOfAnyLengthIsReadWhole) {
    std::string list = "text/plain";
    for (int i = 0; i < 200; ++i) {
        EXPECT_FALSE(page_for({list}));
        EXPECT_TRUE(page_for({list + ", text/html"}));
        list += ",a/b";
    }
}

TEST(Accept, MalformedRangesCountAsAbsent) {
    const Case cases[] = {
        {{"text/html;q=2"}, false},
        {{"text/html;q=1.001"}, false},
        {{"text/html;q=0.1234"}, false},
        {{"text/html;q="}, false},
        {{"text/html;q"}, false},
        {{"text/html;q=.5"}, false},
        {{"text/html;q=-1"}, false},
        {{"text/html;q=0,5"}, false},
        {{"text/html;q=0.5x"}, false},
        {{"text/html;q=1."}, true},
        {{"text/html;Q=1.000"}, true},
        {{"text/html ; q=1"}, true},
        {{"*/html"}, false},
        {{"text"}, false},
        {{"text/"}, false},
        {{"/html"}, false},
        {{"html"}, false},
        {{",, ,text/html,,"}, true},
        {{";q=1"}, false},
        {{"text/html;;;q=0.5;"}, true},
        {{"\"text/html\""}, false},
        {{"a/b;c=\"text/html,"}, false},
        {{"a/b;c=\",\\\",text/html\", text/html"}, true},
        {{"a/b;c=\"\\"}, false},
        {{"text/htmlx"}, false},
        // Java's HttpURLConnection
        {{"text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2"}, true},
    };
    for (const Case& one : cases) EXPECT_EQ(page_for(one.accept), one.page) << one.accept.front();
}

}  // namespace
}  // namespace ticketgate::http
