/* host/spec/device_facts.c */
#include "host/spec/device_facts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "common/base/error.h"
#include "common/base/utf8.h"
#include "host/spec/json_doc.h"
#include "host/spec/json_value.h"

enum { HWCAP2_SME = 23, MAX_CORES = 256, MAX_MILLIDEGREES = 200000 };

static void copy(const cJSON *object, const char *key, char *out, size_t size)
{
    snprintf(out, size, "%s", sl_value_text(object, key, ""));
    sl_utf8_clean(out, "");
}

static void add_word(char *list, size_t size, const char *separator, const char *word)
{
    size_t at = strlen(list);
    if (at + strlen(separator) + strlen(word) < size)
        snprintf(list + at, size - at, "%s%s", at > 0 ? separator : "", word);
}

static bool has_word(const cJSON *list, const char *word)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, list)
    {
        if (cJSON_IsString(item) && strcmp(item->valuestring, word) == 0)
            return true;
    }
    return false;
}

/* A kernel's needs are words with commas. */
static bool holds_sme2(const cJSON *kernels)
{
    const cJSON *kernel;
    cJSON_ArrayForEach(kernel, kernels)
    {
        const cJSON *needs = sl_value(kernel, "needs");
        if (cJSON_IsString(needs) && strstr(needs->valuestring, "sme2"))
            return true;
    }
    return false;
}

/* Types whose makers left it open are not known, like those without a name. */
static int type_has_sme2(const char *type)
{
    static const struct {
        const char *begin;
        int has;
    } types[] = {{"C1-", SL_MAYBE_YES},
                 {"M4-", SL_MAYBE_YES},
                 {"Oryon", SL_MAYBE_UNKNOWN},
                 {"Monaka", SL_MAYBE_UNKNOWN},
                 {"Olympus", SL_MAYBE_UNKNOWN}};
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        if (strncmp(type, types[i].begin, strlen(types[i].begin)) == 0)
            return types[i].has;
    }
    return type[0] ? SL_MAYBE_NO : SL_MAYBE_UNKNOWN;
}

/* Each type once; all must be known to have none, one is enough that has it. */
static void read_cores(const cJSON *cores, struct sl_device_facts *out)
{
    const cJSON *core;
    bool unknown = false, has = false;
    const char *last = "";
    int count = 0;
    cJSON_ArrayForEach(core, cores)
    {
        const char *name = sl_value_text(core, "type", "");
        int known = type_has_sme2(name);
        unknown = unknown || known == SL_MAYBE_UNKNOWN;
        has = has || known == SL_MAYBE_YES;
        if (strcmp(name, last) != 0 && !strstr(out->cores, name))
            add_word(out->cores, sizeof(out->cores), ", ", name);
        last = name;
        if (++count == MAX_CORES)
            break;
    }
    sl_utf8_clean(out->cores, "");
    out->cores_sme2 = has ? SL_MAYBE_YES : unknown || !count ? SL_MAYBE_UNKNOWN : SL_MAYBE_NO;
}

static void read_lengths(const cJSON *lengths, struct sl_device_facts *out)
{
    const cJSON *length;
    cJSON_ArrayForEach(length, lengths)
    {
        char text[16];
        if (!cJSON_IsNumber(length) || length->valuedouble < 16 || length->valuedouble > 256)
            continue;
        snprintf(text, sizeof(text), "%d", 8 * (int)length->valuedouble);
        add_word(out->lengths, sizeof(out->lengths), ",", text);
    }
}

