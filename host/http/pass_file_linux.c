/* host/http/pass_file_linux.c */
#include "host/http/pass_file.h"

#include <errno.h>
#include <sys/sendfile.h>

int64_t sl_http_pass_file(int socket, int file, uint64_t at, size_t len)
{
    off_t from = (off_t)at;
    ssize_t n = sendfile(socket, file, &from, len);
    if (n >= 0)
        return n;
    return errno == EAGAIN || errno == EINTR ? 0 : -errno;
}
