/* host/store/run_file.c */
#include "host/store/run_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/path.h"
#include "common/base/tree_remove.h"
#include "host/store/below.h"

enum { STEP_BYTES = 256, LEVELS = 2, STEP_FLAGS = O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK };

/* Takes a descriptor or -errno, and says of some of these that there is no such file. */
static int opened(int fd)
{
    switch (fd) {
    case -ENOENT:
    case -ELOOP:
    case -ENOTDIR:
    case -EXDEV:
        return SL_E_NOT_FOUND;
    default:
        return fd;
    }
}

static int one_step(int at, const char *step, int flags)
{
    int fd = openat(at, step, STEP_FLAGS | flags);
    return opened(fd < 0 ? -errno : fd);
}

/* The length of a path's first step; 0: it is none that leads down. */
static size_t step_of(const char *path)
{
    size_t len = strcspn(path, "/");
    bool dots = path[0] == '.' && (len == 1 || (len == 2 && path[1] == '.'));
    return len < STEP_BYTES && !dots ? len : 0;
}

static bool leads_down(const char *path)
{
    for (size_t len; (len = step_of(path)) > 0; path += len + 1) {
        if (!path[len])
            return true;
    }
    return false;
}

/* Step by step, where the system cannot do it at once. Closes `at`. */
static int walk_steps(int at, const char *path, int flags)
{
    while (at >= 0) {
        char step[STEP_BYTES];
        size_t len = step_of(path);
        memcpy(step, path, len);
        step[len] = '\0';
        int next = one_step(at, step, path[len] ? O_DIRECTORY : flags);
        close(at);
        at = next;
        if (!path[len])
            break;
        path += len + 1;
    }
    return at;
}

/* Goes down `path` from `at`, which it closes; all steps are directories but the last, which is
 * opened with `flags`. */
static int walk(int at, const char *path, int flags)
{
    int fd = leads_down(path) ? sl_below_open(at, path, STEP_FLAGS | flags) : SL_E_NOT_FOUND;
    if (fd == -ENOSYS)
        return walk_steps(at, path, flags);
    close(at);
    return opened(fd);
}

static int open_directory(const char *root, const char *directory)
{
    int at = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return at < 0 ? -errno : walk(at, directory, O_DIRECTORY);
}

/* The descriptors of a directory and of the one that it stands in under the name `*out_name`. */
static int open_with_parent(const char *root, const char *directory, int *out_parent,
                            const char **out_name)
{
    char above[SL_RUN_FILE_PATH_BYTES];
    const char *slash = strrchr(directory, '/');
    if (!slash || slash - directory >= (ptrdiff_t)sizeof(above))
        return SL_E_NOT_FOUND;
    snprintf(above, sizeof(above), "%.*s", (int)(slash - directory), directory);
    int at = open_directory(root, directory);
    *out_name = slash + 1;
    *out_parent = at < 0 ? at : open_directory(root, above);
    if (at < 0 || *out_parent >= 0)
        return at;
    close(at);
    return *out_parent;
}

int sl_run_file_remove(const char *root, const char *directory)
{
    const char *name;
    int parent, at = open_with_parent(root, directory, &parent, &name);
    if (at < 0)
        return at;
    sl_tree_remove_below(at);
    int rc = unlinkat(parent, name, AT_REMOVEDIR) < 0 ? -errno : 0;
    close(parent);
    return rc;
}

int sl_run_file_move(const char *root, const char *directory, const char *to)
{
    const char *name;
    char path[2 * SL_RUN_FILE_PATH_BYTES];
    int parent, at = open_with_parent(root, directory, &parent, &name);
    if (at < 0)
        return at;
    close(at);
    int rc = sl_path_join(path, sizeof(path), root, "%s", to);
    char *slash = strrchr(path, '/');
    if (rc == 0 && slash) {
        *slash = '\0';
        rc = mkdir(path, 0700) < 0 && errno != EEXIST ? -errno : 0;
        *slash = '/';
    }
    if (rc == 0 && renameat(parent, name, AT_FDCWD, path) < 0)
        rc = -errno;
    close(parent);
    return rc;
}

