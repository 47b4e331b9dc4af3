/* agent/runtime/kept_out.c */
#include "agent/runtime/kept_out.h"

#include <errno.h>
#include <string.h>

#include "common/base/error.h"
#include "common/base/mem.h"

enum { MAX_DIGITS = 9 };

struct word {
    struct sl_kept_place place;
    uint32_t whole; /* the call; else nodes first to last */
    uint32_t first, last;
};

_Static_assert(sizeof(struct word) == 5 * sizeof(uint32_t), "no bytes between");

struct sl_kept_out {
    size_t count;
    struct word words[];
};

/* Moves *at behind a number of a few digits. */
static bool take_number(const char **at, uint32_t *out)
{
    size_t digits = strspn(*at, "0123456789");
    if (digits == 0 || digits > MAX_DIGITS)
        return false;
    *out = 0;
    for (size_t i = 0; i < digits; i++)
        *out = 10 * *out + (uint32_t)((*at)[i] - '0');
    *at += digits;
    return true;
}

static bool take_char(const char **at, char wanted)
{
    bool there = **at == wanted;
    *at += there;
    return there;
}

static bool take_word(const char **at, struct word *out)
{
    *out = (struct word){.whole = 1};
    if (!take_number(at, &out->place.chain) || !take_char(at, '.') ||
        !take_number(at, &out->place.instruction))
        return false;
    if (!take_char(at, '.'))
        return true;
    out->whole = 0;
    if (!take_number(at, &out->first))
        return false;
    out->last = out->first;
    return !take_char(at, '-') || (take_number(at, &out->last) && out->last >= out->first);
}

static size_t count_words(const char *text)
{
    size_t count = *text != '\0';
    for (; *text; text++)
        count += *text == ',';
    return count;
}

int sl_kept_out_new(const char *text, struct sl_kept_out **out)
{
    size_t count = count_words(text);
    if (count > SL_KEPT_OUT_MAX)
        return SL_E_LIMIT;
    struct sl_kept_out *kept = sl_calloc(1, sizeof(*kept) + count * sizeof(kept->words[0]));
    if (!kept)
        return -ENOMEM;
    bool good = true;
    while (good && kept->count < count) {
        good = take_word(&text, &kept->words[kept->count]);
        kept->count++;
        good = good && (kept->count == count ? *text == '\0' : take_char(&text, ','));
    }
    if (!good) {
        sl_free(kept);
        return SL_E_FORMAT;
    }
    *out = kept;
    return 0;
}

void sl_kept_out_free(struct sl_kept_out *kept)
{
    sl_free(kept);
}

static bool is_at(const struct word *word, struct sl_kept_place place)
{
    return word->place.chain == place.chain && word->place.instruction == place.instruction;
}

bool sl_kept_out_call(const struct sl_kept_out *kept, struct sl_kept_place place)
{
    for (size_t i = 0; kept && i < kept->count; i++)
        if (kept->words[i].whole && is_at(&kept->words[i], place))
            return true;
    return false;
}

bool sl_kept_out_node(const struct sl_kept_out *kept, struct sl_kept_place place, uint32_t node)
{
    for (size_t i = 0; kept && i < kept->count; i++)
        if (!kept->words[i].whole && is_at(&kept->words[i], place) &&
            node >= kept->words[i].first && node <= kept->words[i].last)
            return true;
    return false;
}

struct sl_bytes sl_kept_out_bytes(const struct sl_kept_out *kept)
{
    return kept ? (struct sl_bytes){(const uint8_t *)kept->words,
                                    kept->count * sizeof(kept->words[0])}
                : (struct sl_bytes){NULL, 0};
}
