/* host/store/device_table.c */
#include "host/store/device_table.h"

#include "host/store/request.h"
#include "host/store/statement.h"

void sl_device_table_note(struct sl_request *request, sqlite3 *db)
{
    const struct sl_device_record *device = &request->device;
    struct sl_statement statement;
    sl_statement_init(&statement, db,
                      "INSERT INTO devices (name, kind, model, soc, system, first_ms, last_ms) "
                      "VALUES (?, ?, ?, ?, ?, 0, 0) ON CONFLICT (name) DO UPDATE SET kind = "
                      "excluded.kind, model = excluded.model, soc = excluded.soc, system = "
                      "excluded.system");
    sl_statement_bind_text(&statement, device->name);
    sl_statement_bind_i64(&statement, device->kind);
    sl_statement_bind_text(&statement, device->model);
    sl_statement_bind_text(&statement, device->soc);
    sl_statement_bind_text(&statement, device->system);
    request->rc = sl_statement_step(&statement);
    sl_statement_fini(&statement);
}
