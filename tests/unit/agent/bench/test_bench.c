/* tests/unit/agent/bench/test_bench.c: the verb `kernels`: every kernel of this CPU listed, and
 * benched on the shapes that are usual for it. */
#include "agent/bench/bench.h"

#include <stdio.h>
#include <string.h>

#include "tests/support/test.h"
#include "tests/support/verb_case.h"

static int begin(void **state)
{
    (void)state;
    sl_verb_case.program = sl_bench_main;
    sl_verb_case.name = "kernels";
    return 0;
}

TEST_GROUP(begin, NULL);

TEST(every_kernel_is_listed_for_people_and_programs)
{
    SAY("--list");
    sl_verb_case_exited(0);
    sl_verb_case_printed("sl_conv_f32");
    SAY("--list", "--json");
    sl_verb_case_exited(0);
    sl_verb_case_printed("{");
    sl_verb_case_printed("\"sl_conv_f32");
}

/* The names that the list has, a kernel a line of JSON or text. */
static size_t next_kernel(const char **at, char out[128])
{
    const char *name = strstr(*at, "sl_");
    if (!name)
        return 0;
    size_t len = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_");
    snprintf(out, 128, "%.*s", (int)len, name);
    *at = name + len;
    return len;
}

/* On the counted clock a bench executes each shape but a few times. */
TEST(each_kernel_of_this_cpu_runs_on_its_usual_shape)
{
    static char list[SL_VERB_CASE_BYTES];
    const char *at = list;
    char name[128];
    unsigned benched = 0;
    SAY("--list");
    memcpy(list, sl_verb_case.out, sizeof(list));
    while (next_kernel(&at, name) > 0) {
        if (strstr(name, "_sme") || strstr(name, "_neon") || strstr(name, "_sve"))
            continue; /* of another CPU */
        SAY("--kernel", name, "--clock", "marks", "--json", "--skip-absent");
        if (sl_verb_case.code != 0)
            fail_msg("%s: %s%s", name, sl_verb_case.out, sl_verb_case.err);
        benched++;
    }
    assert_true(benched > 20);
}

TEST(a_shape_is_benched_with_time_and_work)
{
    SAY("--bench", "matmul:32x32x32", "--json", "--seed", "3");
    if (sl_verb_case.code != 0)
        fail_msg("%s", sl_verb_case.err);
    sl_verb_case_printed("\"ns\":");
}

TEST(what_cannot_be_benched_is_refused_with_the_usage)
{
    static const struct {
        const char *words[5], *complaint;
    } cases[] = {
        {{"--bench", "cheese:1x1"}, "not a shape that can be benched: 'cheese:1x1'"},
        {{"--kernel", "sl_no_such_kernel"}, "no kernel is called 'sl_no_such_kernel'"},
        {{"--each", "cheese"}, "no family of kernels is called 'cheese'"},
        {{"--seed", "x"}, "bad option or value: 'x'"},
        {{"--clock", "sundial"}, "bad option or value: 'sundial'"},
        {{"--seed"}, "no such option, or no value for '--seed'"},
        {{"cheese"}, "'cheese'"},
        {{"--json"}, "say one of --list, --peaks"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const char *const *w = cases[i].words;
        SAY(w[0], w[1], w[2], w[3], w[4]);
        sl_verb_case_exited(2);
        sl_verb_case_complained(cases[i].complaint);
        sl_verb_case_complained("usage: sme2lab-agent kernels");
    }
    SAY("--help");
    sl_verb_case_exited(0);
    sl_verb_case_printed("usage: sme2lab-agent kernels --list");
}
