/* kernels/cpu/policy.c */
#include "kernels/cpu/policy.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    int streams;
    const char *about;
} table[SL_POLICY_END] = {
#define SL_POLICY(family, name, streams, about) {name, streams, about},
#include "kernels/cpu/policy.inc"
#undef SL_POLICY
};

/* The names with a comma behind each, the last's being the terminator's. */
enum {
    NAMES_BYTES = 0
#define SL_POLICY(family, name, streams, about) +sizeof(name)
#include "kernels/cpu/policy.inc"
#undef SL_POLICY
};
_Static_assert((int)NAMES_BYTES <= (int)SL_POLICY_TEXT_BYTES, "a text has room for every name");

const char *sl_policy_name(int family)
{
    return table[family].name;
}

const char *sl_policy_about(int family)
{
    return table[family].about;
}

uint32_t sl_policy_default(void)
{
    uint32_t bits = 0;
    for (int i = 0; i < SL_POLICY_END; i++)
        bits |= table[i].streams ? 0 : SL_POLICY_BIT(i);
    return bits;
}

static uint32_t bit_named(const char *name, size_t length)
{
    for (int i = 0; i < SL_POLICY_END; i++)
        if (strlen(table[i].name) == length && memcmp(table[i].name, name, length) == 0)
            return SL_POLICY_BIT(i);
    return 0;
}

int64_t sl_policy_parse(const char *text)
{
    uint32_t bits = 0;
    if (strcmp(text, "default") == 0)
        return sl_policy_default();
    if (strcmp(text, "none") == 0)
        return 0;
    for (;;) {
        size_t length = strcspn(text, ",");
        uint32_t bit = bit_named(text, length);
        if (!bit)
            return -1;
        bits |= bit;
        if (text[length] == '\0')
            return bits;
        text += length + 1;
    }
}

void sl_policy_format(uint32_t isa, char out[SL_POLICY_TEXT_BYTES])
{
    size_t used = 0;
    for (int i = 0; i < SL_POLICY_END; i++) {
        if (isa & SL_POLICY_BIT(i))
            used += (size_t)snprintf(out + used, SL_POLICY_TEXT_BYTES - used, "%s%s",
                                     used ? "," : "", table[i].name);
    }
    if (used == 0)
        snprintf(out, SL_POLICY_TEXT_BYTES, "none");
}
