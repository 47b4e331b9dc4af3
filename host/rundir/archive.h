/* host/rundir/archive.h: run directories in one file, NAME.tar.zst: a tar archive (POSIX pax),
 * compressed by Zstandard (RFC 8878), both by libarchive.
 *
 * Its first entry, sme2lab-export.json, lists every file with its size and SHA-256
 * (sme2lab.export/1); the files follow in the order of the list, as RUN/PATH. Nothing else is in
 * it, so that a reader knows what comes before it writes a byte. The same runs give the same
 * archive: no times and no owners are in it. */
#pragma once

#include <stdint.h>

#include "host/rundir/archive_list.h"

struct sl_diag;

#define SL_ARCHIVE_END ".tar.zst"

/* Adds a run whose files lie in `directory`, and hashes them: all regular files below it, none
 * behind a link. 0; SL_E_LIMIT, -EEXIST (another run has the name), -ENOMEM or -errno with words.
 */
int sl_archive_add(struct sl_archive *archive, const char *directory, const char *name,
                   uint64_t run, struct sl_diag *diag);

/* Writes them to the new file `path`, which appears whole or not at all. 0; -EEXIST; SL_E_MISMATCH
 * where a file changed meanwhile; SL_E_LIMIT for a list of more than a mebibyte; or -errno with
 * words. */
int sl_archive_write(const struct sl_archive *archive, const char *path, struct sl_diag *diag);

/* Unpacks `path` into the directory `into`, one directory a run, which must not be there yet. What
 * the list does not name, or names otherwise than it comes, is refused with words: SL_E_FORMAT,
 * SL_E_TRUNCATED, SL_E_MISMATCH (a digest). What was unpacked until then stays. */
int sl_archive_unpack(const char *path, const char *into, struct sl_archive *out,
                      struct sl_diag *diag);
