/* host/store/run_removal.h: a stored run goes: its files, off the loop, then its row. */
#pragma once

#include "host/store/answers.h"

typedef struct uv_loop_s uv_loop_t;
struct sl_store;

/* `root`: the state directory, borrowed until the end. 0 and `done` later, in which SL_E_NOT_FOUND
 * means that somebody removed it meanwhile, or a code at once. The store must live until then. */
int sl_run_removal_start(uv_loop_t *loop, struct sl_store *store, const char *root,
                         const struct sl_run_record *run, sl_store_done_fn done, void *user);
