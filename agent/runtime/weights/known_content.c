/* agent/runtime/weights/known_content.c */
#include "agent/runtime/weights/known_content.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/buf.h"
#include "common/base/clock.h"
#include "common/base/path.h"

enum { PATH_BYTES = 4096, SETTLED_S = 2 };

static bool note_path(const char *directory, const struct sl_file_identity *identity, char *out)
{
    uint64_t name = sl_content_of(identity, sizeof(*identity)).low;
    return sl_path_join(out, PATH_BYTES, directory, "%016" PRIx64 ".note", name) == 0;
}

bool sl_known_content_settled(const struct sl_file_identity *identity)
{
    int64_t now_s = (int64_t)(sl_clock_utc_ms() / 1000);
    return identity->modified_s <= now_s - SETTLED_S && identity->changed_s <= now_s - SETTLED_S;
}

bool sl_known_content_find(const char *directory, const struct sl_file_identity *identity,
                           struct sl_content *out)
{
    char path[PATH_BYTES];
    struct sl_bytes note;
    if (!note_path(directory, identity, path) || sl_file_map(path, &note, NULL) != 0)
        return false;
    bool found = sl_weight_note_read(note, identity, out);
    sl_file_unmap(&note);
    return found;
}

void sl_known_content_note(const char *directory, const struct sl_file_identity *identity,
                           struct sl_content content)
{
    char path[PATH_BYTES];
    uint8_t note[SL_WEIGHT_NOTE_BYTES];
    sl_weight_note_put(identity, content, note);
    if (note_path(directory, identity, path))
        (void)sl_buf_write_file(path, note, sizeof(note)); /* hashed again next time */
}

void sl_known_content_touch(const char *directory, const struct sl_file_identity *identity)
{
    char path[PATH_BYTES];
    if (note_path(directory, identity, path))
        (void)utimensat(AT_FDCWD, path, NULL, 0); /* then the file is removed earlier */
}

bool sl_known_content_used(const char *directory, const struct sl_file_identity *identity,
                           int64_t *out_ns)
{
    char path[PATH_BYTES];
    struct sl_bytes note;
    struct sl_file_identity own;
    if (!note_path(directory, identity, path) || sl_file_map(path, &note, &own) != 0)
        return false;
    sl_file_unmap(&note);
    *out_ns = sl_file_modified_ns(&own);
    return true;
}

void sl_known_content_forget(const char *directory, const struct sl_file_identity *identity)
{
    char path[PATH_BYTES];
    if (note_path(directory, identity, path))
        unlink(path);
}

struct sl_content sl_known_content(const char *directory, const struct sl_file_identity *identity,
                                   struct sl_bytes bytes)
{
    struct sl_content content;
    if (sl_known_content_find(directory, identity, &content))
        return content;
    bool settled = sl_known_content_settled(identity);
    content = sl_content_of(bytes.data, bytes.size);
    if (settled)
        sl_known_content_note(directory, identity, content);
    return content;
}
