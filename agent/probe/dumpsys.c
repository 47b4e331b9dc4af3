/* agent/probe/dumpsys.c */
#include "agent/probe/dumpsys.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { COLDEST = -40000, WARMEST = 150000 };

void sl_health_warm(struct sl_health *health, int64_t millidegrees, const char *name)
{
    bool first = health->warmest[0] == '\0';
    if (millidegrees <= COLDEST || millidegrees >= WARMEST ||
        (!first && millidegrees <= health->millidegrees))
        return;
    health->millidegrees = (int32_t)millidegrees;
    snprintf(health->warmest, sizeof(health->warmest), "%s", name[0] ? name : "?");
}

/* The next line without blanks around it; false: there is none. */
static bool next_line(const char **text, const char *end, const char **out, size_t *out_len)
{
    if (*text >= end)
        return false;
    const char *newline = memchr(*text, '\n', (size_t)(end - *text));
    const char *from = *text, *to = newline ? newline : end;
    *text = newline ? newline + 1 : end;
    while (from < to && (*from == ' ' || *from == '\t'))
        from++;
    while (to > from && (to[-1] == ' ' || to[-1] == '\r'))
        to--;
    *out = from;
    *out_len = (size_t)(to - from);
    return true;
}

static bool begins(const char *line, size_t len, const char *word)
{
    size_t n = strlen(word);
    return len >= n && memcmp(line, word, n) == 0;
}

/* A decimal number with up to six places before its point, in thousandths. */
static bool read_thousandths(const char *text, size_t len, int64_t *out)
{
    size_t at = len > 0 && text[0] == '-', digits = 0;
    int64_t value = 0, unit = 1000;
    for (; at < len && digits <= 6 && text[at] >= '0' && text[at] <= '9'; at++, digits++)
        value = 10 * value + 1000 * (text[at] - '0');
    if (digits == 0 || digits > 6)
        return false;
    if (at < len && text[at] == '.')
        for (at++; at < len && text[at] >= '0' && text[at] <= '9'; at++) {
            unit /= 10;
            value += unit * (text[at] - '0');
        }
    *out = text[0] == '-' ? -value : value;
    return at == len;
}

/* The value of NAME=VALUE among a line's members, which commas and braces end. */
static bool member(const char *line, size_t len, const char *name, const char **out,
                   size_t *out_len)
{
    size_t n = strlen(name);
    for (size_t at = 0; at + n <= len; at++) {
        if (memcmp(line + at, name, n) != 0)
            continue;
        size_t end = at + n;
        while (end < len && line[end] != ',' && line[end] != '}')
            end++;
        *out = line + at + n;
        *out_len = end - at - n;
        return true;
    }
    return false;
}

/* One line: Temperature{mValue=30.5, mType=3, mName=skin, mStatus=0} */
static void take_temperature(const char *line, size_t len, struct sl_health *out)
{
    const char *value, *name;
    size_t value_len, name_len;
    int64_t millidegrees;
    char text[SL_HEALTH_NAME_BYTES] = "";
    if (!begins(line, len, "Temperature{") || !member(line, len, "mValue=", &value, &value_len) ||
        !member(line, len, "mName=", &name, &name_len) ||
        !read_thousandths(value, value_len, &millidegrees))
        return;
    for (size_t i = 0; i < name_len && i + 1 < sizeof(text); i++)
        text[i] = name[i] > ' ' && name[i] <= '~' ? name[i] : '?';
    sl_health_warm(out, millidegrees, text);
}

void sl_dumpsys_thermal(const char *text, size_t len, struct sl_health *out)
{
    const char *end = text + len, *line;
    size_t line_len;
    struct sl_health before = *out;
    while (next_line(&text, end, &line, &line_len)) {
        if (begins(line, line_len, "Current temperatures from HAL"))
            *out = before; /* what came earlier is older */
        take_temperature(line, line_len, out);
    }
}

void sl_dumpsys_battery(const char *text, size_t len, struct sl_health *out)
{
    static const char *const keys[] = {"level: ", "scale: ", "temperature: "};
    int64_t of[3] = {-1, 100000, INT64_MIN}, value;
    const char *end = text + len, *line;
    size_t line_len;
    while (next_line(&text, end, &line, &line_len)) {
        for (size_t i = 0; i < 3; i++) {
            size_t n = strlen(keys[i]);
            if (begins(line, line_len, keys[i]) && read_thousandths(line + n, line_len - n, &value))
                of[i] = value;
        }
    }
    if (of[0] >= 0 && of[1] > 0 && of[0] <= of[1])
        out->battery_percent = (uint32_t)(100 * of[0] / of[1]);
    if (of[2] != INT64_MIN) /* tenths of a degree */
        sl_health_warm(out, of[2] / 10, "battery");
}

void sl_dumpsys_power_saver(const char *text, size_t len, struct sl_health *out)
{
    const char *end = text + len, *line;
    size_t line_len;
    if (!next_line(&text, end, &line, &line_len) || line_len != 1)
        return;
    if (line[0] == '0' || line[0] == '1')
        out->power_saver = line[0] == '1';
}
