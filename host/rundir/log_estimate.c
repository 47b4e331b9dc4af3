/* host/rundir/log_estimate.c */
#include "host/rundir/log_estimate.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "common/base/mem.h"
#include "host/analysis/block_work.h"
#include "host/analysis/estimate.h"
#include "host/device/count_log.h"

enum { PAGE_BYTES = 4096, BRANCHES = 5 /* and system instructions, by bits 28 to 26 */ };

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

static void price(const struct sl_silicon *silicon, const uint32_t *words, size_t count,
                  uint64_t pc, struct priced_block *out)
{
    sl_block_work_make(words, count, pc, &out->work);
    sl_block_cost_make(silicon, &out->work, false, &out->costs[0]);
    sl_block_cost_make(silicon, &out->work, true, &out->costs[1]);
}

/* QEMU ends a block where a page of the guest ends, though nothing branches there. */
static bool is_cut(const struct sl_count_block *block)
{
    return block->count > 0 && (block->pc + 4 * block->count) % PAGE_BYTES == 0 &&
           (block->words[block->count - 1] >> 26 & 7) != BRANCHES;
}

/* The block that follows a cut one; NULL: none was met. */
static const struct priced_block *rest_of(const struct sl_log_estimator *e,
                                          const struct sl_count_block *cut,
                                          struct sl_count_block *out)
{
    for (size_t i = 0; i < e->block_count; i++) {
        *out = sl_count_log_block(e->log, i);
        if (e->blocks[i] && out->pc == cut->pc + 4 * cut->count)
            return e->blocks[i];
    }
    return NULL;
}

/* Takes the page's end out of the price: the first part costs what both cost as one block, less the
 * rest, which runs after each. So an estimate does not depend on where the linker put the code. */
static int mend_cut(struct sl_log_estimator *e, size_t index)
{
    struct sl_count_block cut = sl_count_log_block(e->log, index), rest;
    struct priced_block *first = e->blocks[index], whole;
    const struct priced_block *second = is_cut(&cut) ? rest_of(e, &cut, &rest) : NULL;
    if (!second)
        return 0;
    uint32_t *words = sl_calloc(cut.count + rest.count, sizeof(*words));
    if (!words)
        return -ENOMEM;
    memcpy(words, cut.words, cut.count * sizeof(*words));
    memcpy(words + cut.count, rest.words, rest.count * sizeof(*words));
    price(e->silicon, words, cut.count + rest.count, cut.pc, &whole);
    sl_free(words);
    for (int s = 0; s < 2; s++) {
        const struct sl_block_cost *both = &whole.costs[s], *other = &second->costs[s];
        struct sl_block_cost *cost = &first->costs[s];
        cost->port_ns[SL_PORT_DEPENDENCE] =
            both->port_ns[SL_PORT_DEPENDENCE] - other->port_ns[SL_PORT_DEPENDENCE];
        cost->most_ns =
            both->most_ns - other->most_ns; /* below 0 if the rest is a loop by itself */
        cost->bound = cost->most_ns < 0 ? other->bound : both->bound;
    }
    return 0;
}

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
            price(silicon, block.words, block.count, block.pc, *at);
        }
    }
    for (size_t i = 0; rc == 0 && i < made->block_count; i++)
        rc = made->blocks[i] ? mend_cut(made, i) : 0;
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
