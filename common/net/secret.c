/* common/net/secret.c */
#include "common/net/secret.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/error.h"

static const char digits[] = "0123456789abcdef";

void sl_secret_format(const uint8_t secret[SL_SECRET_BYTES], char out[SL_SECRET_TEXT_BYTES])
{
    for (size_t i = 0; i < SL_SECRET_BYTES; i++) {
        out[2 * i] = digits[secret[i] >> 4];
        out[2 * i + 1] = digits[secret[i] & 15];
    }
    out[2 * SL_SECRET_BYTES] = '\0';
}

int sl_secret_parse(const char *line, uint8_t out[SL_SECRET_BYTES])
{
    size_t count = strspn(line, digits);
    if (count != 2 * SL_SECRET_BYTES || (line[count] != '\0' && line[count] != '\n'))
        return SL_E_FORMAT;
    for (size_t i = 0; i < SL_SECRET_BYTES; i++) {
        const char *high = strchr(digits, line[2 * i]), *low = strchr(digits, line[2 * i + 1]);
        out[i] = (uint8_t)((high - digits) << 4 | (low - digits));
    }
    return 0;
}

int sl_secret_read(const char *path, uint8_t out[SL_SECRET_BYTES], struct sl_diag *diag)
{
    char line[SL_SECRET_TEXT_BYTES + 1] = "";
    struct stat info;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 || fstat(fd, &info) < 0) {
        int rc = -errno;
        if (fd >= 0)
            close(fd);
        sl_diag_hint(diag,
                     "make one: head -c 32 /dev/urandom | xxd -p -c 64 > FILE; chmod 600 FILE");
        return sl_diag_set(diag, rc, path, "The secret cannot be read (%s)", sl_strerror(rc));
    }
    ssize_t got = S_ISREG(info.st_mode) ? read(fd, line, sizeof(line) - 1) : 0;
    close(fd);
    if ((info.st_mode & 077) != 0) {
        sl_diag_hint(diag, "chmod 600 the file");
        return sl_diag_set(diag, -EPERM, path, "Others than its owner may read the secret");
    }
    if (got < 0 || sl_secret_parse(line, out) < 0) {
        sl_diag_hint(diag, "its first line is 64 digits, 0 to 9 and a to f");
        return sl_diag_set(diag, SL_E_FORMAT, path, "The file holds no secret");
    }
    return 0;
}
