/* host/device/blob.h: puts a blob, named by its SHA-256, where an agent of this machine finds it.
 */
#pragma once

struct sl_diag;

/* Links (or copies, across file systems) <from>/<sha256> to <to>/<sha256>, after its bytes were
 * found to be what the name says; one that is there already is left. A link to an earlier file of
 * that name, which may have been damaged, is read, and makes way if it is. Blocks: off the loop. 0,
 * SL_E_NOT_FOUND, SL_E_MISMATCH, -errno. */
int sl_blob_place(const char *from, const char *to, const char *sha256, struct sl_diag *diag);
