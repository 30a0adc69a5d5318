#include "ids/fork_mark.hpp"

#include <sys/mman.h>
#include <unistd.h>

namespace ticketgate::ids {
namespace {

constexpr std::size_t page_size = 4096;

char* wiped_page() {
    void* page =
        mmap(nullptr, page_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) return nullptr;
    if (madvise(page, page_size, MADV_WIPEONFORK) == 0) return static_cast<char*>(page);
    munmap(page, page_size);
    return nullptr;
}

}  // namespace

ForkMark::ForkMark() : page_(wiped_page()), process_(getpid()) {
    if (page_ != nullptr) *page_ = 1;
}

ForkMark::~ForkMark() {
    if (page_ != nullptr) munmap(const_cast<char*>(page_), page_size);
}

bool ForkMark::look() {
    if (page_ == nullptr && getpid() == process_) return false;
    process_ = getpid();
    if (page_ != nullptr) *page_ = 1;
    return true;
}

}  // namespace ticketgate::ids
