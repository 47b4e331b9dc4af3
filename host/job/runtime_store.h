/* host/job/runtime_store.h: the files of a dynamic runtime (host/device/runtime_files.h) put into
 * the blobs. */
#pragma once

struct sl_blobs;
struct sl_diag;
struct sl_runtime_files;

/* Puts each file of `folder`, in which `program` lies, into the blobs; one that is there counts as
 * touched. Blocks: off the loop. 0, SL_E_NOT_FOUND without loader or program, SL_E_LIMIT, -errno.
 */
int sl_runtime_store(const char *folder, const char *program, const struct sl_blobs *blobs,
                     struct sl_runtime_files *out, struct sl_diag *diag);
