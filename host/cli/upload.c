/* host/cli/upload.c */
#include "host/cli/upload.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/digest.h"
#include "common/base/error.h"
#include "common/base/say.h"
#include "host/cli/cli.h"
#include "host/cli/client.h"

enum { TRIES = 4 };

struct upload {
    const struct sl_cli *cli;
    const char *path;
    uint64_t begin, shown_mib;
};

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void on_progress(void *user, uint64_t sent, uint64_t total)
{
    struct upload *upload = user;
    uint64_t mib = (upload->begin + sent) >> 20, all = upload->begin + total;
    if (!upload->cli->live || (mib == upload->shown_mib && sent < total) || all == 0)
        return;
    upload->shown_mib = mib;
    sl_say_over(stderr, "sending %.40s %3.0f %% of %.1f MiB", file_name(upload->path),
                100 * (double)(upload->begin + sent) / (double)all, (double)all / (1 << 20));
    if (sent == total)
        sl_say_over(stderr, "%s", "");
}

/* 1: it is there; 0: bytes from *out_offset on are missing. */
static int ask(struct sl_client *client, const char *path, uint64_t *out_offset,
               struct sl_diag *diag)
{
    const struct sl_client_request request = {.method = "HEAD", .path = path};
    struct sl_answer answer;
    int rc = sl_client_send(client, &request, &answer, diag);
    *out_offset = answer.upload_offset;
    if (rc == SL_E_NOT_FOUND)
        return 0;
    if (rc == 0)
        sl_buf_fini(&answer.body);
    return rc < 0 ? rc : 1;
}

static int send_rest(struct sl_client *client, int file, uint64_t bytes, uint64_t offset,
                     struct upload *upload, const char *path, struct sl_diag *diag)
{
    struct sl_answer answer;
    upload->begin = offset;
    if (lseek(file, (off_t)offset, SEEK_SET) < 0)
        return sl_diag_set(diag, -errno, upload->path, "The file cannot be read again");
    const struct sl_client_request request = {.method = "PUT",
                                              .path = path,
                                              .file = file,
                                              .file_bytes = bytes - offset,
                                              .upload_offset = offset,
                                              .progress = on_progress,
                                              .user = upload};
    int rc = sl_client_send(client, &request, &answer, diag);
    if (rc == 0)
        sl_buf_fini(&answer.body);
    return rc;
}

/* A connection lost on the way goes on from where the daemon got to. */
static int send_file(struct sl_client *client, int file, uint64_t bytes, struct upload *upload,
                     const char *sha256, struct sl_diag *diag)
{
    char path[96 + SL_SHA256_HEX_SIZE];
    snprintf(path, sizeof(path), "/api/v1/blobs/%s", sha256);
    int rc = 0;
    for (int i = 0; i < TRIES; i++) {
        uint64_t offset = 0;
        rc = ask(client, path, &offset, diag);
        if (rc != 0)
            return rc < 0 ? rc : 0;
        rc = send_rest(client, file, bytes, offset <= bytes ? offset : 0, upload, path, diag);
        if (rc != -EPROTO && rc != -ETIMEDOUT && rc != SL_E_MISMATCH)
            break;
    }
    return rc;
}

int sl_upload_file(const struct sl_cli *cli, struct sl_client *client, const char *path,
                   char out_sha256[SL_SHA256_HEX_SIZE], struct sl_diag *diag)
{
    struct upload upload = {.cli = cli, .path = path};
    struct stat info;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    int rc = file < 0 || fstat(file, &info) < 0 ? -errno : 0;
    if (rc == 0 && !S_ISREG(info.st_mode))
        rc = -EISDIR;
    if (rc == 0)
        rc = sl_sha256_fd(file, out_sha256);
    if (rc < 0) {
        sl_diag_hint(diag, "name a file that can be read");
        sl_diag_set(diag, rc, path, "The file cannot be read (%s)", sl_strerror(rc));
    } else {
        rc = send_file(client, file, (uint64_t)info.st_size, &upload, out_sha256, diag);
    }
    if (file >= 0)
        close(file);
    return rc;
}
