/* host/store/blobs.h: files named by their SHA-256: models, inputs, runners, in STATE/blobs.
 *
 * A blob appears under its name whole, checked and synced, or not at all. What an upload left
 * behind when its sender went away stays beside it as NAME.part, and the next upload can go on from
 * there. All calls block: init, finish and long reads belong at start-up or on a worker thread. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "host/records.h"

struct stat;
struct sl_diag;

struct sl_blobs {
    char directory[SL_PATH_BYTES];
};

/* Makes STATE/blobs (mode 0700) when absent. 0 or the file system's -errno with words. */
int sl_blobs_init(struct sl_blobs *blobs, const char *state_dir, struct sl_diag *diag);

/* Removes what uploads and writers left behind and nobody went on with for so long. Blocks. Returns
 * how many. */
enum { SL_BLOBS_KEEP_PARTIAL_S = 7 * 86400 };
size_t sl_blobs_sweep(const struct sl_blobs *blobs, uint64_t older_than_s);

/* 64 lower-case hexadecimal digits, so that no name can lead anywhere else. */
bool sl_blobs_name_ok(const char *sha256);

/* The file of a blob, whether it is there or not: 0, or -ENAMETOOLONG when the path is too long. */
int sl_blobs_path(const struct sl_blobs *blobs, const char *sha256, char out_path[SL_PATH_BYTES]);

/* Its size: 0, SL_E_NOT_FOUND or -errno. `partial` asks for what an upload left behind. */
int sl_blobs_size(const struct sl_blobs *blobs, const char *sha256, bool partial,
                  uint64_t *out_bytes);

/* The same of a whole one that somebody is about to name: it counts as touched now (see
 * SL_STORE_BLOB_KEEP_MS). */
int sl_blobs_touch(const struct sl_blobs *blobs, const char *sha256, uint64_t *out_bytes);

/* Removes a whole one that nobody touched since `before_ms`: never one that sl_blobs_touch() has
 * just found, on whatever thread. 0, SL_E_STATE (it was touched), or -errno. */
int sl_blobs_remove_old(const struct sl_blobs *blobs, const char *sha256, uint64_t before_ms);

/* Renames what lies under the name of a blob to NAME.damaged, over an earlier one, so that the next
 * upload has the name. `seen` says what was looked at: SL_E_STATE where another file is there now.
 * 0 or -errno. */
int sl_blobs_set_aside(const struct sl_blobs *blobs, const char *sha256, const struct stat *seen);

struct sl_blob_upload; /* one thread at a time */

/* Opens the upload of `sha256` at `offset` (0: from the start; what lies past it is dropped).
 * SL_E_STATE: another upload of it is under way; SL_E_MISMATCH: fewer bytes than `offset` are
 * there; SL_E_LIMIT: past `max_bytes`; -ENOMEM or -errno. The upload is owned by the caller. */
int sl_blob_upload_new(const struct sl_blobs *blobs, const char *sha256, uint64_t offset,
                       uint64_t max_bytes, struct sl_blob_upload **out);

/* Appends borrowed bytes. 0, SL_E_LIMIT, or -errno (-ENOSPC). */
int sl_blob_upload_append(struct sl_blob_upload *upload, const void *bytes, size_t len);

uint64_t sl_blob_upload_offset(const struct sl_blob_upload *upload); /* bytes so far */

/* Checks the digest, syncs, and gives the blob its name. SL_E_MISMATCH: the bytes are not those of
 * the name; they are removed. Free the upload afterwards in any case. */
int sl_blob_upload_finish(struct sl_blob_upload *upload);

/* Closes; what was received stays for the next try unless it was finished or wrong. NULL is a
 * no-op. */
void sl_blob_upload_free(struct sl_blob_upload *upload);
