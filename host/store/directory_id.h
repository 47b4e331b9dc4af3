/* host/store/directory_id.h: which store the directories of runs and blobs are of, in a file of
 * theirs (.sme2lab): several hosts may mount the same ones, and none may serve or remove files of
 * others. Of a shared store alone. */
#pragma once

#include <stdbool.h>

struct sl_database;
struct sl_diag;

/* Below STATE/runs and STATE/blobs: the store's identity, and the directory's own. */
#define SL_DIRECTORY_ID_FILE ".sme2lab"

/* Reads both files, makes them where they are missing, and keeps the identity of STATE/runs in
 * `db->directory_id`. SL_E_MISMATCH, with what to do: a directory is another store's. -errno: it
 * cannot be made or read. Blocks: for start-up. */
int sl_directory_id_open(struct sl_database *db, struct sl_diag *diag);

/* Is STATE/runs the directory that it was at the start? It is not when its disk went away. Any
 * thread. */
bool sl_directory_id_matches(const struct sl_database *db);
/* The same, and says in the log where it is not. */
bool sl_directory_id_is_there(const struct sl_database *db);
