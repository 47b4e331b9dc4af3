/* tests/unit/host/store/test_documents.c */
#include "host/store/documents.h"

#include "common/base/error.h"
#include "host/store/database.h"
#include "host/store/schema.h"
#include "host/store/statement.h"
#include "tests/support/store_place.h"
#include "tests/support/store_query.h"
#include "tests/support/test.h"

static struct sl_database *open_run(void)
{
    struct sl_diag diag = {0};
    struct sl_database *db = NULL;
    assert_int_equal(sl_schema_open(store_path, store_root, &db, &diag), 0);
    assert_int_equal(
        sl_database_exec(db, "INSERT INTO runs (id, job, started_ms, ended_ms, device_kind, model, "
                             "model_sha256, device, verdict, ratio, directory) VALUES "
                             "(7,1,0,0,0,'','','','',0,'')"),
        0);
    return db;
}

static const char select_all[] = "SELECT key, value FROM json_each(?1, '$.labels')",
                  insert[] = "INSERT INTO labels (run, key, value) VALUES (?, ?, ?)";

STORE_ANY_TEST(each_row_of_the_question_is_written)
{
    struct sl_database *db = open_run();
    assert_int_equal(
        sl_document_carry(db, select_all, "{\"labels\":{\"a\":\"1\",\"b\":\"2\"}}", insert, 7), 0);
    assert_store_rows("SELECT run, key, value FROM labels ORDER BY key",
                      "[[7,\"a\",\"1\"],[7,\"b\",\"2\"]]");
    assert_int_equal(sl_document_carry(db, select_all, "{}", insert, 7), 0);
    sl_database_close(db);
}

STORE_ANY_TEST(what_is_no_such_document_or_fits_no_table_is_of_the_wrong_format)
{
    struct sl_database *db = open_run();
    assert_int_equal(sl_document_carry(db, select_all, "{\"labels\":", insert, 7), SL_E_FORMAT);
    assert_int_equal(sl_document_carry(db, select_all, "{\"labels\":{\"a\":null}}", insert, 7),
                     SL_E_FORMAT);
    assert_int_equal(sl_document_is_json(db, "{\"a\":1}"), 1);
    assert_int_equal(sl_document_is_json(db, "{\"a\":"), 0);
    assert_store_rows("SELECT * FROM labels", "[]");
    sl_database_close(db);
}
