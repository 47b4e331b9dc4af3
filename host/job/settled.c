/* host/job/settled.c */
#include "host/job/settled.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/base/buf.h"

enum { LINE_BYTES = SL_RUN_ID_TEXT, MAX_FILE_BYTES = SL_SETTLED_MAX * LINE_BYTES };

bool sl_settled_has(const struct sl_settled *settled, struct sl_run_id id)
{
    for (size_t i = 0; i < settled->count; i++) {
        if (sl_run_ids_equal(settled->ids[i], id))
            return true;
    }
    return false;
}

static void put(struct sl_settled *settled, struct sl_run_id id)
{
    if (sl_run_id_is_none(id) || sl_settled_has(settled, id))
        return;
    if (settled->count == SL_SETTLED_MAX) {
        settled->count--;
        memmove(settled->ids, settled->ids + 1, settled->count * sizeof(settled->ids[0]));
    }
    settled->ids[settled->count++] = id;
}

int sl_settled_open(struct sl_settled *settled, const char *path)
{
    struct sl_buf text;
    *settled = (struct sl_settled){.count = 0};
    int size = snprintf(settled->path, sizeof(settled->path), "%s", path);
    if (size >= SL_SETTLED_PATH)
        return -ENAMETOOLONG;
    if (sl_buf_read_file(path, MAX_FILE_BYTES, &text) < 0)
        return 0; /* none was settled */
    char *rest;
    for (char *line = strtok_r((char *)text.data, "\n", &rest); line;
         line = strtok_r(NULL, "\n", &rest)) {
        struct sl_run_id id;
        if (sl_run_id_read(line, &id))
            put(settled, id);
    }
    sl_buf_fini(&text);
    return 0;
}

int sl_settled_add(struct sl_settled *settled, const struct sl_run_id *ids, size_t count)
{
    char text[MAX_FILE_BYTES + 1], line[SL_RUN_ID_TEXT];
    size_t size = 0;
    for (size_t i = 0; i < count; i++)
        put(settled, ids[i]);
    for (size_t i = 0; i < settled->count; i++) {
        sl_run_id_text(settled->ids[i], line);
        size += (size_t)snprintf(text + size, sizeof(text) - size, "%s\n", line);
    }
    return sl_buf_write_file(settled->path, text, size);
}