int sl_device_facts_of(const cJSON *probe, struct sl_device_facts *out)
{
    const cJSON *system = sl_value(probe, "system"), *config = sl_value(system, "config_sme"),
                *hwcap2 = sl_value(probe, "hwcap2"), *isa = sl_value(probe, "isa");
    *out = (struct sl_device_facts){.known = false};
    if (!cJSON_IsObject(probe) || !cJSON_IsArray(isa))
        return SL_E_FORMAT;
    out->known = true;
    out->sme = has_word(isa, "sme");
    out->sme2 = has_word(isa, "sme2");
    out->holds_sme2 = holds_sme2(sl_value(probe, "kernels"));
    out->config_sme = cJSON_IsTrue(config)    ? SL_MAYBE_YES
                      : cJSON_IsFalse(config) ? SL_MAYBE_NO
                                              : SL_MAYBE_UNKNOWN;
    out->hwcap2_known = cJSON_IsString(hwcap2);
    out->hwcap2 = out->hwcap2_known ? strtoull(hwcap2->valuestring, NULL, 16) : 0;
    out->memory_bytes = sl_value_u64(sl_value(probe, "memory"), "total_bytes");
    uint64_t svl_bytes = sl_value_u64(probe, "svl_bytes");
    out->svl_bits = svl_bytes <= 256 ? 8 * (uint32_t)svl_bytes : 0;
    read_lengths(sl_value(probe, "svl_lengths_bytes"), out);
    read_cores(sl_value(probe, "cores"), out);
    copy(probe, "soc", out->soc, sizeof(out->soc));
    copy(system, "sysname", out->sysname, sizeof(out->sysname));
    copy(system, "release", out->release, sizeof(out->release));
    copy(system, "machine", out->machine, sizeof(out->machine));
    return 0;
}

int sl_device_facts_read(struct sl_bytes probe, struct sl_device_facts *out)
{
    cJSON *document = NULL;
    *out = (struct sl_device_facts){.known = false};
    int rc = sl_json_doc_parse(probe, "probe", &document, NULL);
    if (rc == 0)
        rc = sl_device_facts_of(document, out);
    sl_json_doc_free(document);
    return rc;
}

/* --- why it has none --- */

/* SME came with Linux 5.19, SME2 with 6.3. */
static bool older_than(const struct sl_device_facts *facts, long major, long minor)
{
    char *end = NULL;
    if (strcmp(facts->sysname, "Linux") != 0)
        return false;
    long of = strtol(facts->release, &end, 10), at = *end == '.' ? strtol(end + 1, NULL, 10) : 0;
    return of > 0 && (of < major || (of == major && at < minor));
}

/* Two cases in which the kernel says something of it, and yet it cannot be used. */
static bool tell_half(const struct sl_device_facts *facts, const char *system,
                      char out[SL_DETAIL_BYTES])
{
    if (facts->sme && older_than(facts, 6, 3))
        snprintf(out, SL_DETAIL_BYTES,
                 "the CPU has SME; whether it has SME2 %.70s cannot say: Linux 6.3 is the first "
                 "that can",
                 system);
    else if (facts->sme)
        snprintf(out, SL_DETAIL_BYTES, "the CPU has SME but not SME2 (HWCAP2 0x%llx)",
                 (unsigned long long)facts->hwcap2);
    else if (facts->hwcap2 >> HWCAP2_SME & 1)
        snprintf(out, SL_DETAIL_BYTES,
                 "%.70s says that the CPU has SME, and refuses a streaming vector length "
                 "(PR_SME_GET_VL)",
                 system);
    else
        return false;
    return true;
}

/* Nothing of SME is offered: is it the cores, or their kernel? */
static void tell_nothing(const struct sl_device_facts *facts, const char *system,
                         char out[SL_DETAIL_BYTES])
{
    bool have = facts->cores_sme2 == SL_MAYBE_YES;
    if (facts->cores_sme2 == SL_MAYBE_NO)
        snprintf(out, SL_DETAIL_BYTES, "its cores have none: %.63s", facts->cores);
    else if (facts->config_sme == SL_MAYBE_NO)
        snprintf(out, SL_DETAIL_BYTES, "%.70s is built without CONFIG_ARM64_SME%s%.63s", system,
                 have ? ", though these cores have SME2: " : "; cores: ",
                 facts->cores[0] ? facts->cores : "not known");
    else if (older_than(facts, 6, 3))
        snprintf(out, SL_DETAIL_BYTES,
                 "%.70s is older than 6.3, the first Linux that offers SME2%s%.63s", system,
                 have ? "; these cores have it: " : "; cores: ",
                 facts->cores[0] ? facts->cores : "not known");
    else if (facts->hwcap2_known)
        snprintf(out, SL_DETAIL_BYTES, "%.70s offers none (HWCAP2 0x%llx)%s%.63s", system,
                 (unsigned long long)facts->hwcap2,
                 have ? ", though these cores have it: " : "; cores: ",
                 facts->cores[0] ? facts->cores : "not known");
    else
        snprintf(out, SL_DETAIL_BYTES, "%.70s offers none", system);
}

