/* tests/unit/agent/executorch/test_libraries.c */
#define _GNU_SOURCE /* mkdtemp, RTLD_DEFAULT */
#include "agent/executorch/libraries.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "tests/support/unit.h"

static char folder[64];

static int make_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/sl-libraries-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    static const char *const names[] = {"libmine.so", "libexecutorch_damaged.so", "libc.so.6",
                                        "readme"};
    char path[128];
    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
        unlink(path);
    }
    return rmdir(folder);
}

static void copy_to(const char *name, const char *bytes)
{
    char path[1024];
    struct sl_buf file;
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    sl_buf_init(&file, 1 << 26);
    if (bytes)
        assert_int_equal(sl_buf_append(&file, bytes, strlen(bytes)), 0);
    else
        assert_int_equal(sl_buf_read_file(SL_TEST_DELEGATE, 1 << 26, &file), 0);
    assert_int_equal(sl_buf_write_file(path, file.data, file.size), 0);
    sl_buf_fini(&file);
}

TEST_WITH(users_libraries_are_loaded_and_the_others_left, make_folder, remove_folder)
{
    struct sl_diag diag = {0};
    assert_int_equal(sl_libraries_load(folder, &diag), 0);
    copy_to("libmine.so", NULL);
    copy_to("libexecutorch_damaged.so", "no library");
    copy_to("libc.so.6", "no library");
    copy_to("readme", "no library");
    assert_null(dlsym(RTLD_DEFAULT, "stand_in_run"));
    assert_int_equal(sl_libraries_load(folder, &diag), 1);
    void *address = dlsym(RTLD_DEFAULT, "stand_in_run");
    assert_non_null(address);
    char found[1024];
    assert_int_equal(sl_libraries_folder(address, found, sizeof(found)), 0);
    assert_string_equal(found, folder);
    assert_int_equal(sl_libraries_folder(address, found, 3), -ENAMETOOLONG);
}

TEST_WITH(damaged_library_is_named_in_the_loaders_words, make_folder, remove_folder)
{
    struct sl_diag diag = {0};
    copy_to("libmine.so", "no library");
    assert_int_equal(sl_libraries_load(folder, &diag), SL_E_UNSUPPORTED);
    assert_string_equal(diag.where, "libmine.so");
    assert_non_null(strstr(diag.what, "too short"));
}
