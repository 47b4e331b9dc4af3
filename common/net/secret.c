/* common/net/secret.c */
#include "common/net/secret.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/clock.h"
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

enum { EXPIRY_DIGITS = 12, LINE_BYTES = SL_SECRET_TEXT_BYTES + 1 + EXPIRY_DIGITS + 1 };

/* Cuts the time off the line; 0: it names none. */
static int take_expiry(char *line, uint64_t *out_s)
{
    char *space = strchr(line, ' ');
    *out_s = 0;
    if (!space)
        return 0;
    size_t count = strspn(space + 1, "0123456789");
    if (count == 0 || count > EXPIRY_DIGITS || space[1 + count] != '\0')
        return SL_E_FORMAT;
    *out_s = strtoull(space + 1, NULL, 10);
    *space = '\0';
    return 0;
}

static int parse_line(const char *path, char *line, uint8_t out[SL_SECRET_BYTES],
                      struct sl_diag *diag)
{
    uint8_t secret[SL_SECRET_BYTES];
    uint64_t expires_s;
    if (take_expiry(line, &expires_s) < 0 || sl_secret_parse(line, secret) < 0) {
        sl_diag_hint(diag, "its first line is 64 digits, 0 to 9 and a to f; after a space may "
                           "stand the Unix time of its expiry in seconds");
        return sl_diag_set(diag, SL_E_FORMAT, path, "The file holds no secret");
    }
    if (expires_s != 0 && sl_clock_utc_ms() / 1000 >= expires_s) {
        sl_diag_hint(diag, "write a new one to the files of both sides; none is started again");
        return sl_diag_set(diag, SL_E_STATE, path, "The secret has expired");
    }
    memcpy(out, secret, sizeof(secret));
    return 0;
}

int sl_secret_read(const char *path, uint8_t out[SL_SECRET_BYTES], struct sl_diag *diag)
{
    char line[LINE_BYTES + 1] = "";
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
    if (got < 0)
        line[0] = '\0';
    line[strcspn(line, "\n")] = '\0'; /* further lines are not read */
    return parse_line(path, line, out, diag);
}
