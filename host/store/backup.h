/* host/store/backup.h: the database as one file, taken while a daemon works, and put back. The
 * files of runs and blobs lie beside it, and are copied as any others. Blocks: for the command
 * line. */
#pragma once

#include "host/records.h"

struct sl_diag;

enum { SL_BACKUP_NAME_BYTES = SL_PATH_BYTES + 40 };

/* Copies the database `path` as it is at one moment into the new file `to`, for its owner alone. A
 * daemon may write meanwhile. SL_E_NOT_FOUND (there is no database), -EEXIST (there is a file of
 * that name), SL_E_FORMAT (it is damaged), -errno. */
int sl_backup_write(const char *path, const char *to, struct sl_diag *diag);

/* Puts such a file in the place of the database `path`, which goes on under the name *out_aside
 * (empty: there was none); nobody may have it open. An older schema is brought up to date on the
 * way, `from` stays as it is. What ran or was stored since is not in it: of runs the rows are made
 * again from their directories at the next start. SL_E_NOT_FOUND, SL_E_FORMAT, SL_E_UNSUPPORTED (of
 * a newer version), -errno. */
int sl_backup_restore(const char *path, const char *from, char out_aside[SL_BACKUP_NAME_BYTES],
                      struct sl_diag *diag);
