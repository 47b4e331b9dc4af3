/* host/spec/model_identity.c */
#include "host/spec/model_identity.h"

#include <stdio.h>
#include <string.h>

void sl_model_identity(const char *program, const char *data, const char *method,
                       char out[SL_SHA256_HEX_SIZE])
{
    struct sl_sha256 sha;
    const char *const parts[] = {program, data, method};
    if (!data[0] && !method[0]) {
        snprintf(out, SL_SHA256_HEX_SIZE, "%.64s", program);
        return;
    }
    sl_sha256_init(&sha);
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
        sl_sha256_update(&sha, parts[i], strlen(parts[i]) + 1); /* with its end */
    sl_sha256_final_hex(&sha, out);
}
