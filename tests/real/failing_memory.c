/* Preloaded: one allocation of one thread fails, as told in a file that a test shares with the process
   (FAILING_MEMORY). failing_memory.py knows the order of the numbers. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

extern void* __libc_malloc(size_t);
extern void* __libc_memalign(size_t, size_t);

struct Plan {
    int thread;   /* 0: nothing fails */
    int passes;   /* allocations before the one that fails */
    int fails;    /* that many in a row */
    int failed;   /* so far */
};
static struct Plan volatile* plan;
static __thread int thread;

__attribute__((constructor)) static void read_plan(void) {
    const char* const file = getenv("FAILING_MEMORY");
    const int descriptor = file != NULL ? open(file, O_RDWR | O_CLOEXEC) : -1;
    if (descriptor < 0) return;
    void* const shared = mmap(NULL, sizeof(struct Plan), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    close(descriptor);
    if (shared != MAP_FAILED) plan = shared;
}

static int fails(void) {
    if (plan == NULL || plan->thread == 0) return 0;
    if (thread == 0) thread = (int)syscall(SYS_gettid);
    if (plan->thread != thread) return 0;
    if (plan->passes > 0) return plan->passes--, 0;
    if (plan->fails <= 0) return 0;
    plan->fails--;
    plan->failed++;
    errno = ENOMEM;
    return 1;
}

void* malloc(size_t size) { return fails() ? NULL : __libc_malloc(size); }

void* aligned_alloc(size_t alignment, size_t size) {
    return fails() ? NULL : __libc_memalign(alignment, size);
}
