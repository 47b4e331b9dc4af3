/* agent/run/gflags.c */
#include "agent/run/gflags.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/base/say.h"

static const char *const type_names[] = {"string", "bool", "int32", "uint32", "uint64", "double"};

enum { MAX_FILE_BYTES = 65536, MAX_DEPTH = 8 };

struct parser {
    const struct sl_flag *flags;
    size_t count;
    FILE *err;
    const char *undefok; /* comma list of flags that need not exist */
    int depth;           /* of --flagfile in a --flagfile */
    bool bad;
};

/* Values read from flag files point into this text until the next call of sl_gflags_parse(). */
static char file_text[MAX_FILE_BYTES];
static size_t file_used;

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
        sl_say(parser->err, "ERROR: flag '--%s' is missing its argument; flag description: %s\n",
               flag->name, flag->help);
        parser->bad = true;
    } else if (!set_value(flag, text)) {
        sl_say(parser->err, "ERROR: illegal value '%s' specified for %s flag '%s'\n", text,
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

/* True if the comma list `list` holds the name, or the name without its leading "no". */
static bool list_has(const char *list, const char *name, size_t len)
{
    while (*list) {
        size_t word = strcspn(list, ",");
        if (word > 0 &&
            ((word == len && memcmp(list, name, len) == 0) ||
             (word + 2 == len && memcmp(name, "no", 2) == 0 && memcmp(list, name + 2, word) == 0)))
            return true;
        list += word + (list[word] == ',');
    }
    return false;
}

/* --nof, or a name that nobody knows. */
static void take_unknown(struct parser *parser, const char *name, size_t len)
{
    const struct sl_flag *flag = NULL;
    if (list_has(parser->undefok, name, len))
        return;
    if (len > 2 && name[0] == 'n' && name[1] == 'o')
        flag = find(parser, name + 2, len - 2);
    if (flag && flag->type == SL_FLAG_BOOL) {
        take(parser, flag, "0");
        return;
    }
    if (flag)
        sl_say(parser->err, "ERROR: boolean value (%.*s) specified for %s command line flag\n",
               (int)len, name, type_names[flag->type]);
    else
        sl_say(parser->err, "ERROR: unknown command line flag '%.*s'\n", (int)len, name);
    parser->bad = true;
}

/* The values of the flags in the comma list `names` come from FLAGS_<name> in the environment. */
static void take_environment(struct parser *parser, const char *names, bool needed)
{
    char variable[80];
    for (size_t len; *names; names += len + (names[len] == ',')) {
        len = strcspn(names, ",");
        const struct sl_flag *flag = find(parser, names, len);
        if (!flag) {
            sl_say(parser->err,
                   "ERROR: unknown command line flag '%.*s' (via --fromenv or --tryfromenv)\n",
                   (int)len, names);
            parser->bad = true;
            continue;
        }
        snprintf(variable, sizeof(variable), "FLAGS_%s", flag->name);
        const char *text = getenv(variable);
        if (text) {
            take(parser, flag, text);
        } else if (needed) {
            sl_say(parser->err, "ERROR: %s not found in environment\n", variable);
            parser->bad = true;
        }
    }
}

/* Reads a file behind those read before it; NULL and one line on `err` where it cannot be. */
static char *read_text(struct parser *parser, const char *path, size_t path_len)
{
    char name[4096];
    if (path_len >= sizeof(name))
        path_len = sizeof(name) - 1;
    memcpy(name, path, path_len);
    name[path_len] = '\0';
    errno = 0;
    FILE *file = fopen(name, "r");
    char *text = file_text + file_used;
    size_t room = sizeof(file_text) - file_used;
    size_t got = file ? fread(text, 1, room, file) : 0;
    int error = errno;
    if (file)
        fclose(file);
    if (got == room)
        sl_say(parser->err, "ERROR: files of flags hold at most %d bytes\n", MAX_FILE_BYTES - 1);
    else if (error != 0)
        sl_say(parser->err, "%s: %s\n", name, strerror(error));
    if (got == room || error != 0) {
        parser->bad = true;
        return NULL;
    }
    text[got] = '\0';
    file_used += got + 1;
    return text;
}

/* A line without a dash names programs; the flags below it are theirs alone. */
static bool names_us(char *line)
{
    char *rest;
    for (char *word = strtok_r(line, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        if (fnmatch(word, "executor_runner", 0) == 0 || fnmatch(word, "sme2lab-agent", 0) == 0)
            return true;
    }
    return false;
}

static bool take_own(struct parser *parser, const char *name, size_t len, const char *value);

/* One line `--flag=value` of a file. As in gflags, one that is no flag's is passed over. */
static void take_line(struct parser *parser, const char *line)
{
    const char *name = line + (line[1] == '-' ? 2 : 1);
    size_t len = strcspn(name, "=");
    const char *value = name[len] ? name + len + 1 : NULL;
    const struct sl_flag *flag = find(parser, name, len);
    if (!flag && len > 2 && memcmp(name, "no", 2) == 0 && !value) {
        flag = find(parser, name + 2, len - 2);
        flag = flag && flag->type == SL_FLAG_BOOL ? flag : NULL;
        value = "0";
    }
    if (flag && !value && flag->type == SL_FLAG_BOOL)
        value = "1";
    if (flag && value)
        take(parser, flag, value);
    else if (!flag && value)
        take_own(parser, name, len, value);
}

static void take_file(struct parser *parser, const char *path, size_t path_len)
{
    bool ours = true, among_names = false;
    char *rest, *text = read_text(parser, path, path_len);
    if (!text)
        return;
    for (char *line = strtok_r(text, "\r\n", &rest); line; line = strtok_r(NULL, "\r\n", &rest)) {
        line += strspn(line, " \t");
        if (*line == '\0' || *line == '#')
            continue;
        if (*line == '-') {
            among_names = false;
            if (ours)
                take_line(parser, line);
        } else {
            ours = (among_names && ours) || names_us(line);
            among_names = true;
        }
    }
}

/* The flags that gflags itself brings and that take a value; false for other names. */
static bool take_own(struct parser *parser, const char *name, size_t len, const char *value)
{
    static const char *const files[] = {"flagfile", NULL}, *const undefok[] = {"undefok", NULL};
    static const char *const fromenv[] = {"fromenv", NULL}, *const tryenv[] = {"tryfromenv", NULL};
    if (is_one_of(name, len, fromenv)) {
        take_environment(parser, value, true);
    } else if (is_one_of(name, len, tryenv)) {
        take_environment(parser, value, false);
    } else if (!is_one_of(name, len, files)) {
        return is_one_of(name, len, undefok); /* found before all others */
    } else if (parser->depth == MAX_DEPTH) {
        sl_say(parser->err, "ERROR: files of flags name each other more than %d deep\n", MAX_DEPTH);
        parser->bad = true;
    } else {
        parser->depth++;
        for (size_t part; *value; value += part + (value[part] == ',')) {
            part = strcspn(value, ",");
            take_file(parser, value, part);
        }
        parser->depth--;
    }
    return true;
}

/* The value of the command line's last --undefok. */
static const char *find_undefok(int argc, char **argv)
{
    const char *found = "";
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        const char *name = argv[i] + strspn(argv[i], "-");
        if (argv[i][0] != '-' || strncmp(name, "undefok", 7) != 0)
            continue;
        if (name[7] == '=')
            found = name + 8;
        else if (name[7] == '\0' && i + 1 < argc)
            found = argv[i + 1];
    }
    return found;
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
    const char *given = value ? value : i + 1 < argc ? argv[i + 1] : "";
    if (!flag && take_own(parser, name, len, given))
        return value ? 1 : 2;
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
    parser.undefok = find_undefok(argc, argv);
    file_used = 0;
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
