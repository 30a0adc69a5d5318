#include "vectors.hpp"

#include <boost/json/src.hpp>  // this test only; the product's copy lies elsewhere
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "base/bytes.hpp"

namespace ticketgate::ids {

boost::json::value vectors(const std::string& file) {
    std::ifstream in(TG_SOURCE_DIR "/tests/vectors/" + file);
    return boost::json::parse(std::string(std::istreambuf_iterator<char>(in), {}));
}

std::vector<std::uint8_t> from_hex(std::string_view text) {
    std::vector<std::uint8_t> out(text.size() / 2);
    if (!decode_hex(text, out)) throw std::invalid_argument(std::string(text));
    return out;
}

}  // namespace ticketgate::ids
