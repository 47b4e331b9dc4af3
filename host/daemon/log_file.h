/* host/daemon/log_file.h: standard error into a file of bounded size, with one older file kept
 * beside it. */
#pragma once

#include <stdint.h>

struct sl_diag;
struct sl_log_file;

/* Opens `path` for appending (mode 0640) and makes it standard error. 0, -ENOMEM or the file's
 * -errno. */
int sl_log_file_open(const char *path, uint64_t max_bytes, struct sl_log_file **out,
                     struct sl_diag *diag);

/* Looks at the size; a full file becomes `path`.1 and a new one is begun. No line is lost or cut:
 * what is written meanwhile goes to the one or the other. A failure leaves everything as it is, and
 * is returned. */
int sl_log_file_rotate(struct sl_log_file *log);

/* Opens `path` anew, for those who moved it away (SIGHUP). */
int sl_log_file_reopen(struct sl_log_file *log);

void sl_log_file_free(struct sl_log_file *log); /* standard error stays where it is */
