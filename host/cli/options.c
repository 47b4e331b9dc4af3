/* host/cli/options.c */
#include "host/cli/options.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/json.h"
#include "common/base/say.h"
#include "host/spec/nearest.h"

enum { MAX_PAGE_BYTES = 1 << 20, MAX_OPTIONS = 96, HELP_COLUMNS = 80, LEFT_COLUMNS = 28 };

static const struct sl_option *find_long(const struct sl_usage *usage, const char *word, size_t len)
{
    for (size_t i = 0; i < usage->option_count; i++) {
        const char *name = usage->options[i].name;
        if (strlen(name) == len && strncmp(name, word, len) == 0)
            return &usage->options[i];
    }
    return NULL;
}

static const struct sl_option *find_letter(const struct sl_usage *usage, char letter)
{
    for (size_t i = 0; i < usage->option_count; i++) {
        if (usage->options[i].letter == letter)
            return &usage->options[i];
    }
    return NULL;
}

static int unknown(const struct sl_usage *usage, const char *word, struct sl_diag *diag)
{
    const char *names[MAX_OPTIONS];
    size_t count = 0;
    for (size_t i = 0; i < usage->option_count && count < MAX_OPTIONS; i++)
        names[count++] = usage->options[i].name;
    const char *nearest = sl_nearest(word, names, count);
    if (nearest)
        sl_diag_hint(diag, "did you mean %s? 'sme2lab %s --help' lists all", nearest, usage->verb);
    else
        sl_diag_hint(diag, "'sme2lab %s --help' lists the options", usage->verb);
    return sl_diag_set(diag, SL_E_UNSUPPORTED, "command line",
                       "'%s' is not an option of sme2lab %s", word, usage->verb);
}

static int bad_value(const struct sl_option *option, const char *value, struct sl_diag *diag)
{
    sl_diag_hint(diag, "%s %s: %s", option->name, option->argument, option->help);
    return sl_diag_set(diag, SL_E_UNSUPPORTED, "command line", "%s does not take '%s'",
                       option->name, value);
}

static int store_number(const struct sl_option *option, const char *value, struct sl_diag *diag)
{
    char *end = NULL;
    errno = 0;
    if (option->kind == SL_OPTION_REAL) {
        double number = strtod(value, &end);
        if (end == value || *end || !isfinite(number))
            return bad_value(option, value, diag);
        *(double *)option->into = number;
        return 0;
    }
    long long number = strtoll(value, &end, 10);
    long long low = option->kind == SL_OPTION_WHOLE ? INT32_MIN : 0;
    if (end == value || *end || errno || number < low || number > INT32_MAX)
        return bad_value(option, value, diag);
    *(int64_t *)option->into = number;
    return 0;
}

static int store(const struct sl_option *option, const char *value, struct sl_diag *diag)
{
    if (option->kind == SL_OPTION_TEXT) {
        *(const char **)option->into = value;
        return 0;
    }
    if (option->kind == SL_OPTION_LIST) {
        struct sl_option_list *list = option->into;
        if (list->count == sizeof(list->items) / sizeof(list->items[0]))
            return sl_diag_set(diag, SL_E_UNSUPPORTED, "command line", "%s was given too often",
                               option->name);
        list->items[list->count++] = value;
        return 0;
    }
    return store_number(option, value, diag);
}

/* One option word at argv[*at]; steps *at over what belongs to it. */
static int take_option(const struct sl_usage *usage, int argc, char **argv, int *at,
                       struct sl_diag *diag)
{
    const char *word = argv[*at];
    bool is_long = word[1] == '-';
    const char *equals = is_long ? strchr(word, '=') : NULL;
    size_t len = equals ? (size_t)(equals - word) : strlen(word);
    const struct sl_option *option = is_long    ? find_long(usage, word, len)
                                     : len == 2 ? find_letter(usage, word[1])
                                                : NULL;
    ++*at;
    if (!option)
        return unknown(usage, word, diag);
    if (option->kind == SL_OPTION_FLAG) {
        if (equals)
            return sl_diag_set(diag, SL_E_UNSUPPORTED, "command line", "%s takes no value",
                               option->name);
        *(bool *)option->into = true;
        return 0;
    }
    if (!equals && *at >= argc) {
        sl_diag_hint(diag, "%s %s: %s", option->name, option->argument, option->help);
        return sl_diag_set(diag, SL_E_UNSUPPORTED, "command line", "%s needs a value",
                           option->name);
    }
    return store(option, equals ? equals + 1 : argv[(*at)++], diag);
}

int sl_options_parse(const struct sl_usage *usage, int argc, char **argv, const char **words,
                     size_t max_words, size_t *out_count, struct sl_diag *diag)
{
    size_t count = 0;
    bool options_ended = false;
    for (int i = 1; i < argc;) {
        const char *word = argv[i];
        if (!options_ended && strcmp(word, "--") == 0) {
            options_ended = true;
            i++;
        } else if (!options_ended && (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)) {
            sl_options_help(usage);
            return 1;
        } else if (!options_ended && strcmp(word, SL_OPTIONS_HELP_JSON) == 0) {
            sl_options_help_json(usage);
            return 1;
        } else if (!options_ended && word[0] == '-' && word[1]) {
            int rc = take_option(usage, argc, argv, &i, diag);
            if (rc < 0)
                return rc;
        } else if (count == max_words) {
            sl_diag_hint(diag, "usage: sme2lab %s %s", usage->verb, usage->synopsis);
            return sl_diag_set(diag, SL_E_UNSUPPORTED, "command line",
                               "'%s' is one word more than sme2lab %s takes", word, usage->verb);
        } else {
            words[count++] = word;
            i++;
        }
    }
    *out_count = count;
    return 0;
}

