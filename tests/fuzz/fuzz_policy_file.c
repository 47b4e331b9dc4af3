/* tests/fuzz/fuzz_policy_file.c: what is kept for a device: its table of what runs in streaming
 * mode, which names families as the agent takes them, its noise floor and its roofline. */
#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "common/base/error.h"
#include "host/analysis/reach.h"
#include "host/cli/peaks_file.h"
#include "host/spec/noise_file.h"
#include "host/spec/policy_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_figures(struct sl_bytes text)
{
    struct sl_reach_roof roof;
    double floor = sl_noise_file_parse(text);
    assert(isnan(floor) || (floor > 0 && floor <= SL_NOISE_MAX_FLOOR));
    bool found = sl_peaks_file_parse(text, &roof);
    assert(isfinite(roof.bytes) && isfinite(roof.macs_f32) && isfinite(roof.macs_s8));
    assert(!found || roof.bytes > 0 || roof.macs_f32 > 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sl_policy_file file;
    struct sl_diag diag = {0};
    read_figures((struct sl_bytes){data, size});
    if (sl_policy_file_parse((struct sl_bytes){data, size}, "fuzz", &file, &diag) < 0)
        return 0;
    size_t len = strlen(file.streaming_off);
    assert(len > 0 && len < sizeof(file.streaming_off));
    assert(file.streaming_off[0] != ',' && file.streaming_off[len - 1] != ',');
    assert(strlen(file.fingerprint) == 0 || strlen(file.profile) == 0);
    char words[SL_POLICY_WORDS_BYTES];
    sl_policy_file_words(&file, words);
    size_t off = strlen(file.operators_off);
    assert(strlen(words) == len + off + (off > 0));
    return 0;
}
