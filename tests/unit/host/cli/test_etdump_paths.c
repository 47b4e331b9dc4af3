#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/base/error.h"
#include "common/base/mem.h"
#include "host/cli/etdump_paths.h"
#include "tests/support/test.h"

static char folder[64];

static int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof(folder), "/tmp/sl-paths-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    char command[96];
    (void)state;
    snprintf(command, sizeof(command), "rm -rf %s", folder);
    return system(command);
}

static void make(const char *name, int is_folder)
{
    char path[256];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    if (is_folder) {
        assert_int_equal(mkdir(path, 0700), 0);
        return;
    }
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fclose(file);
}

static void expect(const struct sl_etdump_paths *paths, size_t i, const char *name)
{
    char path[256];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    assert_true(i < paths->count);
    assert_string_equal(paths->paths[i], path);
}

TEST_WITH(directory_means_its_etdumps_by_name_to_the_second_level, make_folder, remove_folder)
{
    struct sl_etdump_paths paths = {.count = 0};
    make("b.etdump", 0);
    make("a.json", 0);
    make(".hidden.etdump", 0);
    make("run_off", 1);
    make("run_off/m.etdump", 0);
    make("run_off/deep", 1);
    make("run_off/deep/n.etdump", 0);
    assert_int_equal(sl_etdump_paths_add(&paths, folder, NULL), 0);
    assert_int_equal(paths.count, 2);
    expect(&paths, 0, "b.etdump");
    expect(&paths, 1, "run_off/m.etdump");
    sl_etdump_paths_fini(&paths);
}

TEST(file_is_taken_whatever_its_name)
{
    struct sl_etdump_paths paths = {.count = 0};
    assert_int_equal(sl_etdump_paths_add(&paths, "/nonexistent/x", NULL), 0);
    assert_int_equal(paths.count, 1);
    assert_string_equal(paths.paths[0], "/nonexistent/x");
    sl_etdump_paths_fini(&paths);
}

TEST_WITH(directory_without_etdump_is_refused, make_folder, remove_folder)
{
    struct sl_etdump_paths paths = {.count = 0};
    struct sl_diag diag = {.what = ""};
    assert_int_equal(sl_etdump_paths_add(&paths, folder, &diag), SL_E_NOT_FOUND);
    assert_string_equal(diag.where, folder);
    assert_int_equal(paths.count, 0);
}

TEST(more_files_than_the_limit_are_refused)
{
    struct sl_etdump_paths paths = {.count = 0};
    for (int i = 0; i < SL_ETDUMP_PATHS_MAX; i++)
        assert_int_equal(sl_etdump_paths_add(&paths, "x", NULL), 0);
    assert_int_equal(sl_etdump_paths_add(&paths, "x", NULL), SL_E_LIMIT);
    sl_etdump_paths_fini(&paths);
}

TEST_WITH(failed_allocation_is_told, make_folder, remove_folder)
{
    struct sl_etdump_paths paths = {.count = 0};
    make("b.etdump", 0);
    sl_mem_fail_nth(1);
    assert_true(sl_etdump_paths_add(&paths, folder, NULL) < 0);
    sl_mem_fail_nth(0);
    sl_etdump_paths_fini(&paths);
}
