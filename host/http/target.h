/* host/http/target.h: what a request is for: path and query, out of the request line. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { SL_HTTP_PATH_BYTES = 1024 };

/* The path, decoded, and where the query begins in `target` (NULL: none). An absolute URI stands
 * for its path; "*" is for OPTIONS, as it is. 0, or an HTTP status, negative: -400 (with *out_why),
 * or -414 and "". A path with a zero in it is "": there is nothing of that name. */
int sl_http_target_read(const char *method, const char *target, char out_path[SL_HTTP_PATH_BYTES],
                        const char **out_query, const char **out_why);

/* The parameter of that name, decoded: its length, 0 and "" when absent, -1 when it does not fit or
 * stands there twice. `query` may be NULL. */
int sl_http_query_find(const char *query, const char *name, char *out, size_t size);
/* Does it stand there, with a value or without? */
bool sl_http_query_has(const char *query, const char *name);
