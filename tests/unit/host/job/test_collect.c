/* tests/unit/host/job/test_collect.c */
#include "host/job/collect.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <uv.h>

#include "common/base/mem.h"
#include "host/device/link_job.h"
#include "host/job/kept_list.h"
#include "host/records.h"
#include "tests/support/test.h"

#define DIGEST "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
static const char config[] = "{\"model\":\"" DIGEST "\",\"device\":\"board\",\"runs\":3}";
static const struct sl_collect_wish wish = {{"a store", 7, 1764000000000, 1}, "board", config};
static const uint64_t started_ms = 1764000000005;

struct seen {
    unsigned times;
    bool collects;
    char config[512];
};

static void on_done(void *user, const char *config_json)
{
    struct seen *seen = user;
    seen->times++;
    seen->collects = config_json != NULL;
    snprintf(seen->config, sizeof(seen->config), "%s", config_json ? config_json : "");
}

static void tell(struct sl_kept_list *list, struct sl_run_id id, int outcome)
{
    const struct sl_link_kept kept = {.job = id, .bytes = 10, .outcome = outcome};
    const struct sl_link_told told = {
        .job = id, .started_ms = started_ms, .config = config, .host = "a"};
    assert_int_equal(sl_kept_list_take(list, &kept, 1), 0);
    assert_int_equal(sl_kept_list_told(list, &told), 0);
}

static struct seen look(const struct sl_collect_wish *what, const struct sl_kept_list *list,
                        bool stop)
{
    struct seen seen = {.times = 0};
    struct sl_collect *collect = NULL;
    uv_loop_t loop;
    assert_int_equal(uv_loop_init(&loop), 0);
    assert_int_equal(sl_collect_start(&loop, list, what, on_done, &seen, &collect), 0);
    assert_int_equal(seen.times, 0);
    if (stop)
        sl_collect_stop(collect);
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&loop), 0);
    return seen;
}

TEST(what_the_start_before_left_is_collected)
{
    struct sl_kept_list list = {.count = 0};
    tell(&list, sl_kept_id(&wish.before), SL_OUTCOME_DONE);
    struct seen seen = look(&wish, &list, false);
    assert_int_equal(seen.times, 1);
    assert_true(seen.collects);
    char id[SL_RUN_ID_TEXT], said[64];
    sl_run_id_text(sl_kept_id(&wish.before), id);
    snprintf(said, sizeof(said), "\"id\":\"%s\"", id);
    assert_non_null(strstr(seen.config, said));
    assert_non_null(strstr(seen.config, "\"started_ms\":1764000000005"));
    assert_int_equal(look(&wish, &list, true).times, 0);
    sl_kept_list_fini(&list);
}

/* The daemon of the second start ended before it had looked. */
TEST(what_the_first_start_left_is_collected_by_the_third)
{
    struct sl_kept_list list = {.count = 0};
    tell(&list, sl_kept_id(&wish.before), SL_OUTCOME_DONE);
    struct sl_collect_wish third = wish;
    third.before.attempt = 2;
    struct seen seen = look(&third, &list, false);
    assert_true(seen.times == 1 && seen.collects);
    sl_kept_list_fini(&list);
}

TEST(what_never_began_there_is_not)
{
    struct sl_kept_list list = {.count = 0};
    tell(&list, sl_kept_id(&wish.before), SL_OUTCOME_NOT_STARTED);
    struct seen seen = look(&wish, &list, false);
    assert_true(seen.times == 1 && !seen.collects);
    sl_kept_list_fini(&list);
}

TEST(without_a_word_of_the_device_patience_ends)
{
    struct sl_kept_list list = {.count = 0};
    uint64_t before = uv_hrtime();
    tell(&list, (struct sl_run_id){4, 7}, SL_OUTCOME_DONE); /* another lab's, of that job too */
    struct seen seen = look(&wish, &list, false);
    assert_true(seen.times == 1 && !seen.collects);
    assert_true(uv_hrtime() - before >= SL_COLLECT_PATIENCE_MS * UINT64_C(900000));
    sl_kept_list_fini(&list);
}

TEST(each_failed_allocation_is_survived)
{
    struct sl_kept_list list = {.count = 0};
    struct sl_collect *collect = NULL;
    uv_loop_t loop;
    assert_int_equal(uv_loop_init(&loop), 0);
    for (unsigned nth = 1; nth <= 2; nth++) {
        sl_mem_fail_nth(nth);
        assert_int_equal(sl_collect_start(&loop, &list, &wish, on_done, NULL, &collect), -ENOMEM);
        assert_null(collect);
    }
    sl_mem_fail_nth(0);
    assert_int_equal(uv_loop_close(&loop), 0);
}
