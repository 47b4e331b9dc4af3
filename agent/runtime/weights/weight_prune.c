/* agent/runtime/weights/weight_prune.c */
#include "agent/runtime/weights/weight_prune.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/runtime/weights/known_content.h"
#include "common/base/clock.h"
#include "common/base/mem.h"
#include "common/base/path.h"

enum { NAME_BYTES = 80, PATH_BYTES = 4096, WEIGHTS_DIGITS = 32, NOTE_DIGITS = 16 };

struct found {
    char name[NAME_BYTES];
    struct sl_file_identity identity;
    int64_t used_ns; /* last, of the epoch */
};

/* Two growing lists: weight files, notes. */
struct listing {
    const char *directory;
    struct found *files[2];
    size_t count[2], room[2];
};
enum { WEIGHTS, NOTES };

static void remove_file(const struct listing *list, const char *name)
{
    char path[PATH_BYTES];
    if (sl_path_join(path, sizeof(path), list->directory, "%s", name) == 0)
        unlink(path); /* another agent may have been first */
}

/* So many hexadecimal digits, then `ending`. */
static bool is_named(const char *name, size_t digits, const char *ending)
{
    return strspn(name, "0123456789abcdef") == digits && strcmp(name + digits, ending) == 0;
}

/* True if a writer has not finished the file: then its name goes on with a point and more. */
static bool is_unfinished(const char *name)
{
    size_t digits = strspn(name, "0123456789abcdef");
    const char *ending = digits == WEIGHTS_DIGITS ? ".weights."
                         : digits == NOTE_DIGITS  ? ".note."
                                                  : NULL;
    size_t len = ending ? strlen(ending) : 0;
    return ending && strncmp(name + digits, ending, len) == 0 && name[digits + len] != '\0';
}

static int add(struct listing *list, int kind, const struct found *file)
{
    if (list->count[kind] == list->room[kind]) {
        size_t room = list->room[kind] != 0 ? 2 * list->room[kind] : 64;
        struct found *grown = sl_realloc(list->files[kind], room, sizeof(*grown));
        if (!grown)
            return -ENOMEM;
        list->files[kind] = grown;
        list->room[kind] = room;
    }
    list->files[kind][list->count[kind]++] = *file;
    return 0;
}

static bool identify(const struct listing *list, const char *name, struct found *out)
{
    char path[PATH_BYTES];
    size_t len = strlen(name);
    if (len >= NAME_BYTES || sl_path_join(path, sizeof(path), list->directory, "%s", name) < 0)
        return false;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0)
        return false;
    bool known = sl_file_identify(fd, &out->identity) == 0;
    close(fd);
    memcpy(out->name, name, len + 1);
    out->used_ns = sl_file_modified_ns(&out->identity);
    return known;
}

static int take(struct listing *list, const char *name, int64_t now_s)
{
    struct found file;
    int64_t noted_ns;
    bool weights = is_named(name, WEIGHTS_DIGITS, ".weights");
    bool note = is_named(name, NOTE_DIGITS, ".note"), unfinished = is_unfinished(name);
    if ((!weights && !note && !unfinished) || !identify(list, name, &file))
        return 0;
    if (unfinished) {
        if (file.identity.modified_s < now_s - SL_WEIGHT_TORN_S)
            remove_file(list, name);
        return 0;
    }
    /* Who uses a file touches its note: a touched file would be another one. */
    if (weights && sl_known_content_used(list->directory, &file.identity, &noted_ns))
        file.used_ns = noted_ns > file.used_ns ? noted_ns : file.used_ns;
    return add(list, weights ? WEIGHTS : NOTES, &file);
}

static int by_use(const void *a, const void *b)
{
    const struct found *x = a, *y = b;
    if (x->used_ns != y->used_ns)
        return x->used_ns < y->used_ns ? -1 : 1;
    return strcmp(x->name, y->name);
}

static int read_directory(struct listing *list)
{
    int64_t now_s = (int64_t)(sl_clock_utc_ms() / 1000);
    int rc = 0;
    DIR *directory = opendir(list->directory);
    if (!directory)
        return -errno;
    for (const struct dirent *entry; rc == 0 && (entry = readdir(directory)) != NULL;)
        if (list->count[WEIGHTS] + list->count[NOTES] < SL_WEIGHT_MAX_FILES_SEEN)
            rc = take(list, entry->d_name, now_s);
    closedir(directory);
    for (int kind = 0; kind < 2; kind++)
        if (list->count[kind] != 0)
            qsort(list->files[kind], list->count[kind], sizeof(struct found), by_use);
    return rc;
}

/* The oldest first. */
static int remove_weights(const struct listing *list, uint64_t max_bytes)
{
    uint64_t bytes = 0;
    int removed = 0;
    for (size_t i = 0; i < list->count[WEIGHTS]; i++)
        bytes += list->files[WEIGHTS][i].identity.size;
    for (size_t i = 0; i < list->count[WEIGHTS] && bytes > max_bytes; i++) {
        const struct found *file = &list->files[WEIGHTS][i];
        remove_file(list, file->name);
        sl_known_content_forget(list->directory, &file->identity);
        bytes -= file->identity.size;
        removed++;
    }
    return removed;
}

int sl_weight_prune(const char *directory, uint64_t max_bytes)
{
    struct listing list = {.directory = directory};
    int rc = read_directory(&list);
    if (rc == 0)
        rc = remove_weights(&list, max_bytes);
    for (size_t i = 0; rc >= 0 && i + SL_WEIGHT_MAX_NOTES < list.count[NOTES]; i++)
        remove_file(&list, list.files[NOTES][i].name);
    sl_free(list.files[WEIGHTS]);
    sl_free(list.files[NOTES]);
    return rc;
}
