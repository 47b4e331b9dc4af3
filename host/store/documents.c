/* host/store/documents.c */
#include "host/store/documents.h"

#include <errno.h>

#include "common/base/error.h"
#include "host/store/database.h"
#include "host/store/statement.h"

void sl_document_ask(struct sl_statement *statement, struct sl_database *db, const char *sql,
                     const char *text)
{
    sl_statement_init(statement, db->json, sql);
    sl_statement_bind_text(statement, text);
}

int sl_document_is_json(struct sl_database *db, const char *text)
{
    struct sl_statement statement;
    sl_document_ask(&statement, db, "SELECT json_valid(?1)", text);
    int rc = sl_statement_step(&statement);
    if (rc == 1)
        rc = sl_statement_int(&statement, 0);
    sl_statement_fini(&statement);
    return rc;
}

static int write_row(struct sl_statement *to, struct sl_statement *row, uint64_t run)
{
    sl_statement_again(to);
    sl_statement_bind_u64(to, run);
    sl_statement_bind_row(to, row, 0);
    int rc = sl_statement_step(to);
    return rc == -EEXIST ? SL_E_FORMAT : rc;
}

int sl_document_carry(struct sl_database *db, const char *select, const char *text,
                      const char *insert, uint64_t run)
{
    struct sl_statement from, to;
    sl_document_ask(&from, db, select, text);
    sl_statement_init(&to, db, insert);
    int rc;
    while ((rc = sl_statement_step(&from)) == 1 && (rc = write_row(&to, &from, run)) == 0)
        continue;
    if (from.rc < 0 && from.rc != -ENOMEM)
        rc = SL_E_FORMAT;
    sl_statement_fini(&from);
    sl_statement_fini(&to);
    return rc;
}
