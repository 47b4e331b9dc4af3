/* host/rundir/log_estimate.c */
#include "host/rundir/log_estimate.h"

#include <errno.h>
#include <stdbool.h>

#include "common/base/mem.h"
#include "host/analysis/block_work.h"
#include "host/analysis/estimate.h"
#include "host/device/count_log.h"

struct priced_block {
    struct sl_block_work work;
    struct sl_block_cost costs[2]; /* outside of streaming mode and in it */
};

struct sl_log_estimator {
    const struct sl_count_log *log;
    const struct sl_silicon *silicon;
    struct priced_block **blocks; /* owned; each made when it is first met */
    size_t block_count;
};

int sl_log_estimator_new(const struct sl_count_log *log, const struct sl_silicon *silicon,
                         struct sl_log_estimator **out)
{
    size_t span_count;
    struct sl_log_estimator *made = sl_calloc(1, sizeof(*made));
    if (!made)
        return -ENOMEM;
    *made = (struct sl_log_estimator){
        .log = log, .silicon = silicon, .block_count = sl_count_log_blocks(log)};
    made->blocks = sl_calloc(made->block_count + 1, sizeof(struct priced_block *));
    const struct sl_count_span *spans = sl_count_log_spans(log, &span_count);
    const struct sl_count_entry *entries = sl_count_log_entries(log);
    int rc = made->blocks ? 0 : -ENOMEM;
    for (size_t s = 0; rc == 0 && s < span_count; s++) {
        for (size_t i = spans[s].first; rc == 0 && i < spans[s].first + spans[s].count; i++) {
            struct priced_block **at = &made->blocks[entries[i].block];
            struct sl_count_block block = sl_count_log_block(log, entries[i].block);
            if (*at)
                continue;
            *at = sl_calloc(1, sizeof(**at));
            if (!*at) {
                rc = -ENOMEM;
                break;
            }
            sl_block_work_make(block.words, block.count, block.pc, &(*at)->work);
            sl_block_cost_make(silicon, &(*at)->work, false, &(*at)->costs[0]);
            sl_block_cost_make(silicon, &(*at)->work, true, &(*at)->costs[1]);
        }
    }
    if (rc < 0)
        sl_log_estimator_free(made);
    else
        *out = made;
    return rc;
}

void sl_log_estimator_free(struct sl_log_estimator *estimator)
{
    if (!estimator)
        return;
    for (size_t i = 0; estimator->blocks && i < estimator->block_count; i++)
        sl_free(estimator->blocks[i]);
    sl_free(estimator->blocks);
    sl_free(estimator);
}

void sl_log_estimator_add(const struct sl_log_estimator *estimator, size_t from, size_t to,
                          struct sl_estimate *estimate)
{
    size_t span_count;
    const struct sl_count_span *spans = sl_count_log_spans(estimator->log, &span_count);
    const struct sl_count_entry *entries = sl_count_log_entries(estimator->log);
    size_t low = 0, high = span_count; /* the first with that many marks before it */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (spans[middle].mark < from)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < span_count && spans[low].mark < to; low++) {
        const struct sl_count_span *span = &spans[low];
        struct sl_estimate_stage stage = {.streaming = span->streaming};
        for (size_t i = span->first; i < span->first + span->count; i++) {
            const struct priced_block *block = estimator->blocks[entries[i].block];
            sl_estimate_stage_add(&stage, &block->work, &block->costs[stage.streaming],
                                  entries[i].times);
        }
        sl_estimate_add(estimate, estimator->silicon, &stage, span->times);
    }
}