int sl_run_file_open(const char *root, const char *directory, const char *path, uint64_t *out_size)
{
    char below[2 * SL_RUN_FILE_PATH_BYTES];
    struct stat info;
    if (sl_path_join(below, sizeof(below), directory, "%s", path) < 0)
        return SL_E_NOT_FOUND;
    int at = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int fd = at < 0 ? -errno : walk(at, below, 0);
    if (fd < 0)
        return fd;
    if (fstat(fd, &info) < 0 || !S_ISREG(info.st_mode)) {
        close(fd);
        return SL_E_NOT_FOUND;
    }
    *out_size = (uint64_t)info.st_size;
    return fd;
}

int sl_run_file_read(const char *root, const char *directory, const char *path, size_t limit,
                     struct sl_buf *out)
{
    uint64_t size = 0;
    uint8_t *at = NULL;
    int fd = sl_run_file_open(root, directory, path, &size);
    if (fd < 0)
        return fd;
    sl_buf_init(out, limit);
    int rc = size > limit ? SL_E_LIMIT : sl_buf_extend(out, (size_t)size, &at);
    for (size_t done = 0; rc == 0 && done < size;) {
        ssize_t n = pread(fd, at + done, (size_t)size - done, (off_t)done);
        if (n <= 0)
            rc = n < 0 ? -errno : SL_E_TRUNCATED;
        else
            done += (size_t)n;
    }
    close(fd);
    if (rc < 0)
        sl_buf_fini(out);
    return rc;
}

struct listing {
    sl_run_file_fn found;
    void *user;
    size_t count;
};

static int list_level(int fd, const char *prefix, int levels, struct listing *listing);

static int list_entry(int parent, const char *prefix, const char *name, int levels,
                      struct listing *listing)
{
    char path[SL_RUN_FILE_PATH_BYTES];
    struct stat info;
    int len = snprintf(path, sizeof(path), "%s%s", prefix, name);
    if (len < 0 || (size_t)len + 2 > sizeof(path) || listing->count >= SL_RUN_FILES_MAX ||
        fstatat(parent, name, &info, AT_SYMLINK_NOFOLLOW) < 0)
        return 0;
    if (S_ISREG(info.st_mode)) {
        listing->count++;
        return listing->found(listing->user, path, (uint64_t)info.st_size);
    }
    if (!S_ISDIR(info.st_mode) || levels == 0)
        return 0;
    int fd = one_step(parent, name, O_DIRECTORY);
    if (fd < 0)
        return 0;
    path[len] = '/';
    path[len + 1] = '\0';
    return list_level(fd, path, levels - 1, listing);
}

/* Takes `fd` over. */
static int list_level(int fd, const char *prefix, int levels, struct listing *listing)
{
    DIR *directory = fdopendir(fd);
    int rc = 0;
    if (!directory) {
        rc = -errno;
        close(fd);
        return rc;
    }
    for (struct dirent *entry; rc == 0 && (entry = readdir(directory)) != NULL;) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            rc = list_entry(fd, prefix, entry->d_name, levels, listing);
    }
    closedir(directory);
    return rc;
}

int sl_run_file_list(const char *root, const char *directory, sl_run_file_fn found, void *user)
{
    struct listing listing = {.found = found, .user = user};
    int fd = open_directory(root, directory);
    if (fd < 0)
        return fd;
    int rc = list_level(fd, "", LEVELS, &listing);
    return rc < 0 ? rc : 0;
}

int sl_run_file_make_folders(char *path, size_t from)
{
    for (char *slash = strchr(path + from, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        int rc = mkdir(path, 0700) < 0 && errno != EEXIST ? -errno : 0;
        *slash = '/';
        if (rc < 0)
            return rc;
    }
    return 0;
}

const char *sl_run_file_type(const char *path)
{
    static const struct {
        const char *end, *type;
    } types[] = {
        {".json", "application/json"},           {".csv", "text/csv; charset=utf-8"},
        {".md", "text/markdown; charset=utf-8"}, {".log", "text/plain; charset=utf-8"},
        {".txt", "text/plain; charset=utf-8"},   {".html", "text/html; charset=utf-8"},
    };
    size_t len = strlen(path);
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        size_t end = strlen(types[i].end);
        if (len > end && strcmp(path + len - end, types[i].end) == 0)
            return types[i].type;
    }
    return "application/octet-stream";
}
