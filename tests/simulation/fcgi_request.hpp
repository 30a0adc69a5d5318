// A FastCGI request read from pieces of any size, and how records are written: the far side of
// lib/fcgi, which it shares nothing with.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "simulation/message.hpp"

namespace ticketgate::sim {

enum class RecordType : std::uint8_t {
    begin = 1,
    end = 3,
    params = 4,
    in = 5,
    out = 6,
    err = 7,
};

/// One record; `padding` bytes of it follow the content.
std::string record(RecordType type, std::string_view content, unsigned padding = 0,
                   unsigned request = 1);

/// Strict: records out of order, of another version or request, of an unknown role, or with a
/// wrong CONTENT_LENGTH are broken.
class FcgiRequest final : public Incoming {
 public:
    std::size_t feed(std::string_view bytes) override;
    bool begun() const override { return begun_; }
    bool has_head() const override { return state_ == State::in || state_ == State::complete; }
    bool complete() const override { return state_ == State::complete; }
    bool broken() const override { return state_ == State::broken; }
    bool keeps() const override { return keeps_; }
    std::string request_id() const override { return request_id_; }

    std::string query, script;

 private:
    enum class State : std::uint8_t { begin, params, in, complete, broken };
    void take_header();
    void take_content(std::string_view content);
    void record_ends();
    void take_begin();
    void take_pairs();
    bool take_size(std::size_t& at, std::size_t& size) const;
    void take_pair(std::string_view name, std::string_view value);

    State state_ = State::begin;
    bool begun_ = false, keeps_ = false;
    std::string partial_;  // a header, the body of a BEGIN_REQUEST
    std::string pairs_;    // parameters that are not whole yet
    std::string length_, request_id_;
    std::size_t content_ = 0, padding_ = 0;
    bool in_record_ = false;
};

}  // namespace ticketgate::sim
