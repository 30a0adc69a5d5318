#include "spawn/output.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <vector>

namespace ticketgate::spawn {
namespace {

class OutputTest : public testing::Test {
 protected:
    void SetUp() override {
        std::array<int, 2> ends{};
        ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
        writes_ = Descriptor(ends[1]);
        output_ = Output::read(io_, Descriptor(ends[0]), [&](std::string_view line, auto id) {
            told_.push_back(std::string(id).append(": ").append(line));
        });
    }
    void TearDown() override { output_->close(); }
    void write(std::string_view text) {
        ASSERT_EQ(::write(writes_.get(), text.data(), text.size()), std::ssize(text));
    }
    Written& written() { return *output_->written(); }
    std::vector<std::string> told() {
        (void)io_.poll();
        return std::move(told_);
    }
    using Lines = std::vector<std::string>;

    boost::asio::io_context io_;
    Descriptor writes_{-1};
    std::vector<std::string> told_;
    std::shared_ptr<Output> output_;
};

TEST_F(OutputTest, ALineHasTheIdOfTheRequestThatWroteItNotOfTheOneThatRunsWhenItIsRead) {
    write("start\n");
    written().begins("a");
    write("one\ntwo\n");
    written().ends();
    written().begins("b");
    write("three\n");
    EXPECT_EQ(told(), (Lines{": start", "a: one", "a: two", "b: three"}));
}

TEST_F(OutputTest, ALineThatItsRequestDidNotEndIsToldAtTheEndOfTheRequest) {
    written().begins("a");
    write("half");
    EXPECT_EQ(told(), Lines{});
    written().ends();
    EXPECT_EQ(told(), Lines{"a: half"});
    written().begins("b");
    write("whole\n");
    EXPECT_EQ(told(), Lines{"b: whole"});
}

TEST_F(OutputTest, ALineThatIsReadAfterItsRequestEndedIsToldAtOnce) {
    written().begins("a");
    write("half");
    written().ends();
    EXPECT_EQ(told(), Lines{"a: half"});
}

TEST_F(OutputTest, TwoHalfLinesOfTwoRequestsAreTwoLines) {
    written().begins("a");
    write("A");
    written().ends();
    written().begins("b");
    write("B\n");
    EXPECT_EQ(told(), (Lines{"a: A", "b: B"}));
}

TEST_F(OutputTest, AnIdleWorkerWritesForNoRequest) {
    written().begins("a");
    written().ends();
    write("idle\n");
    written().begins("b");
    EXPECT_EQ(told(), Lines{": idle"});
}

TEST_F(OutputTest, ARequestThatNeverReachedTheWorkerHasNoLine) {
    written().begins("a");
    written().spared();
    write("dies\n");
    EXPECT_EQ(told(), Lines{": dies"});
}

TEST_F(OutputTest, WhatIsLeftAtTheEndHasItsIds) {
    written().begins("a");
    write("one\nrest");
    output_->close();
    EXPECT_EQ(told_, (Lines{"a: one", "a: rest"}));
    written().ends();  // the loop may be later than the end of the process
    EXPECT_EQ(told(), (Lines{"a: one", "a: rest"}));
}

TEST_F(OutputTest, AJobThatOutlivesItsWorkerIsReadUntilItEnds) {
    written().begins("a");
    write("of the worker\nhalf");
    EXPECT_TRUE(output_->outlives());
    EXPECT_EQ(told(), (Lines{"a: of the worker", "a: half"}));
    write("of the job\n");
    EXPECT_EQ(told(), Lines{": of the job"});
    write("its last");
    writes_ = Descriptor(-1);
    EXPECT_EQ(told(), Lines{": its last"});
    EXPECT_FALSE(output_->is_open());
}

TEST_F(OutputTest, AWorkerThatLeavesNobodyBehindHasNoPipeAnyMore) {
    write("last words");
    writes_ = Descriptor(-1);
    EXPECT_FALSE(output_->outlives());
    EXPECT_EQ(told(), Lines{": last words"});
    EXPECT_FALSE(output_->is_open());
}

}  // namespace
}  // namespace ticketgate::spawn
