// Paths: the normal form, and the routes of snapshots (path_model/promise.hpp).
#include "path_model/promise.hpp"

#include "fuzz/expect.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    const auto broken = ticketgate::paths::broken_by({reinterpret_cast<const char*>(bytes), size});
    ticketgate::fuzz::expect(broken.empty(), broken.c_str());
    return 0;
}
