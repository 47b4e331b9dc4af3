/* host/cli/runtime_dir.c */
#define _XOPEN_SOURCE 700 /* realpath, mkdtemp, utimensat */
#include "host/cli/runtime_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/base/buf.h"
#include "common/base/digest.h"
#include "common/base/error.h"
#include "common/base/path.h"
#include "common/base/tree_remove.h"
#include "host/cli/library_folder.h"
#include "host/cli/server_address.h"
#include "host/device/launch.h"
#include "host/spec/paths.h"

enum { MAX_FILE_BYTES = 256 << 20, MAX_FILES = 32, KEY_DIGITS = 24, KEPT_SECONDS = 7 * 24 * 3600 };

static const char program[] = "sme2lab-agent-executorch";

/* The item of the list that has a slash; NULL: none. */
static const char *find_directory(const char *said, size_t *out_len, struct sl_diag *diag, int *rc)
{
    const char *found = NULL;
    for (const char *at = said; *at;
         at += at[strcspn(at, ",")] ? strcspn(at, ",") + 1 : strlen(at)) {
        size_t len = strcspn(at, ",");
        if (!memchr(at, '/', len) && !(len <= 2 && at[0] == '.'))
            continue;
        if (found)
            *rc = sl_diag_set(diag, SL_E_UNSUPPORTED, "--runtime", "One directory can be named");
        found = at;
        *out_len = len;
    }
    return found;
}

/* The list with "executorch" in the directory's place. */
static int write_words(const char *said, const char *directory, size_t len,
                       char out[SL_RUNTIME_WORDS_BYTES], struct sl_diag *diag)
{
    int size = snprintf(out, SL_RUNTIME_WORDS_BYTES, "%.*s", (int)(directory - said), said);
    bool twice = strstr(out, "executorch") || strstr(directory + len, "executorch");
    if (twice)
        return sl_diag_set(diag, SL_E_UNSUPPORTED, "--runtime",
                           "ExecuTorch's libraries are the wheel's or the directory's, not both");
    size_t left =
        size >= 0 && size < SL_RUNTIME_WORDS_BYTES ? SL_RUNTIME_WORDS_BYTES - (size_t)size : 0;
    int more = snprintf(out + (left ? size : 0), left, "executorch%s", directory + len);
    return more >= 0 && (size_t)more < left
               ? 0
               : sl_diag_set(diag, SL_E_LIMIT, "--runtime", "The list is too long");
}

/* A folder in the making, and the digest of what it has. */
struct merged {
    char path[SL_PATH_BYTES];
    struct sl_sha256 content;
};

static int copy_file(const char *from, struct merged *into, const char *name, struct sl_diag *diag)
{
    char source[SL_PATH_BYTES], target[SL_PATH_BYTES];
    struct sl_buf file;
    int rc = sl_path_join(source, sizeof(source), from, "%s", name);
    if (rc == 0)
        rc = sl_path_join(target, sizeof(target), into->path, "%s", name);
    if (rc == 0)
        rc = sl_buf_read_file(source, MAX_FILE_BYTES, &file);
    if (rc < 0)
        return sl_diag_set(diag, rc, from, "%s cannot be read (%s)", name, sl_strerror(rc));
    sl_sha256_update(&into->content, name, strlen(name) + 1);
    sl_sha256_update(&into->content, &file.size, sizeof(file.size));
    sl_sha256_update(&into->content, file.data, file.size);
    rc = sl_buf_write_file(target, file.data, file.size);
    sl_buf_fini(&file);
    if (rc == 0 && chmod(target, 0700) < 0)
        rc = -errno;
    return rc < 0
               ? sl_diag_set(diag, rc, target, "The file cannot be written (%s)", sl_strerror(rc))
               : 0;
}

static int is_file(const struct dirent *entry)
{
    return strcmp(entry->d_name, program) == 0 || sl_library_folder_is_library(entry);
}

/* How many files came. */
static int copy_all(const char *from, struct merged *into, int (*which)(const struct dirent *),
                    struct sl_diag *diag)
{
    struct dirent **names = NULL;
    int rc = 0, count = scandir(from, &names, which, alphasort);
    if (count < 0)
        return sl_diag_set(diag, -errno, from, "The folder cannot be read (%s)", strerror(errno));
    if (count > MAX_FILES)
        rc = sl_diag_set(diag, SL_E_LIMIT, from, "A runtime has at most %d files", MAX_FILES);
    for (int i = 0; i < count; i++) {
        if (rc == 0)
            rc = copy_file(from, into, names[i]->d_name, diag);
        free(names[i]);
    }
    free(names);
    return rc < 0 ? rc : count;
}

static int make_folder(const char *root, struct merged *out, struct sl_diag *diag)
{
    sl_sha256_init(&out->content);
    int rc = sl_path_join(out->path, sizeof(out->path), root, "new.XXXXXX");
    if (rc == 0 && !mkdtemp(out->path))
        rc = -errno;
    return rc < 0 ? sl_diag_set(diag, rc, root, "A folder cannot be made (%s)", sl_strerror(rc))
                  : 0;
}

/* Under another name first: nobody is to find half of it. */
static void put_away(const char *root, const char *name, const char *path)
{
    char old[SL_PATH_BYTES];
    if (sl_path_join(old, sizeof(old), root, "%s.old", name) == 0 && rename(path, old) == 0)
        sl_tree_remove(old);
}

