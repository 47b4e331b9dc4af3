/* host/store/audit_table.c */
#include "host/store/audit_table.h"

#include "host/store/request.h"
#include "host/store/statement.h"

static int forget_old(struct sl_database *db, uint64_t newest)
{
    struct sl_statement statement;
    if (newest <= SL_AUDIT_MAX_ROWS)
        return 0;
    sl_statement_init(&statement, db, "DELETE FROM audit WHERE id <= ?");
    sl_statement_bind_u64(&statement, newest - SL_AUDIT_MAX_ROWS);
    int rc = sl_statement_step(&statement);
    sl_statement_fini(&statement);
    return rc;
}

void sl_audit_table_note(struct sl_request *request, struct sl_database *db)
{
    const struct sl_audit_record *record = &request->audit;
    struct sl_statement statement;
    sl_statement_init(&statement, db,
                      "INSERT INTO audit (at_ms, who, method, path, status) VALUES (?, ?, ?, ?, ?) "
                      "RETURNING id");
    sl_statement_bind_u64(&statement, record->at_ms);
    sl_statement_bind_text(&statement, record->who);
    sl_statement_bind_text(&statement, record->method);
    sl_statement_bind_text(&statement, record->path);
    sl_statement_bind_i64(&statement, record->status);
    request->rc = sl_statement_write(&statement, 0, &request->id);
    if (request->rc == 0)
        request->rc = forget_old(db, request->id);
}
