/* host/spec/selector.c */
#include "host/spec/selector.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/error.h"
#include "host/spec/nearest.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define OF(member) offsetof(struct sl_device_record, member)

enum relation { EQUAL, LESS, LESS_OR_EQUAL, MORE, MORE_OR_EQUAL };
enum type { WHOLE, HELD, ONE_OF, KIND, YES_NO, NUMBER, BYTES, VERSION };

/* The facts; `always` is known of each device from the start, before its agent says anything. */
static const struct fact {
    const char *name;
    enum type type;
    size_t at;
    bool always;
} facts[] = {
    {"name", WHOLE, OF(name), true},         {"kind", KIND, OF(kind), true},
    {"tag", ONE_OF, OF(tags), true},         {"soc", HELD, OF(soc), false},
    {"model", HELD, OF(model), false},       {"system", HELD, OF(system), false},
    {"android", VERSION, OF(system), false}, {"sme2", YES_NO, OF(sme2), false},
    {"svl", NUMBER, OF(svl_bits), false},    {"memory", BYTES, OF(memory_bytes), false},
};

static const char *const relations[] = {
    [EQUAL] = "=", [LESS] = "<", [LESS_OR_EQUAL] = "<=", [MORE] = ">", [MORE_OR_EQUAL] = ">="};

static const void *value_of(const struct fact *fact, const struct sl_device_record *device)
{
    return (const char *)device + fact->at;
}

/* --- reading --- */

static int find_fact(const char *word)
{
    for (size_t i = 0; i < COUNT(facts); i++) {
        if (strcmp(facts[i].name, word) == 0)
            return (int)i;
    }
    return -1;
}

static int refuse_fact(const char *word, struct sl_diag *diag)
{
    const char *names[COUNT(facts)];
    for (size_t i = 0; i < COUNT(facts); i++)
        names[i] = facts[i].name;
    const char *near = sl_nearest(word, names, COUNT(names));
    if (near)
        sl_diag_hint(diag, "did you mean %s?", near);
    else
        sl_diag_hint(diag, "conditions are of name, kind, tag, soc, model, system, android, sme2, "
                           "svl and memory");
    return sl_diag_set(diag, SL_E_FORMAT, NULL, "'%.40s' is nothing that devices are chosen by",
                       word);
}

/* The relation that `at` begins with, and how long it is. */
static enum relation read_relation(const char *at, size_t *out_length)
{
    bool equal = at[0] == '=' || at[1] == '=';
    *out_length = at[0] != '=' && equal ? 2 : 1;
    return at[0] == '<'   ? equal ? LESS_OR_EQUAL : LESS
           : at[0] == '>' ? equal ? MORE_OR_EQUAL : MORE
                          : EQUAL;
}

/* "4g": 4 GiB. */
static bool read_number(const char *text, bool bytes, uint64_t *out)
{
    static const char units[] = "kmgt";
    size_t digits = strspn(text, "0123456789");
    const char *unit = text[digits] ? strchr(units, tolower((unsigned char)text[digits])) : NULL;
    if (digits == 0 || digits > 15 || (text[digits] && (!bytes || !unit || text[digits + 1])))
        return false;
    uint64_t number = strtoull(text, NULL, 10);
    unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;
    *out = number > UINT64_MAX >> shift ? UINT64_MAX : number << shift; /* more than there is */
    return true;
}

static bool is_numeric(const struct fact *fact)
{
    return fact->type == NUMBER || fact->type == BYTES || fact->type == VERSION;
}

static int read_value(struct sl_selector_term *term, struct sl_diag *diag)
{
    const struct fact *fact = &facts[term->fact];
    bool numeric = is_numeric(fact);
    bool good = term->text[0] && (numeric || term->relation == EQUAL);
    if (good && fact->type == YES_NO) {
        good = strcmp(term->text, "yes") == 0 || strcmp(term->text, "no") == 0;
        term->number = term->text[0] == 'y' ? SL_MAYBE_YES : SL_MAYBE_NO;
    } else if (good && fact->type == KIND) {
        term->number = (uint64_t)sl_device_kind_find(term->text);
        good = term->number != 0;
    } else if (good && numeric) {
        good = read_number(term->text, fact->type == BYTES, &term->number);
    }
    if (good)
        return 0;
    sl_diag_hint(diag, "%s",
                 fact->type == YES_NO    ? "say sme2, sme2=yes or sme2=no"
                 : fact->type == KIND    ? "'sme2lab devices' shows the kinds"
                 : fact->type == NUMBER  ? "say svl>=256, or svl=512: bits"
                 : fact->type == VERSION ? "say android>=15, or android=16: its release"
                 : fact->type == BYTES   ? "say memory>=4g: k, m, g and t are powers of 1024"
                                         : "say it with =, such as tag=bench or soc=SM8850");
    return sl_diag_set(diag, SL_E_FORMAT, NULL, "'%s%s%.60s' is no condition", fact->name,
                       relations[term->relation], term->text);
}

