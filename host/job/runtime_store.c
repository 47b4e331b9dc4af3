/* host/job/runtime_store.c */
#include "host/job/runtime_store.h"

#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/base/buf.h"
#include "common/base/digest.h"
#include "common/base/error.h"
#include "common/base/path.h"
#include "host/device/runtime_files.h"
#include "host/store/blobs.h"

enum { PATH_BYTES = 4096, MAX_FILE_BYTES = 256 << 20 };

static const char loader[] = "ld-linux-aarch64.so.1";

/* Touched first: what nobody asked for in an hour may go at any time, and is written again. */
static int store_file(const char *path, const struct sl_blobs *blobs,
                      char sha256[SL_RUNTIME_FILE_DIGEST])
{
    char to[SL_PATH_BYTES];
    uint64_t bytes = 0;
    struct sl_buf file;
    int rc = sl_buf_read_file(path, MAX_FILE_BYTES, &file);
    if (rc < 0)
        return rc;
    sl_sha256_hex(file.data, file.size, sha256);
    rc = sl_blobs_touch(blobs, sha256, &bytes);
    if (rc == SL_E_NOT_FOUND || (rc == 0 && bytes != file.size)) {
        rc = sl_blobs_path(blobs, sha256, to);
        if (rc == 0)
            rc = sl_buf_write_file(to, file.data, file.size);
    }
    sl_buf_fini(&file);
    return rc;
}

static int add(const char *folder, const char *name, const struct sl_blobs *blobs,
               struct sl_runtime_files *out, struct sl_diag *diag)
{
    char path[PATH_BYTES];
    struct stat info;
    int rc = sl_path_join(path, sizeof(path), folder, "%s", name);
    if (rc < 0 || stat(path, &info) < 0 || !S_ISREG(info.st_mode))
        return rc; /* folders are for the emulator */
    if (out->count == SL_RUNTIME_FILES_MAX || strlen(name) >= SL_RUNTIME_FILE_NAME)
        return sl_diag_set(diag, SL_E_LIMIT, path, "A runtime has at most %d files",
                           SL_RUNTIME_FILES_MAX);
    snprintf(out->name[out->count], SL_RUNTIME_FILE_NAME, "%s", name);
    rc = store_file(path, blobs, out->sha256[out->count]);
    if (rc < 0)
        return sl_diag_set(diag, rc, path, "The runtime's file cannot be stored as a blob (%s)",
                           sl_strerror(rc));
    out->count++;
    return 0;
}

static int visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

int sl_runtime_store(const char *folder, const char *program, const struct sl_blobs *blobs,
                     struct sl_runtime_files *out, struct sl_diag *diag)
{
    struct dirent **names = NULL;
    *out = (struct sl_runtime_files){0};
    int rc = add(folder, loader, blobs, out, diag);
    if (rc == 0)
        rc = add(folder, program, blobs, out, diag);
    if (rc == 0 && out->count != 2)
        rc = sl_diag_set(diag, SL_E_NOT_FOUND, folder, "%s and %s are not both there", loader,
                         program);
    int count = rc == 0 ? scandir(folder, &names, visible, alphasort) : 0;
    if (count < 0)
        rc = -errno;
    for (int i = 0; i < count; i++) {
        const char *name = names[i]->d_name;
        if (rc == 0 && strcmp(name, loader) != 0 && strcmp(name, program) != 0)
            rc = add(folder, name, blobs, out, diag);
        free(names[i]);
    }
    free(names);
    return rc;
}
