/* tests/unit/host/spec/test_paths.c */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/error.h"
#include "host/spec/paths.h"
#include "tests/support/test.h"

TEST(the_state_directory_comes_from_the_first_variable_that_is_set)
{
    char path[SL_PATH_BYTES];
    struct sl_diag diag;
    setenv("SME2LAB_STATE", "/s", 1);
    setenv("XDG_STATE_HOME", "/x", 1);
    setenv("HOME", "/h", 1);
    assert_int_equal(sl_paths_state(path, &diag), 0);
    assert_string_equal(path, "/s");
    setenv("SME2LAB_STATE", "", 1);
    assert_int_equal(sl_paths_state(path, &diag), 0);
    assert_string_equal(path, "/x/sme2lab");
    setenv("XDG_STATE_HOME", "relative", 1);
    assert_int_equal(sl_paths_state(path, &diag), 0);
    assert_string_equal(path, "/h/.local/state/sme2lab");
    unsetenv("HOME");
    assert_int_equal(sl_paths_state(path, &diag), SL_E_NOT_FOUND);
    assert_non_null(strstr(diag.hint, "SME2LAB_STATE"));
}

/* Agents work in directories of their own: they found no file of a state that was named "state". */
TEST(a_relative_path_is_taken_from_the_working_directory)
{
    char root[] = "/tmp/sl-paths-XXXXXX", path[SL_PATH_BYTES], expected[SL_PATH_BYTES];
    char longest[SL_PATH_BYTES + 1];
    struct sl_diag diag = {0};
    assert_non_null(mkdtemp(root));
    assert_int_equal(chdir(root), 0);
    assert_int_equal(sl_paths_absolute("a/b", path, &diag), 0);
    snprintf(expected, sizeof(expected), "%s/a/b", root);
    assert_string_equal(path, expected);
    assert_int_equal(sl_paths_absolute("", path, &diag), SL_E_NOT_FOUND); /* not this one */
    assert_int_equal(sl_paths_absolute("/a", path, &diag), 0);
    assert_string_equal(path, "/a");
    memset(longest, 'x', sizeof(longest) - 1);
    longest[sizeof(longest) - 1] = '\0';
    assert_int_equal(sl_paths_absolute(longest, path, &diag), SL_E_LIMIT);
    assert_int_equal(chdir("/"), 0);
    assert_int_equal(sl_paths_absolute("a", path, &diag), 0);
    assert_string_equal(path, "/a");
    assert_int_equal(chdir(root), 0);
    assert_int_equal(rmdir(root), 0);
    assert_true(sl_paths_absolute("a", path, &diag) < 0); /* it is gone */
    assert_int_equal(chdir("/"), 0);
}

/* A new user's machine has no folder of states yet. */
TEST(a_folder_of_the_state_is_made_with_all_above_it)
{
    char root[] = "/tmp/sl-paths-XXXXXX", path[SL_PATH_BYTES];
    struct sl_diag diag;
    struct stat made;
    assert_non_null(mkdtemp(root));
    assert_int_equal(chdir(root), 0);
    setenv("SME2LAB_STATE", "a/b", 1);
    assert_int_equal(sl_paths_state_folder("policies", path, &diag), 0);
    assert_string_equal(path, "a/b/policies");
    assert_int_equal(sl_paths_state_folder("policies", path, &diag), 0); /* it is there */
    assert_int_equal(stat(path, &made), 0);
    assert_int_equal(made.st_mode & 0777, 0700);
    assert_int_equal(rmdir("a/b/policies") | rmdir("a/b") | rmdir("a"), 0);
    setenv("SME2LAB_STATE", "/dev/null/state", 1);
    assert_true(sl_paths_state_folder("policies", path, &diag) < 0);
    assert_non_null(strstr(diag.hint, "SME2LAB_STATE"));
    assert_int_equal(chdir("/") | rmdir(root), 0);
}

TEST(paths_that_are_too_long_are_refused)
{
    char path[SL_PATH_BYTES], longest[SL_PATH_BYTES + 1];
    struct sl_diag diag;
    memset(longest, 'd', sizeof(longest));
    longest[sizeof(longest) - 1] = '\0';
    setenv("SME2LAB_STATE", longest, 1);
    assert_int_equal(sl_paths_state(path, &diag), SL_E_LIMIT);
    longest[107 - strlen("/sme2labd.sock")] = '\0';
    assert_int_equal(sl_paths_socket(longest, path, &diag), 0);
    assert_int_equal(strlen(path), 107);
    longest[107 - strlen("/sme2labd.sock")] = 'd';
    longest[108 - strlen("/sme2labd.sock")] = '\0';
    assert_int_equal(sl_paths_socket(longest, path, &diag), SL_E_LIMIT);
}