/* One condition, of `length` bytes. */
static int read_term(const char *at, size_t length, struct sl_selector_term *out,
                     struct sl_diag *diag)
{
    char word[SL_NAME_BYTES];
    size_t name = strcspn(at, "=<>,"), sign = 0;
    name = name < length ? name : length;
    snprintf(word, sizeof(word), "%.*s", (int)(name < sizeof(word) ? name : sizeof(word)), at);
    *out = (struct sl_selector_term){.fact = find_fact(word)};
    if (name == length && strcmp(word, "sme2") == 0) {
        out->number = SL_MAYBE_YES;
        snprintf(out->text, sizeof(out->text), "yes");
        return 0;
    }
    if (out->fact < 0)
        return refuse_fact(word, diag);
    if (name < length)
        out->relation = (int)read_relation(at + name, &sign);
    if (length - name - sign >= sizeof(out->text))
        return sl_diag_set(diag, SL_E_FORMAT, NULL, "The text of '%s' is longer than %d bytes",
                           word, (int)sizeof(out->text) - 1);
    memcpy(out->text, at + name + sign, length - name - sign);
    return read_value(out, diag);
}

static int read_name(const char *text, struct sl_selector *out, struct sl_diag *diag)
{
    if (strlen(text) >= sizeof(out->terms[0].text))
        return sl_diag_set(diag, SL_E_FORMAT, NULL, "A device's name is no longer than %d bytes",
                           SL_NAME_BYTES - 1);
    out->terms[0] = (struct sl_selector_term){.fact = find_fact("name")};
    snprintf(out->terms[0].text, sizeof(out->terms[0].text), "%s", text);
    out->count = 1;
    return 0;
}

int sl_selector_read(const char *text, struct sl_selector *out, struct sl_diag *diag)
{
    out->count = 0;
    if (!text[0])
        return 0;
    if (!strpbrk(text, "=<>,") && strcmp(text, "sme2") != 0)
        return read_name(text, out, diag);
    for (const char *at = text;; at++) {
        size_t length = strcspn(at, ",");
        if (out->count == SL_SELECTOR_MAX_TERMS)
            return sl_diag_set(diag, SL_E_FORMAT, NULL, "There are more than %d conditions",
                               (int)SL_SELECTOR_MAX_TERMS);
        int rc = read_term(at, length, &out->terms[out->count], diag);
        if (rc < 0)
            return rc;
        out->count++;
        at += length;
        if (!*at)
            return 0;
    }
}

/* --- comparing --- */

/* Does the text hold that one, upper or lower case? */
static bool holds(const char *text, const char *part)
{
    size_t length = strlen(part);
    for (; *text; text++) {
        size_t same = 0;
        while (same < length &&
               tolower((unsigned char)text[same]) == tolower((unsigned char)part[same]))
            same++;
        if (same == length)
            return true;
    }
    return false;
}

/* Is the word one of the list, with commas? */
static bool has_word(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = list; *at;) {
        size_t len = strcspn(at, ",");
        if (len == length && strncmp(at, word, len) == 0)
            return true;
        at += len + (at[len] == ',');
    }
    return false;
}

static bool compare(uint64_t value, int relation, uint64_t with)
{
    return relation == EQUAL           ? value == with
           : relation == LESS          ? value < with
           : relation == LESS_OR_EQUAL ? value <= with
           : relation == MORE          ? value > with
                                       : value >= with;
}

/* A numeric fact's value; 0: the device has not said it, or has none. */
static uint64_t number_of(const struct fact *fact, const struct sl_device_record *device)
{
    static const char android[] = "Android ";
    const char *system = device->system;
    if (fact->type != VERSION)
        return *(const uint64_t *)value_of(fact, device);
    bool is = strncmp(system, android, sizeof(android) - 1) == 0;
    return is ? strtoull(system + sizeof(android) - 1, NULL, 10) : 0;
}

static int maybe(bool is)
{
    return is ? SL_MAYBE_YES : SL_MAYBE_NO;
}

/* Has its agent said what it is? Then what it did not say is not there. */
static int absent(const struct fact *fact, const struct sl_device_record *device)
{
    return fact->always || device->sme2 != SL_MAYBE_UNKNOWN ? SL_MAYBE_NO : SL_MAYBE_UNKNOWN;
}

