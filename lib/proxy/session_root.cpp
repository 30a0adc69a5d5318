// How a session learns where fastcgi.root leads to (fastcgi.resolve_root): a deployment moves a
// link, and the application must see the new folder under a name that its caches do not know.
#include "disk/folder.hpp"
#include "disk/readers.hpp"
#include "proxy/session.hpp"

namespace ticketgate {

// Not in an unnamed namespace: the frame of a coroutine has one.
class RootLook final : public disk::Task {
 public:
    explicit RootLook(std::string path) : path_(std::move(path)) {}
    disk::Root root;
    int error = 0;

 private:
    void work() override { root = disk::open_root_now(path_, error); }
    const std::string path_;
};

// Without the folder, as in the middle of a deployment, the application is told the root as it is
// written, and says itself what is missing.
task<error_code> Session::find_script_root() {
    const std::string& path = *request_->to().moving_root();
    disk::Root found = station().roots.find(path, loop().woke());
    if (found == nullptr) {
        const error_code failure = co_await look_for_root(path, found);
        if (failure) co_return failure;
    }
    if (found != nullptr) request_->script_root = disk::place_of(found->get());
    co_return error_code();
}

task<error_code> Session::look_for_root(const std::string& path, disk::Root& found) {
    if (!client_.hold_head()) co_return errc::input_full;
    const auto look = std::make_shared<RootLook>(path);
    const error_code failure = co_await wait_for(path, look);
    if (failure) co_return failure;
    client_.view_head_again();
    found = look->root;
    if (found == nullptr)
        station().tell_file(*request_, path, look->error);
    else
        station().roots.put(path, found, loop().woke());
    co_return error_code();
}

}  // namespace ticketgate
