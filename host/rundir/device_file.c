/* host/rundir/device_file.c */
#include "host/rundir/device_file.h"

#include <stdio.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "host/rundir/run.h"

int sl_device_file_keep(const char *state, const char *fingerprint, const char *name,
                        const struct sl_buf *text, char out_path[SL_PATH_BYTES],
                        struct sl_diag *diag)
{
    char folder[SL_PATH_BYTES];
    int rc = sl_device_file_path(state, fingerprint, name, out_path);
    if (rc < 0)
        return sl_diag_set(diag, rc, state, "The path of the state directory is too long");
    snprintf(folder, sizeof(folder), "%.*s", (int)(strrchr(out_path, '/') - out_path), out_path);
    rc = sl_rundir_make_directories(folder, diag);
    if (rc < 0)
        return rc;
    rc = sl_buf_write_file(out_path, text->data, text->size);
    return rc < 0 ? sl_diag_set(diag, rc, out_path, "This cannot be written (%s)", sl_strerror(rc))
                  : 0;
}
