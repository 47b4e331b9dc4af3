/* host/store/findings.c */
#include "host/store/findings.h"

#include <errno.h>

#include "common/base/mem.h"

int sl_findings_add(struct sl_findings *list, const struct sl_store_finding *finding)
{
    if (list->count == SL_STORE_MAX_FINDINGS) {
        list->more++;
        return 0;
    }
    if (list->count == list->room) {
        size_t room = list->room == 0 ? 16 : 2 * list->room;
        struct sl_store_finding *rows = sl_realloc(list->rows, room, sizeof(*rows));
        if (!rows)
            return -ENOMEM;
        list->rows = rows;
        list->room = room;
    }
    list->rows[list->count++] = *finding;
    return 0;
}

void sl_findings_fini(struct sl_findings *list)
{
    sl_free(list->rows);
    *list = (struct sl_findings){.rows = NULL};
}
