/* host/store/device_table.c */
#include "host/store/device_table.h"

#include "host/store/request.h"
#include "host/store/statement.h"

/* The columns of the list that the table has, by what becomes of them: COPIED ones are as they are
 * now, PROBED ones stay while nothing is known of it. */
#define NAME_COPIED(name) ", " #name
#define NAME_PROBED(name) ", " #name
#define NAME_APART(name) ""
#define NAME(kind, name, extra, copy, ...) NAME_##copy(name)
#define SET_COPIED(name) ", " #name " = excluded." #name
#define SET_PROBED(name)                                                                           \
    ", " #name " = CASE WHEN excluded.sme2 IS NULL THEN devices." #name " ELSE excluded." #name    \
    " END"
#define SET_APART(name) ""
#define SET(kind, name, extra, copy, ...) SET_##copy(name)
#define MARK_COPIED(kind) ", " MARK_##kind
#define MARK_PROBED(kind) ", " MARK_##kind
#define MARK_APART(kind) ""
#define MARK_TEXT "?"
#define MARK_NAME "?"
#define MARK_WORD "?"
#define MARK_ID "?"
#define MARK_MAYBE "nullif(? - 1, -1)" /* enum sl_maybe: NULL, 0, 1 */
#define MARK(kind, name, extra, copy, ...) MARK_##copy(kind)
#define BIND_COPIED(kind, name) BIND_##kind(name)
#define BIND_PROBED(kind, name) BIND_##kind(name)
#define BIND_APART(kind, name)
#define BIND_TEXT(name) sl_statement_bind_text(&statement, device->name);
#define BIND_NAME(name) sl_statement_bind_text(&statement, device->name);
#define BIND_WORD(name) sl_statement_bind_i64(&statement, device->name);
#define BIND_ID(name) sl_statement_bind_u64(&statement, device->name);
#define BIND_MAYBE(name) sl_statement_bind_i64(&statement, device->name);
#define BIND(kind, name, extra, copy, ...) BIND_##copy(kind, name)

void sl_device_table_note(struct sl_request *request, struct sl_database *db)
{
    static const char sql[] = "INSERT INTO devices (first_ms, last_ms" SL_DEVICE_COLUMNS(
        NAME) ") VALUES (0, 0" SL_DEVICE_COLUMNS(MARK) ") ON CONFLICT (name) DO UPDATE SET "
                                                       "first_ms = "
                                                       "devices.first_ms" SL_DEVICE_COLUMNS(SET);
    const struct sl_device_record *device = &request->device;
    struct sl_statement statement;
    sl_statement_init(&statement, db, sql);
    SL_DEVICE_COLUMNS(BIND)
    request->rc = sl_statement_step(&statement);
    sl_statement_fini(&statement);
}
