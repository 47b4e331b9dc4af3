#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/cli/cli.h"
#include "host/cli/exit_code.h"
#include "tests/support/store_folder.h"
#include "tests/support/test.h"

static int export_to(const char *what, const char *file)
{
    static const struct sl_cli cli = {.quiet = true};
    char verb[] = "export", out[] = "-o", word[128], path[128];
    char *argv[] = {verb, word, out, path, NULL};
    snprintf(word, sizeof(word), "%s/%s", store_folder, what);
    snprintf(path, sizeof(path), "%s/%s", store_folder, file);
    return sl_cmd_export(&cli, 4, argv);
}

STORE_TEST(directories_are_exported_to_new_files_of_the_right_name)
{
    char path[128];
    snprintf(path, sizeof(path), "%s/run", store_folder);
    assert_int_equal(mkdir(path, 0700), 0);
    snprintf(path, sizeof(path), "%s/a.tar.zst", store_folder);
    assert_int_equal(export_to("run", "a.tar"), SL_EXIT_USAGE);
    assert_int_equal(export_to("nothing", "a.tar.zst"), SL_EXIT_USAGE);
    assert_int_equal(export_to("run/.", "a.tar.zst"), SL_EXIT_USAGE);
    assert_int_not_equal(access(path, F_OK), 0);
    assert_int_equal(export_to("run/", "a.tar.zst"), SL_EXIT_DONE);
    assert_int_equal(access(path, R_OK), 0);
    assert_int_equal(export_to("run", "a.tar.zst"), SL_EXIT_USAGE);
}
