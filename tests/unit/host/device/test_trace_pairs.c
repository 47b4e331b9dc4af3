/* tests/unit/host/device/test_trace_pairs.c */
#include "host/device/trace_pairs.h"

#include <string.h>

#include "common/base/error.h"
#include "common/format/sltrace.h"
#include "host/device/count_log.h"
#include "tests/support/unit.h"

enum { MARKS = 8, RECORDS = 7 };

/* The fact that the runtime is ExecuTorch's, then an execution of each variant: a convolution that
 * is SME's in the second, and a depthwise one. */
struct run {
    struct sl_count_mark marks[MARKS];
    struct sl_trace_record records[RECORDS];
    const char *names[5];
    struct sl_trace trace;
};

static struct sl_trace_record event(uint16_t variant, uint32_t name, uint64_t start)
{
    struct sl_trace_record record = {.kind = SL_TRACE_EVENT, .variant = variant, .name = name};
    record.event.start = start;
    record.event.end = start + 1;
    record.event.event = SL_TRACE_DELEGATE;
    return record;
}

/* `costs`: instructions of off's two operators and of on's. */
static void make(struct run *run, const uint64_t costs[4])
{
    *run = (struct run){.names = {"", "runtime", "ExecuTorch 1.5.1", "Convolution", "DWConv"}};
    run->records[0] = (struct sl_trace_record){.kind = SL_TRACE_META, .name = 1, .meta.text = 2};
    for (uint16_t v = 0; v < 2; v++) {
        run->records[1 + 3 * v] = (struct sl_trace_record){.kind = SL_TRACE_BLOCK, .variant = v};
        run->records[2 + 3 * v] = event(v, 3, 4u * v);
        run->records[3 + 3 * v] = event(v, 4, 4u * v + 2);
    }
    uint64_t insns = 0;
    for (int i = 0; i < MARKS; i++) {
        insns += i % 2 ? costs[i / 2] : 10;
        run->marks[i].insns[SL_INSN_ANY] = insns;
        run->marks[i].insns[SL_INSN_SMSTART] = i >= 5;
        run->marks[i].is_end = i % 2;
    }
    run->trace = (struct sl_trace){
        .names = run->names, .name_count = 4, .record_count = RECORDS, .records = run->records};
}

static int check(const struct run *run, struct sl_diag *diag)
{
    return sl_trace_pairs_check(&run->trace, run->marks, MARKS, diag);
}

TEST(operators_of_sme_may_differ)
{
    struct run run;
    make(&run, (const uint64_t[]){3000000, 34000, 900000, 34000});
    assert_int_equal(check(&run, NULL), 0);
}

TEST(operator_without_sme_that_differs_by_one_instruction_is_named_with_both_counts)
{
    struct run run;
    struct sl_diag diag = {0};
    make(&run, (const uint64_t[]){3000000, 34001, 900000, 34000});
    assert_int_equal(check(&run, &diag), SL_E_MISMATCH);
    assert_non_null(strstr(diag.what, "DWConv"));
    assert_non_null(strstr(diag.what, "34001"));
    assert_non_null(strstr(diag.what, "34000"));
}

TEST(traces_of_our_runtime_of_one_variant_and_of_other_plans_are_let_pass)
{
    struct run run;
    make(&run, (const uint64_t[]){3000000, 64000, 900000, 34000});
    run.names[1] = "model";
    assert_int_equal(check(&run, NULL), 0);
    run.names[1] = "runtime";
    run.trace.record_count = 4;
    assert_int_equal(check(&run, NULL), 0);
    run.trace.record_count = RECORDS - 1;
    assert_int_equal(check(&run, NULL), 0);
}

TEST(marks_that_are_not_there_are_let_pass)
{
    struct run run;
    make(&run, (const uint64_t[]){3000000, 64000, 900000, 34000});
    run.records[6].event.end = MARKS + 5;
    assert_int_equal(check(&run, NULL), 0);
}
