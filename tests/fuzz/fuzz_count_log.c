/* Fuzz target of host/device/count_log: the input is a log, pushed whole and then in cuts that its
 * first byte chooses; both must count the same. */
#include <stdint.h>
#include <stdlib.h>

#include "host/device/count_log.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct sl_count_marks marks = {.pause = 0x1000,
                                            .resume = 0x1010,
                                            .begin = 0x1020,
                                            .end = 0x1030,
                                            .zero = 0x1040,
                                            .one = 0x1050};

static void visit(void *user, const struct sl_count_insn *insn)
{
    uint64_t *sum = user;
    *sum += insn->total;
}

/* The spans add up to what was counted. */
static void check_spans(const struct sl_count_log *log)
{
    size_t count;
    uint64_t insns = 0;
    const struct sl_count_span *spans = sl_count_log_spans(log, &count);
    const struct sl_count_entry *entries = sl_count_log_entries(log);
    for (size_t s = 0; s < count; s++) {
        for (size_t i = spans[s].first; i < spans[s].first + spans[s].count; i++)
            insns +=
                spans[s].times * entries[i].times * sl_count_log_block(log, entries[i].block).count;
    }
    if (insns != sl_count_log_counted(log, SL_INSN_ANY))
        abort();
}

static uint64_t count(const uint8_t *data, size_t size, size_t step, int *out_rc)
{
    struct sl_count_log *log = NULL;
    uint64_t sum = 0;
    if (sl_count_log_new(&marks, &log) < 0)
        return 0;
    sl_count_log_keep_spans(log, NULL);
    for (size_t at = 0; at < size; at += step) {
        if (sl_count_log_push(log, data + at, size - at < step ? size - at : step, NULL) < 0)
            break;
    }
    *out_rc = sl_count_log_finish(log, NULL);
    sl_count_log_each(log, visit, &sum);
    if (sum != sl_count_log_counted(log, SL_INSN_ANY) + sl_count_log_uncounted(log))
        abort();
    if (*out_rc == 0)
        check_spans(log);
    sl_count_log_free(log);
    return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int whole_rc = 0, cut_rc = 0;
    uint64_t whole = count(data, size, size ? size : 1, &whole_rc);
    uint64_t cut = count(data, size, size ? (size_t)data[0] % 97 + 1 : 1, &cut_rc);
    if (whole != cut || whole_rc != cut_rc)
        abort();
    return 0;
}
