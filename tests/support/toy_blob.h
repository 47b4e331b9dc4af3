/* tests/support/toy_blob.h: files of the toy model as an agent's host puts them below blobs/. */
#pragma once

#include <stdio.h>

#include "common/base/buf.h"
#include "common/base/digest.h"

/* Copies a file of the toy model into `workdir`/blobs under its SHA-256. 0 or negative. */
static inline int sl_toy_blob(const char *workdir, const char *name,
                              char out_hex[SL_SHA256_HEX_SIZE])
{
    char path[512];
    struct sl_buf bytes;
    snprintf(path, sizeof(path), "%s/models/toy_cnn_f32_xnnpack/%s", SL_TEST_DATA, name);
    if (sl_buf_read_file(path, 64 << 20, &bytes) < 0)
        return -1;
    sl_sha256_hex(bytes.data, bytes.size, out_hex);
    snprintf(path, sizeof(path), "%s/blobs/%s", workdir, out_hex);
    int rc = sl_buf_write_file(path, bytes.data, bytes.size);
    sl_buf_fini(&bytes);
    return rc;
}
