/* host/ingest/file_stream.c */
#include "host/ingest/file_stream.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/path.h"
#include "proto/job.pb-c.h"

enum { MAX_HEADER_BYTES = 1024, PATH_BYTES = 1024 };

static bool is_plain(const char *name)
{
    size_t len = strlen(name);
    if (len == 0 || len >= SL_FILE_STREAM_NAME_BYTES || name[0] == '.' || strchr(name, '/'))
        return false;
    for (size_t i = 0; i < len; i++) {
        if ((unsigned char)name[i] < 0x20 || name[i] == 0x7f)
            return false;
    }
    return true;
}

/* Takes one file off the front of `stream`. */
static int take_file(struct sl_bytes *stream, sl_file_stream_fn on_file, void *user,
                     struct sl_diag *diag)
{
    if (stream->size < 4)
        return SL_E_TRUNCATED;
    uint32_t len = sl_load_u32(stream->data);
    if (len > MAX_HEADER_BYTES)
        return SL_E_FORMAT;
    if (!sl_range_ok(4, len, stream->size))
        return SL_E_TRUNCATED;
    Sme2lab__Proto__FileHeader *header =
        sme2lab__proto__file_header__unpack(NULL, len, stream->data + 4);
    if (!header)
        return SL_E_FORMAT;
    size_t at = 4 + (size_t)len;
    int rc = !is_plain(header->name)
                 ? sl_diag_set(diag, SL_E_FORMAT, NULL, "A file of the run has an impossible name")
             : !sl_range_ok(at, header->size, stream->size)
                 ? SL_E_TRUNCATED
                 : on_file(user, header->name, (struct sl_bytes){stream->data + at, header->size});
    if (rc == 0)
        *stream = (struct sl_bytes){stream->data + at + header->size,
                                    stream->size - at - (size_t)header->size};
    sme2lab__proto__file_header__free_unpacked(header, NULL);
    return rc;
}

int sl_file_stream_walk(struct sl_bytes stream, sl_file_stream_fn on_file, void *user,
                        struct sl_diag *diag)
{
    int rc = 0;
    for (int i = 0; rc == 0 && stream.size > 0; i++)
        rc = i == SL_FILE_STREAM_MAX_FILES ? SL_E_LIMIT : take_file(&stream, on_file, user, diag);
    if (rc < 0 && diag && !diag->what[0])
        sl_diag_set(diag, rc, NULL, "The files that the run left cannot be read (%s)",
                    sl_strerror(rc));
    return rc;
}

static int write_file(void *user, const char *name, struct sl_bytes content)
{
    char path[PATH_BYTES];
    int rc = sl_path_join(path, sizeof(path), user, "%s", name);
    return rc < 0 ? rc : sl_buf_write_file(path, content.data, content.size);
}

int sl_file_stream_unpack(struct sl_bytes stream, const char *directory, struct sl_diag *diag)
{
    return sl_file_stream_walk(stream, write_file, (void *)(uintptr_t)directory, diag);
}
