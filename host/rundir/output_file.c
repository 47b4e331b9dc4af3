/* host/rundir/output_file.c */
#include "host/rundir/output_file.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "common/base/buf.h"
#include "common/base/error.h"

#define MAX_FILE_BYTES ((size_t)1 << 30)

int sl_output_check(const char *path, const struct sl_buf *text, struct sl_diag *diag)
{
    struct sl_buf there;
    struct stat info;
    if (lstat(path, &info) < 0)
        return 0;
    bool same = S_ISREG(info.st_mode) && sl_buf_read_file(path, MAX_FILE_BYTES, &there) == 0;
    if (same) {
        same = there.size == text->size &&
               (text->size == 0 || memcmp(there.data, text->data, text->size) == 0);
        sl_buf_fini(&there);
    }
    if (same)
        return 0;
    sl_diag_hint(diag, "write elsewhere, or over it with --force");
    return sl_diag_set(diag, -EEXIST, path, "there is another file of that name");
}

int sl_output_write(const char *path, const struct sl_buf *text, bool force, struct sl_diag *diag)
{
    int rc = force ? 0 : sl_output_check(path, text, diag);
    if (rc < 0)
        return rc;
    rc = sl_buf_write_file(path, text->data, text->size);
    return rc < 0 ? sl_diag_set(diag, rc, path, "the file cannot be written: %s", sl_strerror(rc))
                  : 0;
}
