/* host/analysis/inspector.h: an ETDump's events grouped as ExecuTorch's Inspector groups them
 * (ExecuTorch 1.5 devtools/inspector): runs of equal events become one block, equal events of a
 * run become one row, whose last one wins. Pure. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "common/format/etdump.h"

struct sl_diag;

/* A row. Either event may be missing: `profile.kind` or `debug.kind` is then -1. */
struct sl_inspector_row {
    struct sl_etdump_event profile, debug; /* of the block's first run */
};

struct sl_inspector_block {
    const char *name; /* borrowed from the file, not terminated */
    uint32_t name_len;
    int32_t bundled_input_index;
    size_t row_count, run_count;
    struct sl_inspector_row *rows;
    uint32_t *runs;  /* [run_count] indices among the file's runs */
    uint32_t *picks; /* [run_count][row_count] the row's profiling event in that run */
};

struct sl_inspector {
    const struct sl_etdump *etdump; /* borrowed */
    struct sl_inspector_block *blocks;
    size_t block_count;
    struct sl_inspector_scratch *scratch;
};

/* Returns 0, -ENOMEM, or SL_E_UNSUPPORTED with `diag` saying why the Inspector refuses the file.
 * End with sl_inspector_fini(). */
int sl_inspector_make(const struct sl_etdump *etdump, struct sl_inspector *out,
                      struct sl_diag *diag);
void sl_inspector_fini(struct sl_inspector *inspector);

/* Returns the Inspector's name of an event: the delegate's identifier if there is one. `number`
 * gives room for an identifier that is a number. */
enum { SL_INSPECTOR_NUMBER_SIZE = 16 };
const char *sl_inspector_name(const struct sl_inspector_row *row,
                              char number[SL_INSPECTOR_NUMBER_SIZE], uint32_t *out_len);
int sl_inspector_is_delegated(const struct sl_inspector_row *row);
