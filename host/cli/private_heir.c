/* host/cli/private_heir.c */
#include "host/cli/private_heir.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/base/buf.h"
#include "common/base/path.h"
#include "common/base/tree_remove.h"

enum { PATH_BYTES = 1024, MAX_CONFIG_BYTES = 1 << 20, ENDING_MS = 3000, LOOK_MS = 20 };

/* A daemon that ends closes its socket first and lets go of its lock last. */
static bool is_ending(const char *state)
{
    char path[PATH_BYTES];
    struct stat info;
    sl_path_join(path, sizeof(path), state, "sme2labd.sock");
    return stat(path, &info) < 0;
}

/* Its lock, held; -1: a daemon has it. Waits for one that is about to end. */
static int lock_of(const char *state)
{
    const struct timespec look = {.tv_nsec = LOOK_MS * 1000000L};
    char path[PATH_BYTES];
    sl_path_join(path, sizeof(path), state, "lock");
    int lock = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    for (int ms = 0; lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) < 0; ms += LOOK_MS) {
        if (ms < ENDING_MS && is_ending(state)) {
            nanosleep(&look, NULL);
            continue;
        }
        close(lock);
        lock = -1;
    }
    return lock;
}

/* When it was started; 0: never, or for a CPU that was named, which its devices alone have. */
static time_t started(const char *state)
{
    char path[PATH_BYTES];
    struct stat info;
    struct sl_buf text;
    sl_path_join(path, sizeof(path), state, "private.json");
    if (stat(path, &info) < 0 || sl_buf_read_file(path, MAX_CONFIG_BYTES, &text) < 0)
        return 0;
    bool named = text.size > 0 && strstr((const char *)text.data, "\"cpu\"") != NULL;
    sl_buf_fini(&text);
    return named ? 0 : info.st_mtime;
}

static bool find_last(const char *root, bool used, char *out, size_t size)
{
    char path[PATH_BYTES];
    time_t newest = 0;
    DIR *directory = opendir(root);
    for (struct dirent *entry; directory && (entry = readdir(directory)) != NULL;) {
        sl_path_join(path, sizeof(path), root, "%s", entry->d_name);
        time_t time = entry->d_name[0] == '.' ? 0 : started(path);
        int lock = time > newest ? lock_of(path) : -1;
        if (lock >= 0)
            close(lock);
        if (time <= newest || (lock < 0) != used)
            continue;
        if (sl_path_join(out, size, root, "%s", entry->d_name) == 0)
            newest = time;
    }
    if (directory)
        closedir(directory);
    return newest != 0;
}

bool sl_private_last(const char *root, char *out, size_t size)
{
    return find_last(root, false, out, size);
}

bool sl_private_used(const char *root, char *out, size_t size)
{
    return find_last(root, true, out, size);
}

static void remove_below(int state, const char *name)
{
    int folder = openat(state, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder >= 0)
        sl_tree_remove_below(folder);
    unlinkat(state, name, AT_REMOVEDIR);
}

bool sl_private_take_over(const char *root, const char *state)
{
    char last[PATH_BYTES];
    int lock = sl_private_last(root, last, sizeof(last)) ? lock_of(last) : -1;
    if (lock < 0)
        return false;
    int folder = open(last, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    bool taken = folder >= 0 && rename(last, state) == 0;
    if (taken) {
        unlinkat(folder, "private.json", 0);
        unlinkat(folder, "sme2labd.sock", 0);
        remove_below(folder, "agents");
    }
    if (folder >= 0)
        close(folder);
    close(lock);
    return taken;
}
