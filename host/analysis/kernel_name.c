/* host/analysis/kernel_name.c */
#include "host/analysis/kernel_name.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { MAX_WORDS = 32, MAX_NAME = 192 };

/* The words of a name between its underscores, and the number of words before a double one. */
struct words {
    char text[MAX_NAME];
    const char *word[MAX_WORDS];
    size_t count, before_isa;
};

static bool split(const char *name, size_t len, struct words *out)
{
    *out = (struct words){.before_isa = SIZE_MAX};
    if (len == 0 || len >= MAX_NAME)
        return false;
    memcpy(out->text, name, len);
    for (char *at = out->text; *at;) {
        char *end = strchr(at, '_');
        if (end == at) { /* the second of two */
            out->before_isa = out->count;
            at++;
            continue;
        }
        if (out->count == MAX_WORDS)
            return false;
        out->word[out->count++] = at;
        if (!end)
            break;
        *end = '\0';
        at = end + 1;
    }
    return true;
}

static void join(const struct words *w, size_t from, size_t to, char out[SL_KERNEL_PART_SIZE])
{
    size_t used = 0;
    out[0] = '\0';
    for (size_t i = from; i < to && used < SL_KERNEL_PART_SIZE; i++)
        used += (size_t)snprintf(out + used, SL_KERNEL_PART_SIZE - used, "%s%s",
                                 i > from ? "_" : "", w->word[i]);
}

/* "f32", "pqs8", "qc4w", "qb4w", "x32", "s8": letters, then a width, then perhaps one more. */
static bool is_type(const char *word)
{
    static const char *const prefixes[] = {"f",  "pf",   "bf", "x",   "xx", "s",   "u",
                                           "qs", "qu",   "qd", "qdu", "qp", "pqs", "qc",
                                           "qb", "qint", "cs", "qai", "qsi"};
    size_t letters = strspn(word, "abcdefghijklmnopqrstuvwxyz");
    size_t digits = strspn(word + letters, "0123456789");
    const char *rest = word + letters + digits;
    if (strcmp(word, "xx") == 0)
        return true;
    if (digits == 0 || digits > 2 || (strcmp(rest, "") != 0 && strcmp(rest, "w") != 0))
        return false;
    for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
        if (strlen(prefixes[i]) == letters && strncmp(prefixes[i], word, letters) == 0)
            return true;
    }
    return false;
}

/* A type of our grammar: a packed operand has its block behind it, "f32p1vlx1". */
static bool is_operand(const char *word)
{
    char type[16];
    const char *digit = strpbrk(word, "0123456789");
    const char *packed = digit ? strchr(digit, 'p') : NULL;
    size_t len = packed ? (size_t)(packed - word) : strlen(word);
    if (len >= sizeof(type))
        return false;
    memcpy(type, word, len);
    type[len] = '\0';
    return is_type(type);
}

static size_t find(const struct words *w, const char *word)
{
    size_t i = 0;
    while (i < w->count && strcmp(w->word[i], word) != 0)
        i++;
    return i;
}

static bool parse_xnnpack(const struct words *w, struct sl_kernel_name *out)
{
    size_t types = 1;
    size_t mark = find(w, "ukernel");
    size_t isa = w->before_isa < w->count ? w->before_isa : w->count;
    while (types < mark && types < w->count && is_type(w->word[types]))
        types++;
    if (types == 1 || mark == w->count || types >= mark || mark >= isa + 1)
        return false;
    join(w, 1, types, out->types);
    join(w, types, types + 1, out->operation);
    join(w, types + 1, mark, out->variant);
    join(w, mark + 1, isa, out->shape);
    join(w, isa, w->count, out->isa);
    return true;
}

/* `first` is the operation's first word. */
static bool parse_own(const struct words *w, size_t first, struct sl_kernel_name *out)
{
    static const char *const engines[] = {"sme2", "sme", "neon", "scalar", "sve"};
    size_t engine = w->count;
    for (size_t i = first + 1; i < w->count && engine == w->count; i++) {
        for (size_t k = 0; k < sizeof(engines) / sizeof(engines[0]); k++)
            engine = strcmp(w->word[i], engines[k]) == 0 ? i : engine;
    }
    if (engine == w->count)
        return false;
    size_t types = first + 1;
    while (types < engine && !is_operand(w->word[types]))
        types++;
    /* The last word before the engine is the step: "1vlx4vl", "4x8", "4vl". */
    bool step = types < engine && isdigit((unsigned char)w->word[engine - 1][0]);
    join(w, first, types, out->operation);
    join(w, types, engine - step, out->types);
    join(w, engine - step, engine, out->shape);
    join(w, engine, engine + 1, out->isa);
    join(w, engine + 1, w->count, out->variant);
    return true;
}

bool sl_kernel_name_parse(const char *name, size_t len, struct sl_kernel_name *out)
{
    struct words w;
    *out = (struct sl_kernel_name){.types = ""};
    if (!split(name, len, &w) || w.count < 3)
        return false;
    bool known = strcmp(w.word[0], "xnn") == 0  ? parse_xnnpack(&w, out)
                 : strcmp(w.word[0], "sl") == 0 ? parse_own(&w, 1, out)
                 : strcmp(w.word[0], "kai") == 0 && strcmp(w.word[1], "run") == 0
                     ? parse_own(&w, 2, out)
                     : false;
    const char *isa = known ? out->isa : "";
    out->sme2 = strstr(isa, "sme2") != NULL;
    out->sme = !out->sme2 && strstr(isa, "sme") != NULL;
    return known;
}

const char *sl_kernel_architecture(const struct sl_kernel_name *name)
{
    if (name->sme2)
        return "SME2";
    if (name->sme)
        return "SME";
    return strstr(name->isa, "neon") || strstr(name->isa, "aarch64") ? "NEON" : "Other";
}
