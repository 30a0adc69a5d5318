#include "spawn/voice.hpp"

#include <gtest/gtest.h>

#include "spawn/output.hpp"
#include "support/temporary_folder.hpp"

namespace ticketgate::spawn {
namespace {

// Gives the text of the operational log after its writers have ended.
class VoiceTest : public testing::Test {
 protected:
    template <class Write>
    std::string logged(const Write& write) {
        {
            Log log(Level::warn, std::make_shared<LogFile>(folder_.file("log")));
            write(log);
            EXPECT_TRUE(log.drain(30s));  // its end waits for less
        }
        return folder_.read("log");
    }
    static std::unique_ptr<Voice> voice(Log& log) {
        return std::make_unique<Voice>(log, "php", 7, std::make_shared<LineLimit>());
    }
    static bool has(const std::string& text, std::string_view part) {
        return text.find(part) != std::string::npos;
    }

 private:
    test::TemporaryFolder folder_;
};

TEST_F(VoiceTest, TellsLinesWithTheirWorker) {
    const auto text = logged([](Log& log) { voice(log)->says("a word", "id-1"); });
    EXPECT_TRUE(has(text, "a worker says upstream=php pid=7 request_id=id-1 text=\"a word\""))
        << text;
}

// Nobody else asks it, since its worker, and all others of its pool, may be gone.
TEST_F(VoiceTest, TellsAtItsEndWhatWasDropped) {
    constexpr std::uint64_t lines = 10000;
    const auto text = logged([&](Log& log) {
        const auto one = voice(log);
        for (std::uint64_t i = 0; i < lines; ++i) one->says("line", {});
    });
    std::uint64_t dropped = 0;
    constexpr std::string_view before = "dropped_lines=";
    for (auto at = text.find(before); at != std::string::npos; at = text.find(before, at + 1))
        dropped += std::stoull(text.substr(at + before.size()));
    EXPECT_GT(dropped, 0u);
    std::uint64_t told = 0;
    for (auto at = text.find("text=line"); at != std::string::npos;
         at = text.find("text=line", at + 1))
        ++told;
    EXPECT_EQ(told + dropped, lines);
}

// A pipe outlives its crew, and is read on: then it alone holds the voice.
TEST_F(VoiceTest, EndsWithItsPipe) {
    const auto text = logged([](Log& log) {
        boost::asio::io_context io;
        int ends[2];
        ASSERT_EQ(::pipe(ends), 0);
        std::shared_ptr<Voice> last = voice(log);
        const std::weak_ptr<Voice> lives = last;
        const auto output = Output::read(io, Descriptor(ends[0]),
                                         [last](auto line, auto id) { last->says(line, id); });
        last.reset();
        ASSERT_EQ(::write(ends[1], "of a job\n", 9), 9);
        ::close(ends[1]);
        io.run();
        EXPECT_TRUE(lives.expired());
        EXPECT_FALSE(output->is_open());
    });
    EXPECT_TRUE(has(text, "of a job")) << text;
}

}  // namespace
}  // namespace ticketgate::spawn
