/* agent/run/gflags.c */
#include "agent/run/gflags.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char *const type_names[] = {"string", "bool", "int32", "uint32", "uint64", "double"};

struct parser {
    const struct sl_flag *flags;
    size_t count;
    FILE *err;
    bool bad;
};

static bool same_name(const char *flag, const char *given, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        char c = given[i] == '-' ? '_' : given[i];
        if (flag[i] != c)
            return false;
    }
    return flag[len] == '\0';
}

static const struct sl_flag *find(const struct parser *parser, const char *name, size_t len)
{
    for (size_t i = 0; i < parser->count; i++) {
        if (same_name(parser->flags[i].name, name, len))
            return &parser->flags[i];
    }
    return NULL;
}

static bool set_bool(bool *out, const char *text)
{
    static const char *const yes[] = {"1", "t", "true", "y", "yes"};
    static const char *const no[] = {"0", "f", "false", "n", "no"};
    for (size_t i = 0; i < 5; i++) {
        bool is_yes = strcasecmp(text, yes[i]) == 0;
        if (is_yes || strcasecmp(text, no[i]) == 0) {
            *out = is_yes;
            return true;
        }
    }
    return false;
}

static int base_of(const char *text)
{
    if (*text == '-')
        text++;
    return text[0] == '0' && (text[1] == 'x' || text[1] == 'X') ? 16 : 10;
}

static bool set_signed(int32_t *out, const char *text)
{
    char *end;
    errno = 0;
    long long value = strtoll(text, &end, base_of(text));
    if (end == text || *end || errno || value < INT32_MIN || value > INT32_MAX)
        return false;
    *out = (int32_t)value;
    return true;
}

static bool parse_unsigned(const char *text, uint64_t max, uint64_t *out)
{
    char *end;
    while (*text == ' ')
        text++;
    if (*text == '-')
        return false;
    errno = 0;
    unsigned long long value = strtoull(text, &end, base_of(text));
    *out = value;
    return end != text && !*end && !errno && value <= max;
}

static bool set_double(double *out, const char *text)
{
    char *end;
    errno = 0;
    double value = strtod(text, &end);
    if (end == text || *end || errno)
        return false;
    *out = value;
    return true;
}

static bool set_value(const struct sl_flag *flag, const char *text)
{
    uint64_t number;
    switch (flag->type) {
    case SL_FLAG_STRING:
        *(const char **)flag->value = text;
        return true;
    case SL_FLAG_BOOL:
        return set_bool(flag->value, text);
    case SL_FLAG_INT32:
        return set_signed(flag->value, text);
    case SL_FLAG_UINT32:
        if (!parse_unsigned(text, UINT32_MAX, &number))
            return false;
        *(uint32_t *)flag->value = (uint32_t)number;
        return true;
    case SL_FLAG_DOUBLE:
        return set_double(flag->value, text);
    default:
        return parse_unsigned(text, UINT64_MAX, flag->value);
    }
}

/* `text` NULL: the command line ended before the value. */
static void take(struct parser *parser, const struct sl_flag *flag, const char *text)
{
    if (!text) {
        fprintf(parser->err, "ERROR: flag '--%s' is missing its argument; flag description: %s\n",
                flag->name, flag->help);
        parser->bad = true;
    } else if (!set_value(flag, text)) {
        fprintf(parser->err, "ERROR: illegal value '%s' specified for %s flag '%s'\n", text,
                type_names[flag->type], flag->name);
        parser->bad = true;
    } else if (flag->given) {
        *flag->given = true;
    }
}

static bool is_one_of(const char *name, size_t len, const char *const *words)
{
    for (; *words; words++) {
        if (strlen(*words) == len && memcmp(*words, name, len) == 0)
            return true;
    }
    return false;
}

/* --nof, or a name that nobody knows. */
static void take_unknown(struct parser *parser, const char *name, size_t len)
{
    const struct sl_flag *flag = NULL;
    if (len > 2 && name[0] == 'n' && name[1] == 'o')
        flag = find(parser, name + 2, len - 2);
    if (flag && flag->type == SL_FLAG_BOOL) {
        take(parser, flag, "0");
        return;
    }
    if (flag)
        fprintf(parser->err, "ERROR: boolean value (%.*s) specified for %s command line flag\n",
                (int)len, name, type_names[flag->type]);
    else
        fprintf(parser->err, "ERROR: unknown command line flag '%.*s'\n", (int)len, name);
    parser->bad = true;
}

/* Takes the flag at argv[i]; returns how many words it used, or minus an enum sl_gflags_result. */
static int take_flag(struct parser *parser, int argc, char **argv, int i)
{
    static const char *const helps[] = {"help",      "helpshort",   "helpfull", "helpon",
                                        "helpmatch", "helppackage", "helpxml",  NULL};
    static const char *const versions[] = {"version", NULL};
    const char *name = argv[i] + (argv[i][1] == '-' ? 2 : 1);
    size_t len = strcspn(name, "=");
    const char *value = name[len] ? name + len + 1 : NULL;
    const struct sl_flag *flag = find(parser, name, len);
    if (!flag && is_one_of(name, len, helps))
        return -SL_GFLAGS_HELP;
    if (!flag && is_one_of(name, len, versions))
        return -SL_GFLAGS_VERSION;
    if (!flag) {
        take_unknown(parser, name, len);
        return 1;
    }
    if (value || flag->type == SL_FLAG_BOOL) {
        take(parser, flag, value ? value : "1");
        return 1;
    }
    take(parser, flag, i + 1 < argc ? argv[i + 1] : NULL);
    return 2;
}

int sl_gflags_parse(const struct sl_flag *flags, size_t count, int argc, char **argv, FILE *err,
                    int *out_extra)
{
    struct parser parser = {.flags = flags, .count = count, .err = err};
    int extra = 0, result = SL_GFLAGS_OK;
    bool ended = false;
    for (int i = 1; i < argc;) {
        if (ended || argv[i][0] != '-' || argv[i][1] == '\0') {
            argv[1 + extra++] = argv[i++];
            continue;
        }
        if (strcmp(argv[i], "--") == 0) {
            ended = true;
            i++;
            continue;
        }
        int used = take_flag(&parser, argc, argv, i);
        if (used < 0 && result == SL_GFLAGS_OK)
            result = -used;
        i += used < 0 ? 1 : used;
    }
    *out_extra = extra;
    return parser.bad ? SL_GFLAGS_BAD : result;
}
