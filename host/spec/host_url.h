/* host/spec/host_url.h: where a host is reached by others. */
#pragma once

#include <stdbool.h>

/* "http://" or "https://", a name or a number, and a port or not, shorter than SL_URL_BYTES: no
 * user, no path. */
bool sl_host_url_ok(const char *url);
/* Does such a URL encrypt what is sent there (https)? */
bool sl_host_url_is_sealed(const char *url);
