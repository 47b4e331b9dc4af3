/* tests/unit/host/analysis/test_replication.c */
#include "host/analysis/replication.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/format/sltrace.h"
#include "host/analysis/attribution.h"
#include "host/analysis/comparison.h"
#include "host/analysis/random.h"
#include "host/analysis/verdict.h"
#include "tests/support/test.h"

enum { PAIRS = 30, MOST = 10 };

/* A cold run, then 30 pairs of a process; the candidate is `ratio` times as fast. */
struct process {
    struct sl_attribution_run runs[2][PAIRS + 1];
    struct sl_attribution sides[2];
    struct sl_comparison comparison;
};

static struct process processes[MOST];

static void fill(struct process *p, double ratio, struct sl_random *random)
{
    const struct sl_comparison_options options = {.seed = 1, .iterations = 200, .noise_floor = NAN};
    for (int side = 0; side < 2; side++) {
        for (uint32_t i = 0; i <= PAIRS; i++) {
            double noise = 0.999 + 0.002 * (double)sl_random_below(random, 1001) / 1000;
            double time = 1e6 * noise / (side ? ratio : 1);
            p->runs[side][i] = (struct sl_attribution_run){
                .warmup = i == 0, .pair = i == 0 ? UINT32_MAX : i - 1, .run = i};
            p->runs[side][i].end_to_end = (int64_t)(i == 0 ? 9 * time : time);
        }
        p->sides[side] = (struct sl_attribution){.unit = SL_TRACE_NS,
                                                 .traced = true,
                                                 .runs = p->runs[side],
                                                 .run_count = PAIRS + 1,
                                                 .measured_count = PAIRS};
    }
    assert_int_equal(sl_comparison_make(&p->sides[0], &p->sides[1], &options, &p->comparison), 0);
}

static struct sl_comparison judge(size_t count)
{
    struct sl_replica replicas[MOST];
    struct sl_comparison found;
    for (size_t i = 0; i < count; i++)
        replicas[i] = (struct sl_replica){&processes[i].sides[0], &processes[i].sides[1],
                                          &processes[i].comparison};
    assert_int_equal(sl_replication_make(replicas, count, &found), 0);
    return found;
}

static void end(size_t count)
{
    for (size_t i = 0; i < count; i++)
        sl_comparison_fini(&processes[i].comparison);
}

/* Sum of 12: about normal, of deviation 1. */
static double normal(struct sl_random *random)
{
    double sum = 0;
    for (int i = 0; i < 12; i++)
        sum += (double)sl_random_below(random, 100001) / 100000;
    return sum - 6;
}

TEST(an_offset_of_each_process_is_no_speed_up)
{
    size_t alone = 0, together = 0;
    for (uint64_t seed = 0; seed < 100; seed++) {
        struct sl_random random = {seed};
        for (size_t i = 0; i < 5; i++)
            fill(&processes[i], exp(0.03 * normal(&random)), &random);
        int verdict = processes[0].comparison.verdict;
        alone += verdict == SL_VERDICT_FASTER || verdict == SL_VERDICT_SLOWER;
        struct sl_comparison c = judge(5);
        assert_int_equal(c.method, SL_METHOD_PROCESSES);
        assert_int_equal(c.blocks, 5);
        together += c.verdict == SL_VERDICT_FASTER || c.verdict == SL_VERDICT_SLOWER;
        sl_comparison_fini(&c);
        end(5);
    }
    assert_true(alone > 50);     /* one process is fooled by its own offset */
    assert_true(together <= 10); /* 5 % of 100 and what chance adds */
}

TEST(what_all_processes_show_is_found)
{
    struct sl_random random = {7};
    for (size_t i = 0; i < 5; i++)
        fill(&processes[i], 1.2 * exp(0.01 * normal(&random)), &random);
    struct sl_comparison c = judge(5);
    assert_int_equal(c.verdict, SL_VERDICT_FASTER);
    assert_true(c.low > 1.1 && c.low < 1.2 && c.high > 1.2 && c.high < 1.3);
    assert_true(c.baseline > 0.99e6 && c.baseline < 1.01e6); /* of no cold run */
    sl_comparison_fini(&c);
    end(5);
}

TEST(a_process_that_is_unfit_or_wrong_makes_all_so)
{
    struct sl_random random = {7};
    for (size_t i = 0; i < 3; i++)
        fill(&processes[i], 1.2, &random);
    processes[1].comparison.verdict = SL_VERDICT_UNFIT;
    processes[2].comparison.verdict = SL_VERDICT_WRONG;
    struct sl_comparison c = judge(2);
    assert_int_equal(c.verdict, SL_VERDICT_UNFIT);
    assert_non_null(strstr(c.reasons[c.reason_count - 1], "process 2 is unfit by itself"));
    c = judge(3);
    assert_int_equal(c.verdict, SL_VERDICT_WRONG);
    end(3);
}

static void make_cold(struct process *p)
{
    for (uint32_t i = 0; i <= PAIRS; i++)
        p->runs[0][i].warmup = p->runs[1][i].warmup = true;
}

TEST(processes_without_a_steady_pair_are_no_sample)
{
    struct sl_random random = {7};
    for (size_t i = 0; i < 3; i++)
        fill(&processes[i], 1.2, &random);
    make_cold(&processes[1]);
    struct sl_comparison c = judge(3);
    assert_int_equal(c.blocks, 2);
    assert_non_null(strstr(c.reasons[c.reason_count - 1], "1 of the 3 processes have no steady"));
    sl_comparison_fini(&c);
    make_cold(&processes[2]);
    c = judge(3);
    assert_int_equal(c.verdict, SL_VERDICT_INCONCLUSIVE);
    assert_non_null(strstr(c.reasons[c.reason_count - 1], "fewer than two of the 3"));
    sl_comparison_fini(&c);
    end(3);
}

TEST(counts_must_be_equal_in_every_process)
{
    struct sl_random random = {7};
    for (size_t i = 0; i < 3; i++) {
        fill(&processes[i], 1.2, &random);
        processes[i].comparison.unit = SL_TRACE_INSTRUCTIONS;
        processes[i].comparison.method = SL_METHOD_EXACT;
        processes[i].comparison.baseline = 300;
        processes[i].comparison.candidate = 200;
        processes[i].comparison.verdict = SL_VERDICT_FASTER;
    }
    struct sl_comparison c = judge(3);
    assert_string_equal(sl_verdict_name(&c), "fewer-instructions");
    assert_int_equal(c.blocks, 3);
    assert_non_null(strstr(c.reasons[0], "3 processes counted the same to the instruction"));
    processes[2].comparison.candidate = 201;
    c = judge(3);
    assert_int_equal(c.verdict, SL_VERDICT_UNFIT);
    end(3);
}

TEST(each_failed_allocation_is_survived)
{
    struct sl_random random = {7};
    struct sl_replica replicas[2];
    int rc = -ENOMEM;
    for (size_t i = 0; i < 2; i++) {
        fill(&processes[i], 1.2, &random);
        replicas[i] = (struct sl_replica){&processes[i].sides[0], &processes[i].sides[1],
                                          &processes[i].comparison};
    }
    for (unsigned nth = 1; rc == -ENOMEM; nth++) {
        struct sl_comparison c;
        sl_mem_fail_nth(nth);
        rc = sl_replication_make(replicas, 2, &c);
        sl_mem_fail_nth(0);
        if (rc == 0)
            sl_comparison_fini(&c);
    }
    assert_int_equal(rc, 0);
    end(2);
}
