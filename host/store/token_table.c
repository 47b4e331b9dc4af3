/* host/store/token_table.c */
#include "host/store/token_table.h"

#include <errno.h>

#include "common/base/error.h"
#include "common/base/mem.h"
#include "host/store/request.h"
#include "host/store/statement.h"

void sl_token_table_add(struct sl_request *request, sqlite3 *db)
{
    const struct sl_token_record *token = &request->token;
    struct sl_statement statement;
    sl_statement_init(&statement, db,
                      "INSERT INTO tokens (role, created_ms, expires_ms, name, sha256)"
                      " SELECT ?,?,?,?,? WHERE (SELECT count(*) FROM tokens) < ? RETURNING id");
    sl_statement_bind_i64(&statement, token->role);
    sl_statement_bind_u64(&statement, token->created_ms);
    sl_statement_bind_u64(&statement, token->expires_ms);
    sl_statement_bind_text(&statement, token->name);
    sl_statement_bind_text(&statement, token->sha256);
    sl_statement_bind_i64(&statement, SL_TOKEN_TABLE_MAX_ROWS);
    request->rc = sl_statement_write(&statement, SL_E_FULL, &request->id);
}

void sl_token_table_remove(struct sl_request *request, sqlite3 *db)
{
    struct sl_statement statement;
    sl_statement_init(&statement, db, "DELETE FROM tokens WHERE id = ? RETURNING id");
    sl_statement_bind_u64(&statement, request->id);
    request->rc = sl_statement_write(&statement, SL_E_NOT_FOUND, &request->id);
}

static void read_record(struct sl_statement *statement, void *row)
{
    struct sl_token_record *token = row;
    token->id = sl_statement_u64(statement, 0);
    token->role = sl_statement_int(statement, 1);
    token->created_ms = sl_statement_u64(statement, 2);
    token->expires_ms = sl_statement_u64(statement, 3);
    sl_statement_text(statement, 4, token->name, sizeof(token->name));
    sl_statement_text(statement, 5, token->sha256, sizeof(token->sha256));
}

void sl_token_table_list(struct sl_request *request, sqlite3 *db)
{
    struct sl_statement statement;
    bool more;
    request->rows = sl_calloc(SL_TOKEN_TABLE_MAX_ROWS, sizeof(struct sl_token_record));
    if (!request->rows) {
        request->rc = -ENOMEM;
        return;
    }
    sl_statement_init(
        &statement, db,
        "SELECT id, role, created_ms, expires_ms, name, sha256 FROM tokens ORDER BY id");
    request->rc =
        sl_statement_page(&statement, read_record, request->rows, sizeof(struct sl_token_record),
                          SL_TOKEN_TABLE_MAX_ROWS, &request->count, &more);
}
