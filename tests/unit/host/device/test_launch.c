#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/base/child.h"
#include "common/base/error.h"
#include "host/device/count_log.h"
#include "host/device/launch.h"
#include "tests/support/test.h"

static char folder[] = "/tmp/sl-launch-XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    char command[64];
    snprintf(command, sizeof(command), "rm -rf %s", folder);
    return system(command);
}

/* A shell script that stands for a program; its path is static storage. */
static const char *script(const char *name, const char *text)
{
    static char path[128];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "#!/bin/sh\n%s\n", text);
    fclose(file);
    assert_int_equal(chmod(path, 0700), 0);
    return path;
}

/* Stands for the emulator: its log is what it is told to write to the word after -D. */
static const char fake_emulator[] =
    "[ \"$1\" = --version ] && { echo 'qemu-aarch64 version 11.1.3 (Debian)'; exit; }\n"
    "while [ \"$1\" != -D ]; do shift; done\n"
    "printf '%s\\n' ---------------- 'IN: f' '0x00002000:  80812000  fmopa' '' "
    "'Trace 0: 0xb0 [1/0000000000002000/1/1] f' 'Trace 0: 0xb0 [1/0000000000002000/1/1] f' >$2\n"
    "echo \"$@\"; exit 3";

static void open_device(struct sl_device *device)
{
    struct sl_diag diag = {0};
    setenv("SME2LAB_EMULATOR", script("emulator", fake_emulator), 1);
    setenv("SME2LAB_AGENT", script("agent", ""), 1);
    assert_int_equal(sl_device_open(SL_DEVICE_COUNTED, 512, NULL, device, &diag), 0);
}

TEST(the_log_reaches_the_counter)
{
    struct sl_device device;
    open_device(&device);
    assert_string_equal(device.emulator.version, "11.1.3");
    assert_string_equal(device.cpu, "max,sme512=on");
    const char *args[] = {"run", "--json", NULL};
    struct sl_launch launch = {.args = args, .timeout_ms = 10000};
    struct sl_child_result result;
    struct sl_diag diag = {0};
    assert_int_equal(sl_count_log_new(NULL, &launch.log), 0);
    assert_int_equal(sl_device_launch(&device, &launch, &result, &diag), 0);
    assert_int_equal(result.exit_code, 3);
    assert_non_null(strstr((char *)result.out.data, "agent run --json\n"));
    assert_int_equal(sl_count_log_counted(launch.log, SL_INSN_OUTER), 2);
    sl_count_log_free(launch.log);
    sl_child_fini(&result);
}

TEST(an_agent_that_is_no_program_cannot_count)
{
    struct sl_device device;
    struct sl_count_log *log = NULL;
    struct sl_diag diag = {0};
    open_device(&device);
    assert_int_equal(sl_device_new_log(&device, &log, &diag), SL_E_TRUNCATED);
    assert_string_equal(diag.where, device.agent.path);
    assert_null(log);
}

TEST(an_old_emulator_is_refused_with_the_fix)
{
    struct sl_device device;
    struct sl_diag diag = {0};
    setenv("SME2LAB_EMULATOR", script("emulator", "echo qemu-aarch64 version 7.2.1"), 1);
    assert_int_equal(sl_device_open(SL_DEVICE_COUNTED, 512, NULL, &device, &diag), SL_E_NOT_FOUND);
    assert_non_null(strstr(diag.what, "7.2.1"));
    assert_non_null(strstr(diag.hint, "scripts/setup"));
}

TEST(a_missing_emulator_or_agent_is_said)
{
    struct sl_device device;
    struct sl_diag diag = {0};
    setenv("SME2LAB_EMULATOR", "/nowhere/qemu", 1);
    assert_int_equal(sl_device_open(SL_DEVICE_COUNTED, 512, NULL, &device, &diag), SL_E_NOT_FOUND);
    assert_string_equal(diag.where, "/nowhere/qemu");
    setenv("SME2LAB_EMULATOR", script("emulator", fake_emulator), 1);
    setenv("SME2LAB_AGENT", "/nowhere/agent", 1);
    assert_int_equal(sl_device_open(SL_DEVICE_COUNTED, 512, NULL, &device, &diag), SL_E_NOT_FOUND);
    assert_string_equal(diag.where, "/nowhere/agent");
}

TEST(an_impossible_vector_length_is_refused)
{
    struct sl_device device;
    struct sl_diag diag = {0};
    static const unsigned bad[] = {0, 64, 384, 4096};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_int_equal(sl_device_open(SL_DEVICE_COUNTED, bad[i], NULL, &device, &diag),
                         SL_E_UNSUPPORTED);
}

TEST_GROUP(make_folder, remove_folder);
