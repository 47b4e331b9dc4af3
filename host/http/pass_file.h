/* host/http/pass_file.h: from a file to a socket, without a copy in the daemon. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Passes up to `len` bytes of `file` from `at` on, as many as the socket, which does not block, has
 * room for. Returns how many; 0: it has no room, or the file ends there; or -errno. The process
 * ignores SIGPIPE. */
int64_t sl_http_pass_file(int socket, int file, uint64_t at, size_t len);
