/* tests/unit/host/job/test_runner_gate.c */
#include "host/job/runner_gate.h"

#include "tests/support/test.h"

static unsigned asked;

static void on_start(void *user, const struct sl_job_record *job, const char *config_json,
                     const struct sl_device_record *device)
{
    assert_ptr_equal(user, &asked);
    assert_int_equal(job->id, 7);
    assert_string_equal(config_json, "{}");
    assert_string_equal(device->name, "box");
    asked |= 1;
}

static void on_cancel(void *user, uint64_t job, const char *device)
{
    assert_ptr_equal(user, &asked);
    assert_int_equal(job, 7);
    assert_string_equal(device, "box");
    asked |= 2;
}

static uint64_t on_held(void *user, const char *device)
{
    assert_ptr_equal(user, &asked);
    assert_string_equal(device, "box");
    asked |= 4;
    return 7;
}

static void on_forget(void *user, const char *device)
{
    assert_ptr_equal(user, &asked);
    assert_string_equal(device, "box");
    asked |= 8;
}

static void on_lend(void *user, const char *device, bool lent)
{
    assert_ptr_equal(user, &asked);
    assert_string_equal(device, "box");
    assert_true(lent);
    asked |= 16;
}

/* Makes all five calls and gives those that came through. */
static unsigned ask_all(struct sl_runner_gate *gate, uint64_t held)
{
    const struct sl_job_record job = {.id = 7};
    const struct sl_device_record device = {.name = "box"};
    struct sl_runner runner = sl_runner_gate(gate);
    asked = 0;
    runner.start(runner.user, &job, "{}", &device);
    runner.cancel(runner.user, 7, "box");
    assert_int_equal(runner.held(runner.user, "box"), held);
    runner.forget(runner.user, "box");
    runner.lend(runner.user, "box", true);
    return asked;
}

TEST(an_open_gate_passes_all_on_and_a_shut_one_nothing)
{
    struct sl_runner_gate gate = {{on_start, on_cancel, &asked, on_held, on_forget, on_lend},
                                  false};
    assert_int_equal(ask_all(&gate, 7), 1 | 2 | 4 | 8 | 16);
    gate.shut = true;
    assert_int_equal(ask_all(&gate, 0), 0);
}

TEST(what_the_runner_behind_has_not_got_is_not_asked)
{
    struct sl_runner_gate gate = {{on_start, on_cancel, &asked, NULL, NULL, NULL}, false};
    assert_int_equal(ask_all(&gate, 0), 1 | 2);
}