/* Removes what nobody named for a week, so that libraries under work do not fill the disk. */
static void forget_old(const char *root)
{
    char path[SL_PATH_BYTES];
    struct stat info;
    DIR *listing = opendir(root);
    for (struct dirent *entry; listing && (entry = readdir(listing));) {
        if (entry->d_name[0] != '.' &&
            sl_path_join(path, sizeof(path), root, "%s", entry->d_name) == 0 &&
            lstat(path, &info) == 0 && info.st_mtime + KEPT_SECONDS < time(NULL))
            put_away(root, entry->d_name, path);
    }
    if (listing)
        closedir(listing);
}

/* A folder that was touched stays a week. */
static int touch(const char *path)
{
    return utimensat(AT_FDCWD, path, NULL, 0) < 0 ? -errno : 0;
}

/* Gives it the name of its content. One of that name is the same, and may be in use. */
static int name_folder(const char *root, struct merged *merged, char out[SL_PATH_BYTES],
                       struct sl_diag *diag)
{
    char digest[SL_SHA256_HEX_SIZE];
    sl_sha256_final_hex(&merged->content, digest);
    digest[KEY_DIGITS] = '\0';
    int rc = sl_path_join(out, SL_PATH_BYTES, root, "%s", digest);
    if (rc == 0 && rename(merged->path, out) < 0)
        rc = errno == ENOTEMPTY || errno == EEXIST ? touch(out) : -errno;
    if (rc == -ENOENT && rename(merged->path, out) == 0) /* it was put away just now */
        rc = 0;
    return rc < 0 ? sl_diag_set(diag, rc, out, "The folder cannot be made (%s)", sl_strerror(rc))
                  : 0;
}

/* The agent reads it: no figure without whose libraries gave it. */
static int say_whose(const char *directory, const char *folder, struct sl_diag *diag)
{
    char path[SL_PATH_BYTES];
    int rc = sl_path_join(path, sizeof(path), folder, "whose");
    if (rc == 0)
        rc = sl_buf_write_file(path, directory, strlen(directory));
    return rc < 0
               ? sl_diag_set(diag, rc, folder, "The folder cannot be written (%s)", sl_strerror(rc))
               : 0;
}

/* The emulator looks for the loader below lib/. */
static int link_loader(const char *folder, struct sl_diag *diag)
{
    char path[SL_PATH_BYTES + 32];
    sl_path_join(path, sizeof(path), folder, "lib");
    bool made = mkdir(path, 0700) == 0 || errno == EEXIST;
    sl_path_join(path, sizeof(path), folder, "lib/ld-linux-aarch64.so.1");
    if (made && (symlink("../ld-linux-aarch64.so.1", path) == 0 || errno == EEXIST))
        return 0;
    return sl_diag_set(diag, -errno, path, "The link cannot be made (%s)", strerror(errno));
}

static int fill(const char *directory, struct merged *merged, struct sl_diag *diag)
{
    struct sl_tool installed;
    char base[SL_TOOL_PATH_BYTES];
    int rc = sl_tools_find_executorch(&installed, diag);
    if (rc < 0)
        return rc;
    snprintf(base, sizeof(base), "%.*s", (int)(strrchr(installed.path, '/') - installed.path),
             installed.path);
    rc = copy_all(base, merged, is_file, diag);
    if (rc >= 0)
        rc = copy_all(directory, merged, sl_library_folder_is_library, diag);
    sl_sha256_update(&merged->content, directory, strlen(directory));
    if (rc >= 0)
        rc = link_loader(merged->path, diag);
    return rc < 0 ? rc : say_whose(directory, merged->path, diag);
}

/* The wheel's files with the directory's in their places, in a folder that never changes again:
 * another run may have it in use. */
static int merge(const char *directory, char out[SL_PATH_BYTES], struct sl_diag *diag)
{
    char root[SL_PATH_BYTES];
    struct merged merged;
    int rc = sl_paths_state_folder("runtimes", root, diag);
    if (rc == 0)
        forget_old(root);
    if (rc == 0)
        rc = make_folder(root, &merged, diag);
    if (rc < 0)
        return rc;
    rc = fill(directory, &merged, diag);
    if (rc == 0)
        rc = name_folder(root, &merged, out, diag);
    sl_tree_remove(merged.path); /* where it was not renamed */
    return rc;
}

int sl_runtime_dir_take(const char *said, const char *server,
                        char out_words[SL_RUNTIME_WORDS_BYTES], struct sl_diag *diag)
{
    char named[SL_PATH_BYTES], directory[PATH_MAX], folder[SL_PATH_BYTES];
    size_t len = 0;
    int rc = 0;
    const char *at = find_directory(said, &len, diag, &rc);
    if (!at)
        return 1;
    if (rc == 0 && sl_server_address_is_named(server) && !sl_server_address_is_private(server)) {
        sl_diag_hint(diag, "set SME2LAB_EXECUTORCH where that daemon starts");
        rc = sl_diag_set(diag, SL_E_UNSUPPORTED, "--runtime",
                         "A daemon that was named runs the libraries it was installed with");
    }
    if (rc == 0)
        rc = write_words(said, at, len, out_words, diag);
    if (rc < 0)
        return rc;
    snprintf(named, sizeof(named), "%.*s", (int)len, at);
    rc = len < sizeof(named) ? sl_library_folder_check(named, diag) : -ENAMETOOLONG;
    if (rc >= 0)
        rc = realpath(named, directory) ? merge(directory, folder, diag) : -errno;
    if (rc == 0 &&
        (setenv("SME2LAB_EXECUTORCH", folder, 1) < 0 || setenv("SME2LAB_SERVER", "private", 1) < 0))
        rc = -errno;
    return rc;
}
