#include "http/cgi_name.hpp"

#include <algorithm>

namespace ticketgate::http {

std::string cgi_name(std::string_view name) {
    std::string folded(name);
    std::ranges::transform(folded, folded.begin(), cgi_fold);
    return folded;
}

bool same_cgi_name(std::string_view name, std::string_view cgi) {
    return name.size() == cgi.size() && std::equal(name.begin(), name.end(), cgi.begin(),
                                                   [](char a, char b) { return cgi_fold(a) == b; });
}

}  // namespace ticketgate::http
