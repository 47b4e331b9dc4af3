/* host/device/blob.c */
#include "host/device/blob.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/buf.h"
#include "common/base/digest.h"
#include "common/base/error.h"
#include "common/base/path.h"

enum { PATH_BYTES = 1024, MAX_BLOB_BYTES = 1 << 30 };

static int link_or_copy(const char *from, const char *to, const struct sl_buf *bytes)
{
    if (link(from, to) == 0 || errno == EEXIST)
        return 0;
    return sl_buf_write_file(to, bytes->data, bytes->size);
}

int sl_blob_place(const char *from, const char *to, const char *sha256, struct sl_diag *diag)
{
    char source[PATH_BYTES], target[PATH_BYTES], found[SL_SHA256_HEX_SIZE];
    struct sl_buf bytes;
    struct stat info;
    if (strlen(sha256) != 64 || strspn(sha256, "0123456789abcdef") != 64)
        return sl_diag_set(diag, SL_E_NOT_FOUND, NULL, "'%.80s' is no SHA-256", sha256);
    if (sl_path_join(source, sizeof(source), from, "%s", sha256) < 0 ||
        sl_path_join(target, sizeof(target), to, "%s", sha256) < 0)
        return -ENAMETOOLONG;
    if (stat(target, &info) == 0)
        return 0;
    int rc = sl_buf_read_file(source, MAX_BLOB_BYTES, &bytes);
    if (rc < 0)
        return sl_diag_set(diag, rc == -ENOENT ? SL_E_NOT_FOUND : rc, source,
                           "The blob cannot be read (%s)", sl_strerror(rc));
    sl_sha256_hex(bytes.data, bytes.size, found);
    rc = strcmp(found, sha256) == 0 ? link_or_copy(source, target, &bytes)
                                    : sl_diag_set(diag, SL_E_MISMATCH, source,
                                                  "The blob's bytes are not what its name says");
    sl_buf_fini(&bytes);
    return rc;
}
