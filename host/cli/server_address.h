/* host/cli/server_address.h: where the daemon is, from words of the user's. */
#pragma once

#include <stdbool.h>

#include "host/spec/paths.h"

struct sl_diag;

struct sl_server_address {
    char name[SL_PATH_BYTES + 8]; /* as a user would say it */
    char url[SL_PATH_BYTES];      /* without a slash at its end */
    char socket[SL_PATH_BYTES];   /* "" for TCP */
    bool loopback;                /* a Unix socket or an address of this machine */
};

/* "http://HOST:PORT", "https://HOST[:PORT]", "tcp:HOST:PORT", "tls:HOST:PORT" or "unix:PATH". 0, or
 * SL_E_UNSUPPORTED with `diag` set. */
int sl_server_address_parse(const char *text, struct sl_server_address *out, struct sl_diag *diag);

/* Does `text`, or else $SME2LAB_SERVER, name a daemon? And is it the word "private"? */
bool sl_server_address_is_named(const char *text);
bool sl_server_address_is_private(const char *text);

/* `text`, if it is not NULL, else $SME2LAB_SERVER, else the Unix socket in the state directory. */
int sl_server_address_find(const char *text, struct sl_server_address *out, struct sl_diag *diag);
