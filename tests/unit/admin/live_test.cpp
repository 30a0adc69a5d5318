// One picture for all viewers, made only while somebody looks, and not too often.
#include "admin/live.hpp"

#include <gtest/gtest.h>

namespace ticketgate::admin {
namespace {

struct LivePage : testing::Test {
    ~LivePage() override { live->stop(); }

    std::unique_ptr<Events> viewer() { return live->watch(); }
    // Runs what is due until a picture has been made after the one before.
    void next_picture() {
        const int before = pictures;
        while (pictures == before) io.run_one();
    }

    boost::asio::io_context io;
    int pictures = 0, readings = 0;
    std::size_t told_viewers = 0;
    std::shared_ptr<Live> live = std::make_shared<Live>(
        io, 2,
        Live::Sources{.picture =
                          [this](std::size_t viewers) {
                              told_viewers = viewers;
                              return "picture " + std::to_string(++pictures);
                          },
                      .readings =
                          [this] {
                              ++readings;
                              return std::vector<History::Reading>();
                          },
                      .history = [](const History&) { return std::string("past"); }});
};

TEST_F(LivePage, IsNotDrawnWhileNobodyLooks) {
    live->start();
    io.poll();
    EXPECT_EQ(pictures, 0);
    EXPECT_EQ(readings, 1) << "but the history goes on";
}

TEST_F(LivePage, SendsTheHistoryAndThenThePicture) {
    live->start();
    const auto one = viewer();
    EXPECT_EQ(*one->next(), "event: history\ndata: past\n\n");
    EXPECT_EQ(*one->next(), "data: picture 1\n\n");
    EXPECT_EQ(one->next(), nullptr) << "no second time";
    EXPECT_EQ(told_viewers, 1u);
}

TEST_F(LivePage, IsOneTextForAllViewers) {
    live->start();
    const auto one = viewer(), two = viewer();
    const auto history = one->next(), picture = one->next();
    EXPECT_EQ(two->next(), history) << "the same memory";
    EXPECT_EQ(two->next(), picture);
    EXPECT_EQ(pictures, 1);
}

TEST_F(LivePage, HasALimitOfViewers) {
    live->start();
    auto one = viewer(), two = viewer();
    EXPECT_EQ(viewer(), nullptr);
    one.reset();
    EXPECT_NE(viewer(), nullptr);
}

TEST_F(LivePage, WakesEveryViewerForEachPicture) {
    const Time before = monotonic_now();  // the pace counts from the first picture
    live->start();
    const auto one = viewer(), two = viewer();
    int woken = 0;
    one->wake = [&] { ++woken; };
    two->wake = [&] { ++woken; };
    next_picture();
    EXPECT_GE(monotonic_now() - before, Live::pace - 50ms);
    EXPECT_EQ(woken, 2);
    EXPECT_EQ(pictures, 2);
}

TEST_F(LivePage, SkipsPicturesThatASlowViewerDidNotTake) {
    live->start();
    const auto slow = viewer();
    next_picture();
    next_picture();
    EXPECT_EQ(*slow->next(), "event: history\ndata: past\n\n");
    EXPECT_EQ(*slow->next(), "data: picture 3\n\n");
    EXPECT_EQ(slow->next(), nullptr);
}

// Each reload of a browser is a new viewer: they must not make a picture each.
TEST_F(LivePage, IsNotDrawnMoreOftenForViewersThatComeAndGo) {
    const Time before = monotonic_now();
    live->start();
    for (int i = 0; i < 100; ++i) {
        const auto one = viewer();
        EXPECT_NE(one->next(), nullptr);
    }
    EXPECT_LE(pictures, 1 + (monotonic_now() - before) / Live::pace);
}

TEST_F(LivePage, AsksNobodyAfterItsEnd) {
    live->start();
    const auto one = viewer();
    live->stop();
    EXPECT_EQ(viewer(), nullptr);
    io.run();
    EXPECT_EQ(pictures, 1);
}

}  // namespace
}  // namespace ticketgate::admin
