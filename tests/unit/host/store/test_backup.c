/* tests/unit/host/store/test_backup.c */
#include "host/store/backup.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "host/store/database.h"
#include "host/store/schema.h"
#include "tests/support/old_store.h"
#include "tests/support/sqlite_file.h"
#include "tests/support/store_folder.h"
#include "tests/support/store_query.h"

#define JOB(id) STORE_INSERT_JOB "VALUES (" #id ",2,0,0,1,1,1,1,0,0,0,'','','','{}',NULL,'')"

static char aside[SL_BACKUP_NAME_BYTES];

static struct sl_database *open_store(void)
{
    struct sl_diag diag = {0};
    struct sl_database *db = NULL;
    assert_int_equal(sl_schema_open(store_path, NULL, &db, &diag), 0);
    return db;
}

static void run_sql(struct sl_database *db, const char *sql)
{
    assert_int_equal(sl_database_exec(db, sql), 0);
}

static const char *beside(const char *name)
{
    static char path[128];
    snprintf(path, sizeof(path), "%s/%s", store_folder, name);
    return path;
}

static unsigned count_files(const char *begin)
{
    unsigned count = 0;
    DIR *folder = opendir(store_folder);
    assert_non_null(folder);
    for (const struct dirent *file; (file = readdir(folder));)
        count += strncmp(file->d_name, begin, strlen(begin)) == 0;
    closedir(folder);
    return count;
}

static void write_text(const char *path, const char *text)
{
    assert_int_equal(sl_buf_write_file(path, text, strlen(text)), 0);
}

STORE_TEST(a_copy_is_what_was_committed_while_another_writes_and_comes_back)
{
    struct sl_diag diag = {0};
    struct stat info;
    struct sl_database *db = open_store();
    run_sql(db, JOB(1));
    run_sql(db, "BEGIN IMMEDIATE; " JOB(2)); /* a writer at work */
    assert_int_equal(sl_backup_write(store_path, beside("copy"), &diag), 0);
    run_sql(db, "COMMIT; " JOB(3));
    sl_database_close(db);
    assert_int_equal(stat(beside("copy"), &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
    assert_int_equal(count_files("copy"), 1);
    assert_store_rows("SELECT id FROM jobs", "[[1],[2],[3]]");
    assert_int_equal(sl_backup_restore(store_path, beside("copy"), aside, &diag), 0);
    assert_int_equal(access(aside, F_OK), 0);
    assert_store_rows("SELECT id FROM jobs", "[[1]]");
    assert_in_range(count_files("store.sqlite.replaced-"), 1, 3); /* with its log, if it has one */
    assert_int_equal(count_files("store.sqlite.restored"), 0);
    unlink(store_path);
    assert_int_equal(sl_backup_restore(store_path, beside("copy"), aside, &diag), 0);
    assert_string_equal(aside, ""); /* there was none */
    assert_store_rows("SELECT id FROM jobs", "[[1]]");
}

STORE_TEST(nothing_is_written_over_and_nothing_damaged_is_kept)
{
    struct sl_diag diag = {0};
    assert_int_equal(sl_backup_write(store_path, beside("copy"), &diag), SL_E_NOT_FOUND);
    assert_non_null(strstr(diag.hint, "--state"));
    assert_int_equal(count_files("copy"), 0);
    sl_database_close(open_store());
    write_text(beside("copy"), "mine");
    assert_int_equal(sl_backup_write(store_path, beside("copy"), &diag), -EEXIST);
    assert_int_equal(sl_backup_write(store_path, beside("no/copy"), &diag), -ENOENT);
    assert_non_null(strstr(diag.what, "cannot be made"));
    write_text(store_path,
               "no database at all, and longer than a header would have to be, so it is read");
    assert_int_equal(sl_backup_write(store_path, beside("other"), &diag), SL_E_FORMAT);
    assert_int_equal(count_files("other"), 0);
}

STORE_TEST(an_older_copy_is_brought_up_to_date_and_stays_as_it_is)
{
    struct sl_diag diag = {0};
    struct sl_buf before, after;
    make_store_of(5, beside("old"));
    assert_int_equal(sl_buf_read_file(beside("old"), 1 << 20, &before), 0);
    assert_int_equal(sl_backup_restore(store_path, beside("old"), aside, &diag), 0);
    assert_store_rows("SELECT id, deadline_ms FROM jobs", "[[7,0],[8,0]]");
    assert_int_equal(sl_buf_read_file(beside("old"), 1 << 20, &after), 0);
    assert_int_equal(before.size, after.size);
    assert_memory_equal(before.data, after.data, before.size);
    sl_buf_fini(&before);
    sl_buf_fini(&after);
}

STORE_TEST(what_is_no_store_or_a_newer_one_replaces_nothing)
{
    struct sl_diag diag = {0};
    struct sl_database *db = open_store(), *other = NULL;
    run_sql(db, JOB(1));
    assert_int_equal(sl_backup_restore(store_path, beside("none"), aside, &diag), SL_E_FORMAT);
    write_text(beside("text"), "no database");
    assert_int_equal(sl_backup_restore(store_path, beside("text"), aside, &diag), SL_E_FORMAT);
    assert_null(
        strstr(diag.hint, "--rebuild")); /* that would be done to the store, which is whole */
    assert_non_null(strstr(diag.hint, "another copy"));
    other = open_sqlite_file(beside("other"));
    run_sql(other, "CREATE TABLE t (x)");
    sl_database_close(other);
    assert_int_equal(sl_backup_restore(store_path, beside("other"), aside, &diag), SL_E_FORMAT);
    assert_int_equal(sl_backup_write(store_path, beside("newer"), &diag), 0);
    other = open_sqlite_file(beside("newer"));
    run_sql(other, "PRAGMA user_version = 999");
    sl_database_close(other);
    assert_int_equal(sl_backup_restore(store_path, beside("newer"), aside, &diag),
                     SL_E_UNSUPPORTED);
    assert_int_equal(count_files("store.sqlite.re"), 0);
    sl_database_close(db);
    assert_store_rows("SELECT id FROM jobs", "[[1]]");
}
