/* agent/run/vector_length.c */
#include "agent/run/vector_length.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "common/base/error.h"
#include "kernels/cpu/isa.h"

static int refuse(uint32_t bits, uint32_t lengths, struct sl_diag *diag)
{
    char text[64] = "";
    size_t at = 0;
    for (uint32_t bytes = 16; bytes <= 256; bytes *= 2) {
        if (lengths & bytes)
            at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%u", at > 0 ? ", " : "",
                                   8 * bytes);
    }
    if (at > 0)
        sl_diag_hint(diag, "say one of %s", text);
    return sl_diag_set(diag, SL_E_UNSUPPORTED, "--svl",
                       at > 0 ? "This CPU has no streaming vectors of %u bits"
                              : "This CPU has no streaming vectors, of %u bits or other",
                       bits);
}

int sl_vector_length_set(uint32_t bits, struct sl_diag *diag)
{
    uint32_t lengths = bits != 0 ? sl_isa_svl_lengths() : 0, bytes = bits / 8;
    if (bits == 0)
        return 0;
    bool has = bits % 8 == 0 && (bytes & (bytes - 1)) == 0 && (lengths & bytes) != 0;
    if (!has || sl_isa_set_svl_bytes(bytes) < 0 || sl_isa_svl_bytes() != bytes)
        return refuse(bits, lengths, diag);
    return 0;
}
