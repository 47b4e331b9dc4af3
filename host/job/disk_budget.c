/* host/job/disk_budget.c */
#include "host/job/disk_budget.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_DEPTH = 8 }; /* runs/DAY/RUN/reference/files are 5 */

enum sl_disk_state sl_disk_judge(const struct sl_disk_limits *limits, enum sl_disk_state before,
                                 const struct sl_disk_look *look)
{
    uint64_t reserve = limits->reserve_bytes, budget = limits->budget_bytes;
    if (before == SL_DISK_RESERVE)
        reserve += reserve / 10;
    if (before == SL_DISK_BUDGET)
        budget -= budget / 20;
    return look->free_bytes < reserve                   ? SL_DISK_RESERVE
           : budget != 0 && look->state_bytes >= budget ? SL_DISK_BUDGET
                                                        : SL_DISK_ROOM;
}

/* Takes the folder's descriptor over. */
static uint64_t use_of(int fd, int depth)
{
    uint64_t bytes = 0;
    DIR *folder = fd < 0 ? NULL : fdopendir(fd);
    if (!folder && fd >= 0)
        close(fd);
    for (struct dirent *entry; folder && (entry = readdir(folder)) != NULL;) {
        struct stat info;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
            fstatat(dirfd(folder), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) < 0)
            continue;
        /* A run's files have several names, all of them below its state directory. */
        bool shared = S_ISREG(info.st_mode) && info.st_nlink > 1;
        bytes += (uint64_t)info.st_blocks * 512 / (shared ? info.st_nlink : 1);
        if (S_ISDIR(info.st_mode) && depth < MAX_DEPTH)
            bytes += use_of(openat(dirfd(folder), entry->d_name,
                                   O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC),
                            depth + 1);
    }
    if (folder)
        closedir(folder);
    return bytes;
}

uint64_t sl_disk_use(const char *path)
{
    return use_of(open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), 0);
}