static int meets(const struct sl_selector_term *term, const struct sl_device_record *device)
{
    const struct fact *fact = &facts[term->fact];
    const void *value = value_of(fact, device);
    uint64_t number = 0;
    switch (fact->type) {
    case KIND:
    case YES_NO:
        number = (uint64_t)*(const int *)value;
        break;
    case NUMBER:
    case BYTES:
    case VERSION:
        number = number_of(fact, device);
        break;
    default:
        if (!*(const char *)value)
            return absent(fact, device);
        return maybe(fact->type == WHOLE    ? strcmp(value, term->text) == 0
                     : fact->type == ONE_OF ? has_word(value, term->text)
                                            : holds(value, term->text));
    }
    return number == 0 ? absent(fact, device)
                       : maybe(compare(number, term->relation, term->number));
}

int sl_selector_fits(const struct sl_selector *selector, const struct sl_device_record *device)
{
    int fits = SL_MAYBE_YES;
    for (size_t i = 0; i < selector->count; i++) {
        int met = meets(&selector->terms[i], device);
        if (met == SL_MAYBE_NO)
            return SL_MAYBE_NO;
        fits = met == SL_MAYBE_UNKNOWN ? SL_MAYBE_UNKNOWN : fits;
    }
    return fits;
}

/* --- none fits --- */

static size_t count_unmet(const struct sl_selector *selector, const struct sl_device_record *device)
{
    size_t count = 0;
    for (size_t i = 0; i < selector->count; i++)
        count += meets(&selector->terms[i], device) == SL_MAYBE_NO;
    return count;
}

/* Says what the device has in place of what the condition asks for. */
static void tell_fact(const struct sl_selector_term *term, const struct sl_device_record *device,
                      char *out, size_t size)
{
    const struct fact *fact = &facts[term->fact];
    const void *value = value_of(fact, device);
    if (fact->type == KIND)
        snprintf(out, size, "kind %s", sl_device_kind_name(device->kind));
    else if (fact->type == YES_NO)
        snprintf(out, size, "%s", device->sme2 == SL_MAYBE_YES ? "SME2" : "no SME2");
    else if (is_numeric(fact) && number_of(fact, device) > 0)
        snprintf(out, size, "%s %" PRIu64, fact->name, number_of(fact, device));
    else if (is_numeric(fact) || !*(const char *)value)
        snprintf(out, size, "no %s that is known", fact->name);
    else
        snprintf(out, size, "%s %.60s", fact->name, (const char *)value);
}

static int refuse_name(const char *text, const struct sl_device_record *devices, size_t count,
                       struct sl_diag *diag)
{
    const char *names[SL_MAX_DEVICES];
    count = count < SL_MAX_DEVICES ? count : SL_MAX_DEVICES;
    for (size_t i = 0; i < count; i++)
        names[i] = devices[i].name;
    const char *near = sl_nearest(text, names, count);
    if (near)
        sl_diag_hint(diag, "did you mean %s? 'sme2lab devices' lists them", near);
    else
        sl_diag_hint(diag, "'sme2lab devices' lists them");
    return sl_diag_set(diag, SL_E_NOT_FOUND, "device", "There is no device named %.60s", text);
}

/* The one that lacks least; the first of equals. */
static int refuse_all(const struct sl_selector *selector, const char *text,
                      const struct sl_device_record *devices, size_t count, struct sl_diag *diag)
{
    const struct sl_device_record *nearest = &devices[0];
    char lacks[96] = "";
    for (size_t i = 1; i < count; i++) {
        if (count_unmet(selector, &devices[i]) < count_unmet(selector, nearest))
            nearest = &devices[i];
    }
    for (size_t i = 0; i < selector->count && !lacks[0]; i++) {
        if (meets(&selector->terms[i], nearest) == SL_MAYBE_NO)
            tell_fact(&selector->terms[i], nearest, lacks, sizeof(lacks));
    }
    sl_diag_hint(diag, "'sme2lab devices' lists them, 'sme2lab device show' what one is");
    return sl_diag_set(diag, SL_E_NOT_FOUND, "device",
                       "No device is %.80s; the nearest, %s, has %s", text, nearest->name, lacks);
}

int sl_selector_find(const struct sl_selector *selector, const char *text,
                     const struct sl_device_record *devices, size_t count, struct sl_diag *diag)
{
    bool named = selector->count == 1 && selector->terms[0].fact == find_fact("name");
    for (size_t i = 0; i < count; i++) {
        if (sl_selector_fits(selector, &devices[i]) != SL_MAYBE_NO)
            return 0;
    }
    if (selector->count == 0)
        return 0; /* one may come */
    if (named)
        return refuse_name(selector->terms[0].text, devices, count, diag);
    if (count > 0)
        return refuse_all(selector, text, devices, count, diag);
    sl_diag_hint(diag, "'sme2lab devices' lists them");
    return sl_diag_set(diag, SL_E_NOT_FOUND, "device", "No device is %.80s: there is none", text);
}
