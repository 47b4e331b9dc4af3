/* agent/runtime/file_map.c */
#include "agent/runtime/file_map.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static struct sl_file_identity identity_of(const struct stat *info)
{
    return (struct sl_file_identity){
        .device = (uint64_t)info->st_dev,
        .inode = (uint64_t)info->st_ino,
        .size = (uint64_t)info->st_size,
        .modified_s = (int64_t)info->st_mtim.tv_sec,
        .changed_s = (int64_t)info->st_ctim.tv_sec,
        .modified_ns = (uint64_t)info->st_mtim.tv_nsec,
        .changed_ns = (uint64_t)info->st_ctim.tv_nsec,
    };
}

int64_t sl_file_modified_ns(const struct sl_file_identity *identity)
{
    const uint64_t second_ns = 1000000000; /* times of damaged file systems wrap */
    return (int64_t)((uint64_t)identity->modified_s * second_ns + identity->modified_ns);
}

int sl_file_identify(int fd, struct sl_file_identity *out)
{
    struct stat info;
    if (fstat(fd, &info) != 0)
        return -errno;
    *out = identity_of(&info);
    return 0;
}

int sl_file_map(const char *path, struct sl_bytes *out, struct sl_file_identity *out_identity)
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
    if (rc == 0 && out_identity)
        *out_identity = identity_of(&info);
    return rc;
}

void sl_file_unmap(struct sl_bytes *file)
{
    if (file->data)
        munmap((void *)(uintptr_t)file->data, file->size);
    *file = (struct sl_bytes){0};
}
