/* common/format/zip_store.h: reader of zip archives whose entries are stored, not compressed, as
 * ExecuTorch's ETRecords are. Sizes and checksums of what is read are checked. */
#pragma once

#include <stdint.h>

#include "common/base/bytes.h"

struct sl_diag;

enum { SL_ZIP_MAX_ENTRIES = 4096 };

struct sl_zip {
    struct sl_bytes file; /* borrowed */
    uint64_t directory;   /* offset of the central directory */
    uint32_t entry_count;
};

/* Finds the archive's directory. Returns 0, SL_E_FORMAT, SL_E_LIMIT or SL_E_UNSUPPORTED (zip64). */
int sl_zip_open(struct sl_bytes file, struct sl_zip *out, struct sl_diag *diag);

/* The content of the entry of that name: 0, SL_E_NOT_FOUND, SL_E_FORMAT (also a wrong checksum) or
 * SL_E_UNSUPPORTED (compressed, encrypted). */
int sl_zip_find(const struct sl_zip *zip, const char *name, struct sl_bytes *out,
                struct sl_diag *diag);
