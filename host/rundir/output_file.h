/* host/rundir/output_file.h: files that a command writes where its user says: what somebody
 * else left under their names is not lost. */
#pragma once

#include <stdbool.h>

struct sl_buf;
struct sl_diag;

/* 0 where nothing is at `path`, or a file of exactly these bytes; else -EEXIST with `diag` set. */
int sl_output_check(const char *path, const struct sl_buf *text, struct sl_diag *diag);

/* Writes the file, over another one only if `force`. */
int sl_output_write(const char *path, const struct sl_buf *text, bool force, struct sl_diag *diag);
