/* host/cli/problem.h: an answer that is not a success, in words and as an error code. */
#pragma once

#include "common/base/bytes.h"

struct sl_diag;

/* The code that an HTTP status stands for: SL_E_FORMAT (400, 415, 422), -EPERM (401, 403),
 * SL_E_NOT_FOUND (404, 405), SL_E_MISMATCH (409), SL_E_LIMIT (411, 413), -EAGAIN (429, 503),
 * -ENOSPC (507), -EIO (any other). */
int sl_problem_code(long status);

/* Reads a problem document (RFC 9457), or whatever else the body is, into `diag`, whose `where` is
 * "`server`: `request`" unless the document has a JSON pointer. Returns sl_problem_code(). */
int sl_problem_read(long status, struct sl_bytes body, const char *server, const char *request,
                    struct sl_diag *diag);
