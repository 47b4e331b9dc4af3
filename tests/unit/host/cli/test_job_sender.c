/* tests/unit/host/cli/test_job_sender.c: which device a submitted job goes to, out of those of a
 * real server: "box" counts instructions, "phone" is this machine. */
#include <stdio.h>
#include <string.h>

#include "host/cli/exit_code.h"
#include "host/job/lab.h"
#include "host/spec/device_kind.h"
#include "tests/support/cli_case.h"
#include "tests/support/http_case.h"
#include "tests/support/test.h"

#define TOY SL_TEST_DATA "/models/toy_cnn_f32_xnnpack/"
#define SUBMIT(...)                                                                                \
    SAY("submit", TOY "model.pte", "--inputs", TOY "input-0.bin", "--device", __VA_ARGS__)

static int open_all(void **state)
{
    sl_cli_case_open(state);
    struct sl_lab *lab = sl_cli_case_server()->lab;
    assert_int_equal(sl_lab_add_device(lab, "counted-256", SL_DEVICE_COUNTED), 0);
    sl_lab_tell_device(lab, "box", sl_device_kind_traits(SL_DEVICE_COUNTED), "max,sme512=on");
    sl_lab_tell_device(lab, "counted-256", sl_device_kind_traits(SL_DEVICE_COUNTED),
                       "max,sme256=on");
    return 0;
}

TEST_GROUP(open_all, sl_cli_case_close);

/* The last job that was submitted waits for, or has, this device. */
static void wants(const char *device)
{
    char job[16], line[64];
    sl_verb_case_exited(SL_EXIT_DONE);
    snprintf(job, sizeof(job), "%.*s", (int)strcspn(sl_verb_case.out, "\n"), sl_verb_case.out);
    SAY("show", "--job", job, "--json");
    snprintf(line, sizeof(line), "\"selector\":\"%s\"", device);
    sl_verb_case_printed(line);
    SAY("cancel", job);
    sl_verb_case_exited(SL_EXIT_DONE);
}

TEST(a_kind_is_the_device_of_that_kind)
{
    SUBMIT("local");
    wants("phone");
    SUBMIT("counted", "--svl", "256");
    wants("counted-256");
    SUBMIT("phone");
    wants("phone");
}

TEST(a_kind_that_the_lab_has_not_is_refused)
{
    SUBMIT("counted", "--svl", "2048");
    sl_verb_case_exited(SL_EXIT_LAB);
    sl_verb_case_complained("The lab has no device of kind counted with vectors of 2048 bits");
    SUBMIT("emulated");
    sl_verb_case_exited(SL_EXIT_LAB);
    sl_verb_case_complained("The lab has no device of kind emulated");
    sl_verb_case_complained("'sme2lab run --server private' measures on this machine");
}

TEST(a_device_keeps_its_own_vector_length)
{
    SUBMIT("box", "--svl", "256");
    sl_verb_case_exited(SL_EXIT_USAGE);
    sl_verb_case_complained("The device 'box' has its own vector length");
}

TEST(conditions_are_left_to_the_daemon_where_all_that_fit_have_one_unit)
{
    SUBMIT("kind=counted");
    wants("kind=counted");
    SUBMIT("kind=local");
    wants("kind=local");
    SUBMIT("state=ready");
    assert_int_not_equal(sl_verb_case.code, SL_EXIT_DONE);
    SUBMIT("sme2=moon");
    sl_verb_case_exited(SL_EXIT_USAGE);
    sl_verb_case_complained("--device");
}

/* Nobody knows yet whether either has SME2. */
TEST(conditions_that_devices_of_both_units_fit_are_refused)
{
    SUBMIT("sme2=yes");
    sl_verb_case_exited(SL_EXIT_USAGE);
    sl_verb_case_complained("Some of the devices that fit count instructions, others measure time");
}
