/* kernels/cpu/isa.c */
#include "kernels/cpu/isa.h"

#include <stdio.h>
#include <string.h>

#include "kernels/cpu/sve.h"

static const struct {
    const char *name;
    uint32_t bit;
} names[] = {
    {"neon", SL_ISA_NEON}, {"fp16", SL_ISA_FP16}, {"dotprod", SL_ISA_DOTPROD},
    {"i8mm", SL_ISA_I8MM}, {"bf16", SL_ISA_BF16}, {"sve", SL_ISA_SVE},
    {"sme", SL_ISA_SME},   {"sme2", SL_ISA_SME2},
};

/* The bit of one name of `length` bytes, 0 when there is none. */
static uint32_t bit_named(const char *text, size_t length)
{
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strlen(names[i].name) == length && memcmp(names[i].name, text, length) == 0)
            return names[i].bit;
    return 0;
}

static int64_t parse_list(const char *text, uint32_t detected)
{
    uint32_t isa = 0;
    for (;;) {
        size_t length = strcspn(text, ",");
        uint32_t bit = bit_named(text, length);
        if (!bit)
            return -1;
        isa |= bit;
        if (text[length] == '\0')
            break;
        text += length + 1;
    }
    return isa & ~detected ? -2 : (int64_t)isa;
}

int64_t sl_isa_parse(const char *text, uint32_t detected)
{
    if (strcmp(text, "sme2") == 0)
        return detected & SL_ISA_SME2 ? (int64_t)detected : -2;
    if (strcmp(text, "nosme2") == 0)
        return detected & ~(uint32_t)(SL_ISA_SME | SL_ISA_SME2);
    if (strcmp(text, "portable") == 0)
        return SL_ISA_NONE;
    return parse_list(text, detected); /* "neon" is a list of one */
}

void sl_isa_format(uint32_t isa, char *out, size_t size)
{
    size_t used = 0;
    if (size == 0)
        return;
    out[0] = '\0';
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && used < size; i++)
        if (isa & names[i].bit)
            used +=
                (size_t)snprintf(out + used, size - used, "%s%s", used ? "," : "", names[i].name);
    if (used == 0)
        snprintf(out, size, "portable");
}
