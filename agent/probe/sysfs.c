/* agent/probe/sysfs.c */
#include "agent/probe/sysfs.h"

#include "common/base/path.h"

#include <dirent.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_BYTES = 1024, MAX_KIB_DIGITS = 15 };

static size_t read_text(const char *root, char *out, size_t size, const char *format, va_list args)
{
    char path[PATH_BYTES];
    if (sl_path_join(path, sizeof(path), root, "") < 0)
        return 0;
    size_t at = strlen(path);
    int more = vsnprintf(path + at, sizeof(path) - at, format, args);
    if (more < 0 || (size_t)more >= sizeof(path) - at)
        return 0;
    FILE *file = fopen(path, "rb");
    if (!file)
        return 0;
    size_t len = fread(out, 1, size, file);
    fclose(file);
    return len;
}

bool sl_sysfs_line(const char *root, char *out, size_t size, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    size_t len = read_text(root, out, size - 1, format, args);
    va_end(args);
    size_t end = 0;
    for (; end < len && out[end] != '\n' && out[end] != '\0'; end++) {
        if ((unsigned char)out[end] < 0x20 || (unsigned char)out[end] >= 0x7f)
            out[end] = '?';
    }
    out[end] = '\0';
    return end > 0;
}

bool sl_sysfs_number(const char *root, int64_t *out, const char *format, ...)
{
    char text[64];
    va_list args;
    va_start(args, format);
    size_t len = read_text(root, text, sizeof(text), format, args);
    va_end(args);
    return len < sizeof(text) && sl_sysfs_parse_number(text, len, out);
}

static int digit_of(char c, unsigned base)
{
    int value = c >= '0' && c <= '9'   ? c - '0'
                : c >= 'a' && c <= 'f' ? c - 'a' + 10
                : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                       : 99;
    return value < (int)base ? value : -1;
}

bool sl_sysfs_parse_number(const char *text, size_t len, int64_t *out)
{
    unsigned base = 10;
    uint64_t value = 0;
    while (len > 0 && (text[len - 1] == '\n' || text[len - 1] == ' ' || text[len - 1] == '\0'))
        len--;
    size_t at = len > 0 && text[0] == '-';
    bool negative = at > 0;
    if (len > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
        base = 16;
        at = 2;
    }
    if (at == len)
        return false;
    for (; at < len; at++) {
        int digit = digit_of(text[at], base);
        if (digit < 0 || value > (INT64_MAX - (uint64_t)digit) / base)
            return false;
        value = value * base + (uint64_t)digit;
    }
    *out = negative ? -(int64_t)value : (int64_t)value;
    return true;
}

/* Digits at *at; a number too large to matter is SL_SYSFS_MAX_INDEX. */
static bool parse_index(const char *text, size_t len, size_t *at, size_t *out)
{
    size_t value = 0, start = *at;
    for (; *at < len && text[*at] >= '0' && text[*at] <= '9'; (*at)++) {
        value = value * 10 + (size_t)(text[*at] - '0');
        if (value > SL_SYSFS_MAX_INDEX)
            value = SL_SYSFS_MAX_INDEX;
    }
    *out = value;
    return *at > start;
}

bool sl_sysfs_parse_list(const char *text, size_t len, bool flags[SL_SYSFS_MAX_INDEX])
{
    memset(flags, 0, SL_SYSFS_MAX_INDEX * sizeof(flags[0]));
    while (len > 0 && (text[len - 1] == '\n' || text[len - 1] == '\0'))
        len--;
    for (size_t at = 0; at < len;) {
        size_t first, last;
        if (!parse_index(text, len, &at, &first))
            goto garbage;
        last = first;
        if (at < len && text[at] == '-') {
            at++;
            if (!parse_index(text, len, &at, &last) || last < first)
                goto garbage;
        }
        for (size_t i = first; i <= last && i < SL_SYSFS_MAX_INDEX; i++)
            flags[i] = true;
        if (at < len && (text[at++] != ',' || at == len))
            goto garbage;
    }
    return len > 0;
garbage:
    memset(flags, 0, SL_SYSFS_MAX_INDEX * sizeof(flags[0]));
    return false;
}

/* "   N kB" up to `end`. */
static bool parse_kib(const char *at, const char *end, uint64_t *out_bytes)
{
    uint64_t kib = 0;
    int digits = 0;
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    for (; at < end && *at >= '0' && *at <= '9' && digits <= MAX_KIB_DIGITS; at++, digits++)
        kib = kib * 10 + (uint64_t)(*at - '0');
    if (digits == 0 || digits > MAX_KIB_DIGITS || end - at < 3 || memcmp(at, " kB", 3) != 0)
        return false;
    *out_bytes = kib * 1024;
    return true;
}

bool sl_sysfs_parse_meminfo(const char *text, size_t len, const char *key, uint64_t *out_bytes)
{
    size_t key_len = strlen(key);
    for (const char *at = text, *end = text + len; at < end;) {
        const char *line_end = memchr(at, '\n', (size_t)(end - at));
        if (!line_end)
            line_end = end;
        if ((size_t)(line_end - at) > key_len && memcmp(at, key, key_len) == 0 &&
            at[key_len] == ':')
            return parse_kib(at + key_len + 1, line_end, out_bytes);
        at = line_end + 1;
    }
    return false;
}

static int by_value(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

size_t sl_sysfs_indices(const char *root, const char *folder, const char *prefix, uint32_t *out,
                        size_t max)
{
    char path[PATH_BYTES];
    size_t count = 0, prefix_len = strlen(prefix);
    bool fits = sl_path_join(path, sizeof(path), root, "%s", folder) == 0;
    DIR *directory = fits ? opendir(path) : NULL;
    if (!directory)
        return 0;
    for (struct dirent *entry; count < max && (entry = readdir(directory));) {
        const char *name = entry->d_name;
        size_t at = prefix_len, index, name_len = strlen(name);
        if (name_len <= prefix_len || memcmp(name, prefix, prefix_len) != 0)
            continue;
        if (parse_index(name, name_len, &at, &index) && at == name_len &&
            index < SL_SYSFS_MAX_INDEX)
            out[count++] = (uint32_t)index;
    }
    closedir(directory);
    qsort(out, count, sizeof(*out), by_value);
    return count;
}
