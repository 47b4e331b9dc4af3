/* host/store/directory_id.h: which store the directories of runs and blobs are of, in a file of
 * theirs (.sme2lab): several hosts may mount the same ones, and none may serve or remove files of
 * others. Of a shared store alone. */
#pragma once

#include <stdbool.h>

struct sl_database;
struct sl_diag;

/* Below STATE/runs and STATE/blobs: the store's identity, and the directory's own. STATE itself has
 * a copy of that of blobs, from the last start. */
#define SL_DIRECTORY_ID_FILE ".sme2lab"

/* Reads both files, makes them where they are missing, and keeps the identities in
 * `db->directory_id` and `db->blobs_id`. SL_E_MISMATCH, with what to do: a directory is another
 * store's, or that of blobs is not the one of the last start. -errno: it cannot be made or read.
 * Blocks: for start-up. */
int sl_directory_id_open(struct sl_database *db, struct sl_diag *diag);

/* The one of STATE/runs and STATE/blobs that is not the directory that it was at the start, as when
 * its disk went away: "runs" or "blobs"; NULL: both are. Any thread. */
const char *sl_directory_id_gone(const struct sl_database *db);
/* Are both there? Says in the log which is not. */
bool sl_directory_id_is_there(const struct sl_database *db);
