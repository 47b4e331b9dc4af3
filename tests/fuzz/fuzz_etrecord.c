/* tests/fuzz/fuzz_etrecord.c */
#include "common/base/error.h"
#include "host/report/etrecord.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void look_up(const struct sl_etrecord *record, const char *name, size_t len, bool delegated)
{
    struct sl_etrecord_match match;
    char place[64], code[64];
    for (int64_t instruction = -1; instruction < 3; instruction++) {
        if (sl_etrecord_find(record, instruction, name, len, delegated, &match) < 0)
            continue;
        for (size_t i = 0; i < match.node_count; i++) {
            sl_etrecord_place(match.nodes[i], place, sizeof(place));
            sl_etrecord_code(match.nodes[i], code, sizeof(code));
        }
        sl_etrecord_match_fini(&match);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sl_diag diag;
    struct sl_etrecord record;
    if (sl_etrecord_parse((struct sl_bytes){data, size}, &record, &diag) == 0) {
        look_up(&record, "DELEGATE_CALL", 13, false);
        look_up(&record, "Part 7 of it", 12, true);
        sl_etrecord_fini(&record);
    }
    return 0;
}