/* Bytes of `text` that fit in `room`, cut at a space; at least one. */
static size_t line_of(const char *text, size_t len, size_t room)
{
    size_t cut = room;
    if (len <= room)
        return len;
    while (cut > 0 && text[cut] != ' ')
        cut--;
    return cut > 0 ? cut : room;
}

/* One option's line; a long text goes on below its beginning. */
static void print_option(const char *left, const char *help)
{
    size_t room = HELP_COLUMNS - LEFT_COLUMNS - 3;
    sl_say(stdout, "  %-*s ", LEFT_COLUMNS, left);
    if (strlen(left) > LEFT_COLUMNS)
        sl_say(stdout, "\n  %-*s ", LEFT_COLUMNS, "");
    for (size_t cut; (cut = line_of(help, strlen(help), room)) < strlen(help);) {
        sl_say(stdout, "%.*s\n  %-*s ", (int)cut, help, LEFT_COLUMNS, "");
        help += cut + (help[cut] == ' ');
    }
    sl_say(stdout, "%s\n", help);
}

/* The words of one line, on from `column`; returns where they end. */
static size_t print_words(const char *line, size_t len, size_t column)
{
    for (size_t at = 0; at < len;) {
        size_t word = 0;
        while (at + word < len && line[at + word] != ' ')
            word++;
        if (column > 0 && column + 1 + word > HELP_COLUMNS) {
            sl_say(stdout, "\n");
            column = 0;
        }
        sl_say(stdout, "%s%.*s", column > 0 ? " " : "", (int)word, line + at);
        column += (column > 0) + word;
        at += word;
        while (at < len && line[at] == ' ')
            at++;
    }
    return column;
}

/* Sentences flow to the terminal's width; empty and indented lines stay as they are. */
static void print_text(const char *text)
{
    size_t column = 0;
    while (*text) {
        size_t len = strcspn(text, "\n");
        if (len == 0 || *text == ' ') {
            sl_say(stdout, "%s%.*s\n", column > 0 ? "\n" : "", (int)len, text);
            column = 0;
        } else {
            column = print_words(text, len, column);
        }
        text += len + (text[len] == '\n');
    }
    if (column > 0)
        sl_say(stdout, "\n");
}

/* The options of all verbs, or of those that speak to the daemon. */
static const struct {
    const char *left, *help;
    bool http;
} common[] = {
    {"--json", "print the result, and any error, as JSON", false},
    {"-q, --quiet", "print results and errors only", false},
    {"-v, --verbose", "say more", false},
    {"--color WHEN", "auto, always or never (NO_COLOR is respected)", false},
    {"--server ADDRESS", "the daemon: unix:PATH, http://127.0.0.1:PORT or https://HOST:PORT", true},
    {"--token-file FILE", "file with the token that the daemon asks for over TCP", true},
    {"--cacert FILE", "certificates that the daemon's is trusted by, instead of the system's",
     true},
};

void sl_options_help(const struct sl_usage *usage)
{
    sl_say(stdout, "usage: sme2lab %s %s\n\n", usage->verb, usage->synopsis);
    print_text(usage->about);
    if (usage->option_count > 0)
        sl_say(stdout, "\nOptions:\n");
    for (size_t i = 0; i < usage->option_count; i++) {
        const struct sl_option *option = &usage->options[i];
        char left[64];
        if (option->letter)
            snprintf(left, sizeof(left), "-%c, %s %s", option->letter, option->name,
                     option->argument ? option->argument : "");
        else
            snprintf(left, sizeof(left), "%s %s", option->name,
                     option->argument ? option->argument : "");
        print_option(left, option->help);
    }
    for (size_t i = 0; i < sizeof(common) / sizeof(common[0]); i++) {
        if (!common[i].http || usage->speaks_http)
            print_option(common[i].left, common[i].help);
    }
    if (usage->notes) {
        sl_say(stdout, "\n");
        print_text(usage->notes);
    }
}

static void put_option(struct sl_json *json, const struct sl_option *option)
{
    const char letter[] = {option->letter, '\0'};
    sl_json_open_object(json, NULL);
    sl_json_text(json, "name", option->name);
    sl_json_text(json, "letter", letter[0] ? letter : NULL);
    sl_json_text(json, "argument", option->argument);
    sl_json_text(json, "help", option->help);
    sl_json_close_object(json);
}

void sl_options_help_json(const struct sl_usage *usage)
{
    struct sl_buf text;
    struct sl_json json;
    sl_buf_init(&text, MAX_PAGE_BYTES);
    sl_json_init(&json, &text);
    sl_json_open_object(&json, NULL);
    sl_json_text(&json, "schema", "sme2lab.help/1");
    sl_json_text(&json, "verb", usage->verb);
    sl_json_text(&json, "synopsis", usage->synopsis);
    sl_json_text(&json, "about", usage->about);
    sl_json_open_array(&json, "options");
    for (size_t i = 0; i < usage->option_count; i++)
        put_option(&json, &usage->options[i]);
    sl_json_close_array(&json);
    sl_json_text(&json, "notes", usage->notes);
    sl_json_close_object(&json);
    if (json.error == 0)
        sl_buf_print_line(&text);
    sl_buf_fini(&text);
}
