/* host/store/token_table.c */
#include "host/store/token_table.h"

#include <errno.h>

#include "common/base/error.h"
#include "common/base/mem.h"
#include "host/spec/columns.h"
#include "host/store/database.h"
#include "host/store/request.h"
#include "host/store/statement.h"

void sl_token_table_add(struct sl_request *request, struct sl_database *db)
{
    struct sl_statement statement;
    uint64_t id = 0;
    request->rc = db->kind->next_number(db, "tokens", &id);
    if (request->rc < 0)
        return;
    sl_statement_init(
        &statement, db,
        "INSERT INTO tokens (id" SL_TOKEN_COLUMNS(SL_SQL_NAME) ") SELECT ?" SL_TOKEN_COLUMNS(
            SL_SQL_MARK) " WHERE (SELECT count(*) FROM tokens) < ? RETURNING id");
    sl_statement_bind_u64(&statement, id);
    sl_statement_bind(&statement, &sl_token_columns, &request->token);
    sl_statement_bind_i64(&statement, SL_TOKEN_TABLE_MAX_ROWS);
    request->rc = sl_statement_write(&statement, SL_E_FULL, &request->id);
}

void sl_token_table_remove(struct sl_request *request, struct sl_database *db)
{
    struct sl_statement statement;
    sl_statement_init(&statement, db, "DELETE FROM tokens WHERE id = ? RETURNING id");
    sl_statement_bind_u64(&statement, request->id);
    request->rc = sl_statement_write(&statement, SL_E_NOT_FOUND, &request->id);
}

void sl_token_table_list(struct sl_request *request, struct sl_database *db)
{
    struct sl_statement statement;
    bool more;
    request->rows = sl_calloc(SL_TOKEN_TABLE_MAX_ROWS, sizeof(struct sl_token_record));
    if (!request->rows) {
        request->rc = -ENOMEM;
        return;
    }
    sl_statement_init(&statement, db,
                      "SELECT id" SL_TOKEN_COLUMNS(SL_SQL_NAME) " FROM tokens ORDER BY id");
    request->rc = sl_statement_page(&statement, &sl_token_columns, request->rows,
                                    SL_TOKEN_TABLE_MAX_ROWS, &request->count, &more);
}
