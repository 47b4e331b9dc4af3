/* agent/trace/shared_darwin.c */
#include "agent/trace/shared.h"

#include <errno.h>
#include <stddef.h>

/* Stand in <os/os_sync_wait_on_address.h> (macOS 14.4), which cross compilers lack. */
enum { SHARED_BETWEEN_PROCESSES = 1 };
int os_sync_wait_on_address(void *word, uint64_t value, size_t bytes, uint32_t flags);
int os_sync_wake_by_address_any(void *word, size_t bytes, uint32_t flags);

int sl_shared_file_open(const char *name)
{
    (void)name; /* what shm_open() gives can be mapped, but not written */
    return -ENOSYS;
}

void sl_shared_file_seal(int fd)
{
    (void)fd;
}

void sl_shared_sleep(_Atomic uint32_t *word, uint32_t value)
{
    (void)os_sync_wait_on_address((void *)word, value, sizeof(*word), SHARED_BETWEEN_PROCESSES);
}

void sl_shared_wake(_Atomic uint32_t *word)
{
    (void)os_sync_wake_by_address_any((void *)word, sizeof(*word), SHARED_BETWEEN_PROCESSES);
}
