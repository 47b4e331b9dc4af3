/* tests/unit/host/cli/test_runner_libraries.c */
#include "host/cli/runner_libraries.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "tests/support/unit.h"

static char folder[64], runner[96];

static void put(const char *name)
{
    char path[160];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    assert_int_equal(sl_buf_write_file(path, "x", 1), 0);
}

static int make_folders(void **state)
{
    char path[96];
    (void)state;
    snprintf(folder, sizeof(folder), "/tmp/sl-libraries-XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    snprintf(runner, sizeof(runner), "%s/bin/executor_runner", folder);
    snprintf(path, sizeof(path), "%s/bin", folder);
    if (mkdir(path, 0700) < 0)
        return -1;
    snprintf(path, sizeof(path), "%s/lib", folder);
    return mkdir(path, 0700);
}

static int remove_folders(void **state)
{
    char command[96];
    (void)state;
    snprintf(command, sizeof(command), "rm -rf %s", folder);
    return system(command);
}

/* How many are found; `names` become those of the files, with blanks between them. */
static int find(const char *of, char names[400], struct sl_diag *diag)
{
    char *paths[SL_SPEC_MAX_LIBRARIES];
    size_t count;
    int rc = sl_runner_libraries_find(of, paths, &count, diag);
    names[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        size_t len = strlen(names);
        const char *at = strstr(paths[i], "bin/");
        snprintf(names + len, 400 - len, "%s%s", i > 0 ? " " : "", at ? at : paths[i]);
        sl_free(paths[i]);
    }
    return rc < 0 ? rc : (int)count;
}

TEST_WITH(libraries_beside_it_and_in_lib_are_found_by_their_names, make_folders, remove_folders)
{
    static const char *const files[] = {"bin/executor_runner", "bin/libb.so",   "bin/liba.so.1.2",
                                        "bin/notes.sorry",     "bin/liba.a",    "lib/libb.so",
                                        "lib/libc.so",         "lib/.hidden.so"};
    char names[400];
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
        put(files[i]);
    assert_int_equal(find(runner, names, NULL), 3);
    assert_string_equal(names, "bin/liba.so.1.2 bin/libb.so bin/../lib/libc.so");
}

TEST_WITH(more_than_can_be_sent_are_told_with_what_to_do, make_folders, remove_folders)
{
    struct sl_diag diag = {.what = ""};
    char names[400], name[32];
    for (int i = 0; i <= SL_SPEC_MAX_LIBRARIES; i++) {
        snprintf(name, sizeof(name), "lib/l%d.so", i);
        put(name);
    }
    assert_int_equal(find(runner, names, &diag), SL_E_LIMIT);
    assert_non_null(strstr(diag.hint, "runner_libraries"));
}

TEST(the_systems_folders_are_not_sent)
{
    char names[400];
    assert_int_equal(find("/usr/bin/env", names, NULL), 0);
    assert_int_equal(find("/bin/env", names, NULL), 0);
    assert_int_equal(find("/nowhere/x", names, NULL), 0);
    assert_int_equal(find("relative", names, NULL), 0);
}
