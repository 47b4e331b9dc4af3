/* tests/unit/host/job/test_task.c */
#include "host/job/task.h"

#include <string.h>

#include "host/spec/spec.h"
#include "tests/support/test.h"

static void assert_words(const struct sl_spec *spec, bool counted, const char *wanted)
{
    const char *words[SL_LINK_MAX_TASK];
    char all[256] = "";
    size_t n = sl_task_words(spec, counted, words);
    for (size_t i = 0; i < n; i++) {
        strcat(all, i > 0 ? " " : "");
        strcat(all, words[i]);
    }
    assert_string_equal(all, wanted);
}

TEST(each_task_has_its_words)
{
    struct sl_spec spec;
    sl_spec_init(&spec);
    assert_words(&spec, false, "");
    spec.task = SL_TASK_PROBE;
    assert_words(&spec, false, "probe --json");
    spec.task = SL_TASK_KERNELS;
    assert_words(&spec, false, "kernels --list --json");
    spec.task = SL_TASK_PLAN;
    assert_words(&spec, false, "plan");
    spec.task = SL_TASK_PEAKS;
    assert_words(&spec, false, "kernels --peaks --clock ns");
    spec.task = SL_TASK_BENCH;
    spec.arguments[0] = "--each";
    spec.arguments[1] = "pool";
    spec.arguments_count = 2;
    assert_words(&spec, true, "kernels --each pool --clock marks");
}

TEST(a_result_is_called_after_its_job)
{
    char name[SL_TASK_NAME_BYTES];
    sl_task_file_name(UINT64_MAX, name);
    assert_string_equal(name, "18446744073709551615.json");
}
