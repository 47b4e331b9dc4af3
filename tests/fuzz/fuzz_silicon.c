/* tests/fuzz/fuzz_silicon.c: any bytes as a silicon profile; what reads estimates a block. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "common/base/error.h"
#include "host/analysis/block_work.h"
#include "host/analysis/estimate.h"
#include "host/analysis/silicon.h"
#include "host/report/silicon_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The same bytes as a list of names; a path would be another's file. */
static void load_names(const uint8_t *data, size_t size)
{
    char names[64], one[SL_SILICON_NAME_BYTES];
    struct sl_silicon silicon;
    struct sl_diag diag = {.what = ""};
    const char *at = names;
    snprintf(names, sizeof(names), "%.*s", (int)(size < 60 ? size : 60), (const char *)data);
    while (!strchr(names, '/') && sl_silicon_next_name(&at, one))
        sl_silicon_load(one, &silicon, &diag);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint32_t words[] = {0x80812000, 0x4e22cc20, 0xa048c050, 0x54ffffa1};
    static const struct sl_estimate_traffic traffic = {.bytes = 1e6, .footprint = 1e6};
    static const struct sl_estimate_data once = {
        .traffic = &traffic, .traffic_count = 1, .calls = 1, .passes = 1};
    struct sl_silicon silicon;
    struct sl_diag diag = {.what = ""};
    struct sl_block_work work;
    struct sl_block_cost cost;
    struct sl_estimate_stage stage = {.streaming = true};
    struct sl_estimate estimate = {0};
    load_names(data, size);
    if (sl_silicon_parse((struct sl_bytes){data, size}, "fuzz", &silicon, &diag) < 0)
        return 0;
    sl_block_work_make(words, 4, 0x1000, &work);
    sl_block_cost_make(&silicon, &work, true, &cost);
    sl_estimate_stage_add(&stage, &work, &cost, 1000);
    sl_estimate_add(&estimate, &silicon, &stage, 1);
    sl_estimate_finish(&estimate, &silicon, &once);
    if (!(estimate.low_ns <= estimate.mid_ns && estimate.mid_ns <= estimate.high_ns))
        __builtin_trap();
    return 0;
}
