/* host/store/row_copy.h: the rows of a run and of its job, kept in the run's directory too
 * (streams/rows.json), and made again from there where the database lost them. */
#pragma once

#include <stdint.h>

struct sl_database;

/* Below the run's directory. */
#define SL_ROW_COPY "streams/rows.json"
enum { SL_ROW_COPY_MAX_BYTES = 8 << 20 }; /* a configuration of 1 MiB, each byte escaped */

/* Writes the copy. A run whose directory is not there has none. 0, SL_E_NOT_FOUND (no
 * such run), or -errno. */
int sl_row_copy_write(struct sl_database *db, uint64_t run);

/* Makes the rows of the run in `directory`: the run with the number that it had unless
 * another has it; the job, which has ended, also over a row that says it had not. 1; or 0 where the
 * copy is missing, damaged, not to be read or of another job than `job`; or a negative code: only
 * the database's, and -ENOMEM. */
int sl_row_copy_restore(struct sl_database *db, const char *directory, uint64_t job,
                        uint64_t *out_run);
