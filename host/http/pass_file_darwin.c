/* host/http/pass_file_darwin.c */
#undef _POSIX_C_SOURCE /* Apple's header declares sendfile() only without it */
#include "host/http/pass_file.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>

int64_t sl_http_pass_file(int socket, int file, uint64_t at, size_t len)
{
    off_t passed = (off_t)len; /* is set to what was passed, also when that was not all */
    int rc = sendfile(file, socket, (off_t)at, &passed, NULL, 0);
    return rc == 0 || errno == EAGAIN || errno == EINTR ? passed : -errno;
}
