// The ends of the certificates that the listeners serve.
#include "app/certificates.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "log/line_sink.hpp"
#include "support/temporary_folder.hpp"

namespace ticketgate {
namespace {

struct CertificatesTest : testing::Test {
    static Certificates::Certificate ends(const std::string& subject, std::int64_t from_now) {
        return {"https", subject, WallTime{wall_now().unix_us + from_now * 1'000'000}};
    }
    std::vector<double> shown() const {
        std::vector<double> values;
        for (const auto& family : metrics.collect())
            for (const auto& series : family.series) values.push_back(series.value);
        return values;
    }
    std::size_t told() {
        EXPECT_TRUE(log.drain(10s));
        std::stringstream text;
        text << std::ifstream(folder.file("log")).rdbuf();
        std::size_t lines = 0;
        for (std::string line; std::getline(text, line);)
            lines += line.find("a TLS certificate has ended") != line.npos ? 1 : 0;
        return lines;
    }

    test::TemporaryFolder folder;
    Log log{Level::info, std::make_shared<LogFile>(folder.file("log"))};
    metrics::Registry metrics;
    Control control{log, [](int) {}};
    Certificates certificates{control, log, metrics};
};

TEST_F(CertificatesTest, ShowsTheEndOfEach) {
    const auto one = ends("CN=a", 1000), other = ends("CN=b", 2000);
    certificates.serve({one, other});
    EXPECT_EQ(shown(), (std::vector{double(one.expires.unix_s()), double(other.expires.unix_s())}));
    certificates.serve({other});
    EXPECT_EQ(shown(), std::vector{double(other.expires.unix_s())}) << "the other is not served";
}

// One for each kind of key.
TEST_F(CertificatesTest, ShowsTheFirstEndOfTwoOfOneName) {
    const auto later = ends("CN=a", 2000), first = ends("CN=a", 1000);
    certificates.serve({later, first});
    EXPECT_EQ(shown(), std::vector{double(first.expires.unix_s())});
}

TEST_F(CertificatesTest, TellsOnceThatOneHasEnded) {
    const auto ended = ends("CN=a", -1), good = ends("CN=b", 1000);
    certificates.serve({ended, good});
    EXPECT_EQ(told(), 1u);
    certificates.serve({good, ended});
    EXPECT_EQ(told(), 1u) << "a reload is no news of it";
}

TEST_F(CertificatesTest, TellsOfOneThatEndsLater) {
    std::size_t before = 0;
    std::int64_t seconds = 1;
    do {  // again if the machine stood still for so long that it had ended before it was served
        before = told();
        certificates.serve({ends("CN=" + std::to_string(seconds), seconds)});
        seconds *= 2;
    } while (told() != before);
    while (told() == before) control.io().run_one();
    EXPECT_EQ(told(), before + 1);
}

}  // namespace
}  // namespace ticketgate
