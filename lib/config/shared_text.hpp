// Text shared by its copies. Settings are copied for each combination of routes, and the body of an
// answer may be long.
#pragma once

#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>

namespace ticketgate::config {

class SharedText {
 public:
    SharedText() : SharedText(std::string()) {}
    // NOLINTBEGIN(google-explicit-constructor): a setting converts from and to any text
    SharedText(std::string text) : text_(std::make_shared<const std::string>(std::move(text))) {}
    SharedText(const char* text) : SharedText(std::string(text)) {}

    operator std::string_view() const { return *text_; }
    // NOLINTEND(google-explicit-constructor)
    const std::string& str() const { return *text_; }
    bool operator==(const SharedText& other) const { return *text_ == *other.text_; }
    friend std::ostream& operator<<(std::ostream& out, const SharedText& text) {
        return out << text.str();
    }

 private:
    std::shared_ptr<const std::string> text_;
};

}  // namespace ticketgate::config
