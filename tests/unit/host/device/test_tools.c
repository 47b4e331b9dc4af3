/* tests/unit/host/device/test_tools.c: programs that a variable names. Those of the build tree are
 * found by every test that measures. */
#include "host/device/tools.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/error.h"
#include "tests/support/test.h"

static char folder[32], program[64];

static int set_up(void **state)
{
    (void)state;
    snprintf(folder, sizeof(folder), "/tmp/sl-tools-XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    snprintf(program, sizeof(program), "%s/sme2lab-agent-executorch", folder);
    return 0;
}

static int tear_down(void **state)
{
    static const char *const variables[] = {"SME2LAB_EMULATOR", "SME2LAB_AGENT", "SME2LAB_DAEMON",
                                            "SME2LAB_NATIVE_AGENT", "SME2LAB_EXECUTORCH"};
    (void)state;
    for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++)
        unsetenv(variables[i]);
    unlink(program);
    return rmdir(folder);
}

/* A program that prints `line`. */
static void write_program(const char *line, mode_t mode)
{
    FILE *file = fopen(program, "w");
    assert_non_null(file);
    fprintf(file, "#!/bin/sh\necho '%s'\n", line);
    fclose(file);
    assert_int_equal(chmod(program, mode), 0);
}

TEST_WITH(an_emulator_tells_its_version, set_up, tear_down)
{
    struct sl_tool tool;
    struct sl_diag diag = {.what = ""};
    write_program("qemu-aarch64 version 12.0.3 (Debian 1:12.0.3)", 0700);
    setenv("SME2LAB_EMULATOR", program, 1);
    assert_int_equal(sl_tools_find_emulator(&tool, &diag), 0);
    assert_string_equal(tool.path, program);
    assert_string_equal(tool.version, "12.0.3");
}

TEST_WITH(an_emulator_without_sme2_is_refused, set_up, tear_down)
{
    struct sl_tool tool;
    struct sl_diag diag = {.what = ""};
    write_program("qemu-aarch64 version 7.2.22 (Debian)", 0700);
    setenv("SME2LAB_EMULATOR", program, 1);
    assert_int_equal(sl_tools_find_emulator(&tool, &diag), SL_E_NOT_FOUND);
    assert_non_null(strstr(diag.what, "version 7.2.22, and SME2 needs QEMU 11"));
    assert_non_null(strstr(diag.hint, "scripts/setup"));
    write_program("it says nothing of that", 0700);
    assert_int_equal(sl_tools_find_emulator(&tool, &diag), SL_E_NOT_FOUND);
    assert_non_null(strstr(diag.what, "of unknown version"));
}

typedef int (*find_fn)(struct sl_tool *out, struct sl_diag *diag);

TEST_WITH(a_variable_names_a_program_or_is_refused, set_up, tear_down)
{
    static const struct {
        const char *variable;
        find_fn find;
    } tools[] = {{"SME2LAB_AGENT", sl_tools_find_agent},
                 {"SME2LAB_DAEMON", sl_tools_find_daemon},
                 {"SME2LAB_NATIVE_AGENT", sl_tools_find_native_agent}};
    for (size_t i = 0; i < sizeof(tools) / sizeof(tools[0]); i++) {
        struct sl_tool tool;
        struct sl_diag diag = {.what = ""};
        write_program("", 0700);
        setenv(tools[i].variable, program, 1);
        assert_int_equal(tools[i].find(&tool, &diag), 0);
        assert_string_equal(tool.path, program);
        assert_string_equal(tool.version, "");
        write_program("", 0600);
        assert_int_equal(tools[i].find(&tool, &diag), SL_E_NOT_FOUND);
        assert_string_equal(diag.where, program);
        assert_non_null(strstr(diag.hint, tools[i].variable));
        setenv(tools[i].variable, folder, 1); /* no file */
        assert_int_equal(tools[i].find(&tool, &diag), SL_E_NOT_FOUND);
    }
}

TEST_WITH(executorchs_folder_has_its_program, set_up, tear_down)
{
    struct sl_tool tool;
    struct sl_diag diag = {.what = ""};
    setenv("SME2LAB_EXECUTORCH", folder, 1);
    assert_int_equal(sl_tools_find_executorch(&tool, &diag), SL_E_NOT_FOUND);
    assert_non_null(strstr(diag.what, "does not name ExecuTorch's folder"));
    write_program("", 0700);
    assert_int_equal(sl_tools_find_executorch(&tool, &diag), 0);
    assert_string_equal(tool.path, program);
}
