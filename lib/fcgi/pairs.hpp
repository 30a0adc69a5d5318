// The name-value pairs of FastCGI 3.4, and the names of the variables of headers (RFC 3875 4.1.18).
// Pure.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace ticketgate::fcgi {

inline constexpr std::string_view variable_prefix = "HTTP_";

/// The variable of a header: `HTTP_` and the header in capital letters, digits and `_`.
std::string variable_of(std::string_view header);

/// The name of a variable, in a block that is copied whole: a copy of a size that the compiler
/// knows is two instructions. Public members, as a template's argument needs.
struct VariableName {
    template <std::size_t n>
    // NOLINTNEXTLINE(google-explicit-constructor): as put<"NAME">
    consteval VariableName(const char (&name)[n]) : size(n - 1) {
        std::copy_n(name, n - 1, block.begin());
    }
    std::string_view view() const { return {block.data(), size}; }

    std::array<char, 32> block{};
    std::size_t size;
};

/// Appends one pair: a length up to 127 takes one byte, a longer one four.
void append_pair(std::string& out, std::string_view name, std::string_view value);

/// Appends pairs to a text that it grows in large steps: a request has some thirty, and a resize()
/// for each took more time than the bytes. The text has its size when this object ends.
class Pairs {
 public:
    explicit Pairs(std::string& out) : out_(out), used_(out.size()) {
        out_.resize(out_.capacity());
    }
    ~Pairs() { out_.resize(used_); }
    Pairs(const Pairs&) = delete;
    Pairs& operator=(const Pairs&) = delete;

    /// The value has two parts.
    void add(const VariableName& name, std::string_view value, std::string_view rest);
    void add(std::string_view name, std::string_view value);
    /// The name is variable_of(header). Returns where it stands.
    std::size_t add_header(std::string_view header, std::string_view value);

    std::string_view text(std::size_t from, std::size_t size) const {
        return {out_.data() + from, size};
    }
    std::size_t size() const { return used_; }
    /// Takes back what stands from there on.
    void cut(std::size_t size) { used_ = size; }

 private:
    char* begin_pair(std::size_t name, std::size_t value);
    void end_at(const char* to) { used_ = static_cast<std::size_t>(to - out_.data()); }

    std::string& out_;
    std::size_t used_;
};

}  // namespace ticketgate::fcgi
