/* common/base/run_id.h: the number of a run between hosts and agents: 128 bits, so that no two labs
 * give one number twice. Texts, files and folders have it as 32 hex digits. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { SL_RUN_ID_TEXT = 33 };

struct sl_run_id {
    uint64_t high, low; /* both 0: no run */
};

bool sl_run_id_is_none(struct sl_run_id id);
bool sl_run_ids_equal(struct sl_run_id a, struct sl_run_id b);
void sl_run_id_text(struct sl_run_id id, char out[SL_RUN_ID_TEXT]);
/* Takes 32 hex digits in lower case, or the decimal number below 2^64 that a run had before it had
 * 128 bits, without a leading 0. False for anything else and for no run; then *out is as it was. */
bool sl_run_id_read(const char *text, struct sl_run_id *out);
