/* tests/unit/host/store/test_page_check.c */
#include "host/store/page_check.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include <sqlite3.h>
#include <uv.h>

#include "common/base/error.h"
#include "tests/support/large_store.h"
#include "tests/support/store_folder.h"

static sqlite3 *open_file(void)
{
    sqlite3 *db = NULL;
    assert_int_equal(sqlite3_open(store_path, &db), SQLITE_OK);
    return db;
}

static int run(struct sl_diag *diag)
{
    sqlite3 *db = open_file();
    int rc = sl_page_check_run(db, store_path, diag);
    sqlite3_close(db);
    return rc;
}

STORE_TEST(a_large_file_is_long_and_a_small_one_is_not)
{
    sqlite3 *db = open_file();
    assert_int_equal(sqlite3_exec(db, "CREATE TABLE a (b)", NULL, NULL, NULL), SQLITE_OK);
    assert_false(sl_page_check_is_long(db));
    make_store_large(store_path);
    assert_true(sl_page_check_is_long(db));
    sqlite3_close(db);
}

STORE_TEST(a_page_that_nobody_asks_for_is_found_damaged)
{
    struct sl_diag diag = {.what = ""};
    make_store_large(store_path);
    assert_int_equal(run(&diag), 0);
    damage_large_store(store_path);
    assert_int_equal(run(&diag), SL_E_FORMAT);
    assert_non_null(strstr(diag.what, "the store is damaged: "));
    assert_string_equal(diag.where, store_path);
}

STORE_TEST(what_is_no_database_is_damaged)
{
    struct sl_diag diag = {.what = ""};
    FILE *file = fopen(store_path, "w");
    assert_non_null(file);
    for (int i = 0; i < 1000; i++)
        fputs("no database\n", file);
    fclose(file);
    assert_int_equal(run(&diag), SL_E_FORMAT);
    assert_non_null(strstr(diag.what, "the store is damaged: file is not a database"));
}

static atomic_int ends, how;
static char words[256];

static void on_end(void *user, int rc, const struct sl_diag *diag)
{
    assert_ptr_equal(user, store_path);
    snprintf(words, sizeof(words), "%s", diag->what);
    how = rc;
    ends++;
}

static void start(struct sl_page_check **out)
{
    ends = 0;
    how = 1;
    assert_int_equal(sl_page_check_start(store_path, on_end, store_path, out), 0);
}

static int end_of_check(void)
{
    struct sl_page_check *check = NULL;
    start(&check);
    for (int ms = 0; ms < 30000 && ends == 0; ms++)
        uv_sleep(1);
    sl_page_check_stop(check);
    assert_int_equal(ends, 1);
    return how;
}

STORE_TEST(a_check_beside_the_use_tells_how_the_file_is)
{
    make_store_large(store_path);
    assert_int_equal(end_of_check(), 0);
    damage_large_store(store_path);
    assert_int_equal(end_of_check(), SL_E_FORMAT);
    assert_non_null(strstr(words, "the store is damaged: "));
}

static int open_descriptors(void)
{
    int count = 0;
    for (int fd = 0; fd < 256; fd++)
        count += fcntl(fd, F_GETFD) >= 0;
    return count;
}

STORE_TEST(a_check_that_has_ended_holds_no_file)
{
    struct sl_page_check *check = NULL;
    make_store_large(store_path);
    int before = open_descriptors();
    start(&check);
    for (int ms = 0; ms < 30000 && (ends == 0 || open_descriptors() > before); ms++)
        uv_sleep(1);
    assert_int_equal(open_descriptors(), before);
    sl_page_check_stop(check);
}

STORE_TEST(a_check_of_a_file_that_is_locked_says_that_it_cannot_read)
{
    sqlite3 *db = open_file();
    struct sl_diag diag = {.what = ""};
    assert_int_equal(sqlite3_exec(db, "CREATE TABLE a (b); BEGIN EXCLUSIVE", NULL, NULL, NULL),
                     SQLITE_OK);
    assert_int_equal(run(&diag), -EIO);
    assert_non_null(strstr(diag.what, "the store cannot be read"));
    sqlite3_close(db);
}

STORE_TEST(a_check_that_is_stopped_ends_at_once_and_says_nothing_later)
{
    make_store_large(store_path);
    for (unsigned ms = 0; ms < 40; ms++) { /* before it begins, amid, and after its end */
        struct sl_page_check *check = NULL;
        start(&check);
        uv_sleep(ms);
        sl_page_check_stop(check);
        int told = ends;
        assert_in_range(told, 0, 1);
        assert_int_equal(how, told ? 0 : 1);
    }
    sl_page_check_stop(NULL);
}

STORE_TEST(a_file_that_is_not_there_is_not_checked)
{
    struct sl_page_check *check = NULL;
    assert_int_equal(sl_page_check_start(store_path, on_end, store_path, &check), -EIO);
    assert_null(check);
    assert_int_equal(access(store_path, F_OK), -1);
}
