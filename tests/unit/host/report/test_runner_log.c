/* tests/unit/host/report/test_runner_log.c */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "tests/support/test.h"

#include "host/report/runner_log.h"

static struct sl_runner_log read_text(const char *text)
{
    struct sl_runner_log log;
    sl_runner_log_read((struct sl_bytes){(const uint8_t *)text, strlen(text)}, &log);
    return log;
}

TEST(the_lines_of_a_whole_run_give_its_figures)
{
    struct sl_runner_log log = read_text(
        "I 00:00:00.065253 executorch:executor_runner.cpp:629] Model loaded in 24.5 ms.\n"
        "I 00:00:00.138482 executorch:executor_runner.cpp:785] Iteration 1 of 6: 72.4 ms\n"
        "I 00:00:00.416899 executorch:executor_runner.cpp:794] Model executed "
        "successfully 6 time(s) in 348.25 ms.\nOutputX 0: tensor(sizes=[1], [1.])");
    assert_true(log.has_loaded && log.has_total);
    assert_float_equal(log.loaded_ms, 24.5, 0);
    assert_float_equal(log.total_ms, 348.25, 0);
    assert_int_equal(log.executions, 6);
}

TEST(a_log_without_the_lines_or_with_odd_figures_gives_none)
{
    static const char *const texts[] = {
        "",
        "x] Model loaded in nan ms.",
        "x] Model loaded in 1 s.",
        "x] Model executed successfully -1 time(s) in 1 ms.",
        "x] Model executed successfully 4294967296 time(s) in 1 ms.",
        "x] Model executed successfully 1 time(s) in 1e999 ms.",
        "x] Model executed successfully 1 time(s) in 1 ms. and more",
    };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct sl_runner_log log = read_text(texts[i]);
        assert_false(log.has_loaded || log.has_total);
    }
}
