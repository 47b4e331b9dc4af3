/* host/store/audit_table.c */
#include "host/store/audit_table.h"

#include <stddef.h>

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

static void begin_note(struct sl_statement *statement, const struct sl_request *request,
                       struct sl_database *db)
{
    const struct sl_audit_record *record = &request->audit;
    sl_statement_init(statement, db,
                      "INSERT INTO audit (at_ms, who, method, path, status) VALUES (?, ?, ?, ?, ?) "
                      "RETURNING id");
    sl_statement_bind_u64(statement, record->at_ms);
    sl_statement_bind_text(statement, record->who);
    sl_statement_bind_text(statement, record->method);
    sl_statement_bind_text(statement, record->path);
    sl_statement_bind_i64(statement, record->status);
    sl_statement_post(statement);
}

size_t sl_audit_table_begin_notes(struct sl_request *first, struct sl_database *db,
                                  struct sl_statement *statements)
{
    size_t count = 0;
    for (; first && count < SL_STATEMENTS_TOGETHER && first->kind == SL_REQUEST_NOTE_AUDIT &&
           first->rc == 0;
         first = first->next)
        begin_note(&statements[count++], first, db);
    return count;
}

void sl_audit_table_end_notes(struct sl_request *first, struct sl_database *db, size_t count,
                              struct sl_statement *statements)
{
    for (size_t i = 0; i < count; i++, first = first->next) {
        first->rc = sl_statement_write(&statements[i], 0, &first->id);
        if (first->rc == 0 && i + 1 == count)
            first->rc = forget_old(db, first->id);
    }
}

void sl_audit_table_note(struct sl_request *request, struct sl_database *db)
{
    struct sl_statement statement;
    begin_note(&statement, request, db);
    sl_audit_table_end_notes(request, db, 1, &statement);
}
