/* agent/runtime/file_map.c */
#include "agent/runtime/file_map.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int sl_file_map(const char *path, struct sl_bytes *out)
{
    struct stat info;
    void *at = NULL;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    int rc = fstat(fd, &info) != 0 ? -errno : 0;
    if (rc == 0 && !S_ISREG(info.st_mode))
        rc = S_ISDIR(info.st_mode) ? -EISDIR : -EINVAL;
    if (rc == 0 && info.st_size > 0) {
        at = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (at == MAP_FAILED)
            rc = -errno;
    }
    close(fd);
    if (rc == 0)
        *out = (struct sl_bytes){at, (size_t)info.st_size};
    return rc;
}

void sl_file_unmap(struct sl_bytes *file)
{
    if (file->data)
        munmap((void *)(uintptr_t)file->data, file->size);
    *file = (struct sl_bytes){0};
}