static void tell_why(const struct sl_device_facts *facts, const char *android,
                     char out[SL_DETAIL_BYTES])
{
    char system[72];
    bool arm = strcmp(facts->machine, "aarch64") == 0 || strcmp(facts->machine, "arm64") == 0;
    snprintf(system, sizeof(system), "%.15s %.20s%s%.24s%s",
             facts->sysname[0] ? facts->sysname : "its system", facts->release,
             android[0] ? " (" : "", android, android[0] ? ")" : "");
    out[0] = '\0';
    if (facts->machine[0] && !arm)
        snprintf(out, SL_DETAIL_BYTES, "its CPU is %.15s: SME2 belongs to Arm's", facts->machine);
    else if (facts->sme2 && !facts->holds_sme2)
        snprintf(out, SL_DETAIL_BYTES,
                 "the CPU has it, and the agent there holds no kernel for it: use the agent that "
                 "sme2lab brings");
    else if (!facts->sme2 && !tell_half(facts, system, out))
        tell_nothing(facts, system, out);
}

const char *sl_device_detail(char out[2 * SL_DETAIL_BYTES], const char *detail, const char *model,
                             const char *system, const char *no_sme2)
{
    bool named = *model, lacks = *no_sme2;
    if (*detail || (!named && !lacks))
        snprintf(out, 2 * SL_DETAIL_BYTES, "%s", detail);
    else
        snprintf(out, 2 * SL_DETAIL_BYTES, "%s%s%s%s%s%s", model, named && *system ? ", " : "",
                 named ? system : "", named && lacks ? "; " : "", lacks ? "no SME2: " : "",
                 no_sme2);
    return out;
}

void sl_device_facts_tell(const struct sl_device_facts *facts, struct sl_device_record *record)
{
    static const char android[] = "Android";
    bool phone = strncmp(record->system, android, strlen(android)) == 0;
    if (!facts->known)
        return;
    tell_why(facts, phone ? record->system : "", record->no_sme2);
    record->sme2 = facts->sme2 && facts->holds_sme2 ? SL_MAYBE_YES : SL_MAYBE_NO;
    record->svl_bits = facts->svl_bits;
    record->memory_bytes = facts->memory_bytes;
    snprintf(record->svl_lengths, sizeof(record->svl_lengths), "%s", facts->lengths);
    if (!record->soc[0])
        snprintf(record->soc, sizeof(record->soc), "%s", facts->soc);
    if (!record->system[0])
        snprintf(record->system, sizeof(record->system), "%.15s%s%.31s", facts->sysname,
                 facts->release[0] ? " " : "", facts->release);
}

void sl_device_conditions_tell(const struct sl_device_conditions *conditions, uint64_t now_ms,
                               struct sl_device_record *record)
{
    int32_t millidegrees = conditions->millidegrees;
    bool known = conditions->warmest[0] && millidegrees > 0 && millidegrees < MAX_MILLIDEGREES;
    record->temperature_celsius = known ? (uint64_t)(millidegrees + 500) / 1000 : 0;
    snprintf(record->warmest, sizeof(record->warmest), "%s", known ? conditions->warmest : "");
    record->battery_percent = conditions->battery_percent;
    record->power_saver = conditions->power_saver;
    record->looked_ms = now_ms;
}
