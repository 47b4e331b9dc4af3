/* tests/unit/host/cli/test_runtime_dir.c: a user's libraries in the place of the
 * installed ones, and what is refused before anything is made. That they run: integration/runtime.
 */
#include "host/cli/runtime_dir.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "tests/support/scratch.h"
#include "tests/support/test.h"

static int take(const char *said, const char *server, struct sl_diag *diag)
{
    char words[SL_RUNTIME_WORDS_BYTES];
    *diag = (struct sl_diag){0};
    unsetenv("SME2LAB_SERVER");
    return sl_runtime_dir_take(said, server, words, diag);
}

TEST(names_alone_are_left)
{
    struct sl_diag diag;
    assert_int_equal(take("own", NULL, &diag), 1);
    assert_int_equal(take("executorch,own", "unix:/x", &diag), 1);
    assert_int_equal(take("", NULL, &diag), 1);
    assert_int_equal(take(",", NULL, &diag), 1);
    assert_int_equal(take("tflite", NULL, &diag), 1); /* refused as a name */
}

TEST(directory_is_one_and_takes_executorchs_place)
{
    struct sl_diag diag;
    assert_int_equal(take("/a,/b", NULL, &diag), SL_E_UNSUPPORTED);
    assert_non_null(strstr(diag.what, "One directory"));
    assert_int_equal(take("executorch,/a", NULL, &diag), SL_E_UNSUPPORTED);
    assert_int_equal(take("/a,executorch", NULL, &diag), SL_E_UNSUPPORTED);
    assert_non_null(strstr(diag.what, "not both"));
    assert_int_equal(take("own,/nowhere/at/all", NULL, &diag), SL_E_NOT_FOUND);
    assert_string_equal(diag.where, "/nowhere/at/all");
}

TEST(daemon_that_was_named_keeps_its_libraries)
{
    struct sl_diag diag;
    assert_int_equal(take("./libraries", "http://lab:8080", &diag), SL_E_UNSUPPORTED);
    assert_non_null(strstr(diag.hint, "SME2LAB_EXECUTORCH"));
    assert_int_equal(take("/nowhere/at/all", "private", &diag), SL_E_NOT_FOUND);
}

TEST(list_that_is_too_long_is_refused)
{
    static char said[SL_RUNTIME_WORDS_BYTES + 64];
    struct sl_diag diag;
    memset(said, 'a', sizeof(said) - 1);
    memcpy(said + sizeof(said) - 4, ",/b", 3);
    assert_int_equal(take(said, NULL, &diag), SL_E_LIMIT);
    memcpy(said, "/b,", 3);
    said[sizeof(said) - 4] = 'a';
    said[sizeof(said) - 3] = 'a';
    assert_int_equal(take(said, NULL, &diag), SL_E_LIMIT);
}

/* A library for aarch64 that is told from others by its last byte. */
static void put_library(const char *name, char mark)
{
    struct {
        Elf64_Ehdr head;
        char mark;
    } file = {.head = {.e_machine = EM_AARCH64, .e_type = ET_DYN}, .mark = mark};
    memcpy(file.head.e_ident, ELFMAG, SELFMAG);
    file.head.e_ident[EI_CLASS] = ELFCLASS64;
    file.head.e_ident[EI_DATA] = ELFDATA2LSB;
    assert_int_equal(sl_buf_write_file(below(name), &file, sizeof(file)), 0);
}

static int set_up(void **state)
{
    *state = NULL;
    make_scratch();
    assert_int_equal(mkdir(below("installed"), 0700), 0);
    assert_int_equal(mkdir(below("mine"), 0700), 0);
    put_library("installed/libexecutorch.so", 'a');
    put_library("installed/libextension.so", 'b');
    assert_int_equal(
        sl_buf_write_file(below("installed/sme2lab-agent-executorch"), "#!/bin/true\n", 12), 0);
    assert_int_equal(chmod(below("installed/sme2lab-agent-executorch"), 0700), 0);
    put_library("mine/libexecutorch.so", 'm');
    setenv("SME2LAB_EXECUTORCH", below("installed"), 1);
    setenv("SME2LAB_STATE", below("state"), 1);
    return 0;
}

static int tear_down(void **state)
{
    *state = NULL;
    unsetenv("SME2LAB_EXECUTORCH");
    unsetenv("SME2LAB_STATE");
    unsetenv("SME2LAB_SERVER");
    remove_scratch();
    return 0;
}

/* The last byte of a library in the folder that the daemon is to find. */
static char mark_of(const char *name)
{
    char path[512];
    struct sl_buf bytes;
    snprintf(path, sizeof(path), "%s/%s", getenv("SME2LAB_EXECUTORCH"), name);
    assert_int_equal(sl_buf_read_file(path, 1 << 20, &bytes), 0);
    char mark = (char)bytes.data[sizeof(Elf64_Ehdr)];
    sl_buf_fini(&bytes);
    return mark;
}

TEST_WITH(users_libraries_stand_in_the_place_of_the_installed_ones, set_up, tear_down)
{
    char words[SL_RUNTIME_WORDS_BYTES], said[128], first[256];
    struct sl_diag diag = {0};
    struct stat info;
    snprintf(said, sizeof(said), "own,%s", below("mine"));
    assert_int_equal(sl_runtime_dir_take(said, NULL, words, &diag), 0);
    assert_string_equal(words, "own,executorch");
    assert_string_equal(getenv("SME2LAB_SERVER"), "private");
    assert_int_equal(mark_of("libexecutorch.so"), 'm');
    assert_int_equal(mark_of("libextension.so"), 'b');
    snprintf(first, sizeof(first), "%s/lib/ld-linux-aarch64.so.1", getenv("SME2LAB_EXECUTORCH"));
    assert_int_equal(lstat(first, &info), 0); /* where the emulator looks for the loader */
    snprintf(first, sizeof(first), "%s/whose", getenv("SME2LAB_EXECUTORCH"));
    assert_int_equal(access(first, R_OK), 0);
}

TEST_WITH(the_same_libraries_make_the_same_folder_and_others_another, set_up, tear_down)
{
    char words[SL_RUNTIME_WORDS_BYTES], first[256];
    struct sl_diag diag = {0};
    assert_int_equal(sl_runtime_dir_take(below("mine"), NULL, words, &diag), 0);
    snprintf(first, sizeof(first), "%s", getenv("SME2LAB_EXECUTORCH"));
    setenv("SME2LAB_EXECUTORCH", below("installed"), 1);
    unsetenv("SME2LAB_SERVER");
    assert_int_equal(sl_runtime_dir_take(below("mine"), NULL, words, &diag), 0);
    assert_string_equal(getenv("SME2LAB_EXECUTORCH"), first);
    put_library("mine/libexecutorch.so", 'n');
    setenv("SME2LAB_EXECUTORCH", below("installed"), 1);
    unsetenv("SME2LAB_SERVER");
    assert_int_equal(sl_runtime_dir_take(below("mine"), NULL, words, &diag), 0);
    assert_string_not_equal(getenv("SME2LAB_EXECUTORCH"), first);
    assert_int_equal(access(first, R_OK), 0); /* a run may still use it */
}

TEST_WITH(without_installed_libraries_there_is_no_runtime, set_up, tear_down)
{
    char words[SL_RUNTIME_WORDS_BYTES];
    struct sl_diag diag = {0};
    setenv("SME2LAB_EXECUTORCH", below("nowhere"), 1);
    assert_int_equal(sl_runtime_dir_take(below("mine"), NULL, words, &diag), SL_E_NOT_FOUND);
    assert_null(getenv("SME2LAB_SERVER"));
}
