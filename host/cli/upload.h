/* host/cli/upload.h: a file into the daemon's store of blobs, if it is not there. */
#pragma once

#include "common/base/digest.h"

struct sl_cli;
struct sl_client;
struct sl_diag;

/* Hashes the file, asks whether the daemon has it, and sends what it lacks. `out_sha256` is its
 * name there. On a terminal it draws progress on standard error. As sl_client_send(), or the file's
 * -errno. */
int sl_upload_file(const struct sl_cli *cli, struct sl_client *client, const char *path,
                   char out_sha256[SL_SHA256_HEX_SIZE], struct sl_diag *diag);
