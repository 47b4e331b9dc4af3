/* host/store/run_removal.h: a stored run goes, unless it is pinned or kept by then: its row, then
 * its files, off the loop. If the daemon is killed between the two, `fsck --mend` finds the run. */
#pragma once

#include "host/store/answers.h"

typedef struct uv_loop_s uv_loop_t;
struct sl_store;

/* `root`: the state directory, borrowed until the end. `rules`: by which it goes, if it still does;
 * NULL: only a pin keeps it. 0 and `done` later, in which SL_E_NOT_FOUND means that somebody
 * removed it meanwhile and -EBUSY that it is kept, -EIO that the row is gone and files are left, or
 * a code at once. The store must live until then. */
int sl_run_removal_start(uv_loop_t *loop, struct sl_store *store, const char *root,
                         const struct sl_run_record *run, const struct sl_store_retention *rules,
                         sl_store_done_fn done, void *user);

/* Removes the files that a stopped daemon was about to remove. Blocks: for start-up. */
void sl_run_removal_sweep(const char *root);
