/* host/cli/cli.c */
#include "host/cli/cli.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/json.h"
#include "common/base/say.h"
#include "common/base/utf8.h"
#include "host/cli/exit_code.h"
#include "host/cli/options.h"
#include "host/report/style.h"
#include "host/report/table.h"
#include "host/spec/nearest.h"

enum { MAX_ERROR_JSON_BYTES = 1 << 16, MAX_TABLE_BYTES = 16 << 20, MAX_VERBS = 64 };

static int terminal_width(void)
{
    struct winsize size;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 20)
        return size.ws_col;
    return 100;
}

static bool auto_color(void)
{
    const char *refused = getenv("NO_COLOR");
    const char *term = getenv("TERM");
    return isatty(STDOUT_FILENO) && !(refused && *refused) && term && strcmp(term, "dumb") != 0;
}

/* Is stdout a terminal in a UTF-8 locale? A pipe gets plain text. */
static bool draws_unicode(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    const char *locale = NULL, *term = getenv("TERM");
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && !(locale && *locale); i++)
        locale = getenv(names[i]);
    return isatty(STDOUT_FILENO) && term && strcmp(term, "dumb") != 0 && locale &&
           (strstr(locale, "UTF-8") || strstr(locale, "utf8"));
}

static int choose_color(struct sl_cli *cli, const char *when, struct sl_diag *diag)
{
    if (strcmp(when, "auto") == 0)
        return 0;
    if (strcmp(when, "always") != 0 && strcmp(when, "never") != 0) {
        sl_diag_hint(diag, "say --color auto, --color always or --color never");
        return sl_diag_set(diag, SL_E_UNSUPPORTED, "--color", "--color does not take '%s'", when);
    }
    cli->color = strcmp(when, "always") == 0;
    return 0;
}

/* Takes `name` with its value, as one word or two: returns how many, or a code. */
static int take_text(const char *name, const char **into, int argc, char **argv, int i,
                     struct sl_diag *diag)
{
    size_t len = strlen(name);
    if (strncmp(argv[i], name, len) != 0 || (argv[i][len] != '=' && argv[i][len] != '\0'))
        return 0;
    bool joined = argv[i][len] == '=';
    const char *value = joined ? argv[i] + len + 1 : i + 1 < argc ? argv[i + 1] : "";
    if (!*value) {
        sl_diag_hint(diag, "'sme2lab help' explains it");
        return sl_diag_set(diag, SL_E_UNSUPPORTED, "command line", "%s needs a value", name);
    }
    *into = value;
    return joined ? 1 : 2;
}

/* Takes argv[i], if it is an option of all verbs: returns how many words that were, or a code. */
static int take_global(struct sl_cli *cli, int argc, char **argv, int i, struct sl_diag *diag)
{
    const char *word = argv[i];
    if (strcmp(word, "--json") == 0) {
        cli->json = true;
    } else if (strcmp(word, "-q") == 0 || strcmp(word, "--quiet") == 0) {
        cli->quiet = true;
    } else if (strcmp(word, "-v") == 0 || strcmp(word, "--verbose") == 0) {
        cli->verbose = true;
    } else if (strncmp(word, "--color=", 8) == 0) {
        int rc = choose_color(cli, word + 8, diag);
        return rc < 0 ? rc : 1;
    } else if (strcmp(word, "--color") == 0) {
        int rc = choose_color(cli, i + 1 < argc ? argv[i + 1] : "", diag);
        return rc < 0 ? rc : 2;
    } else {
        int taken = take_text("--server", &cli->server, argc, argv, i, diag);
        if (taken == 0)
            taken = take_text("--token-file", &cli->token_file, argc, argv, i, diag);
        return taken != 0 ? taken : take_text("--cacert", &cli->ca_file, argc, argv, i, diag);
    }
    return 1;
}

int sl_cli_init(struct sl_cli *cli, int *argc, char **argv, struct sl_diag *diag)
{
    *cli = (struct sl_cli){.color = auto_color(),
                           .unicode = draws_unicode(),
                           .live = isatty(STDERR_FILENO),
                           .width = terminal_width()};
    int kept = 1, rc = 0;
    bool raw = false; /* after "--" */
    for (int i = 1; i < *argc;) {
        int taken = raw ? 0 : take_global(cli, *argc, argv, i, diag);
        if (taken < 0) {
            rc = rc ? rc : taken; /* go on: --json may yet come */
            taken = 1;
        }
        raw = raw || strcmp(argv[i], "--") == 0;
        if (taken == 0)
            argv[kept++] = argv[i++];
        i += taken;
    }
    argv[kept] = NULL;
    *argc = kept;
    cli->live = cli->live && !cli->quiet;
    return rc;
}

static void print_error_json(int exit_code, const struct sl_diag *diag)
{
    struct sl_buf text;
    struct sl_json json;
    sl_buf_init(&text, MAX_ERROR_JSON_BYTES);
    sl_json_init(&json, &text);
    sl_json_open_object(&json, NULL);
    sl_json_text(&json, "schema", "sme2lab.error/1");
    sl_json_open_object(&json, "error");
    sl_json_text(&json, "code", sl_exit_name(exit_code));
    sl_json_text(&json, "message", diag->what);
    sl_json_text(&json, "where", diag->where[0] ? diag->where : NULL);
    sl_json_text(&json, "hint", diag->hint[0] ? diag->hint : NULL);
    sl_json_close_object(&json);
    sl_json_close_object(&json);
    if (json.error == 0)
        sl_say(stdout, "%s\n", (const char *)text.data);
    sl_buf_fini(&text);
}

/* Some sentences begin with a name, which keeps its letters: "import.json is ...". */
static void begin_with_capital(char *text)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz";
    if (text[strspn(text, letters)] == ' ')
        text[0] = (char)toupper((unsigned char)text[0]);
}

int sl_cli_fail(const struct sl_cli *cli, int exit_code, const struct sl_diag *diag)
{
    struct sl_diag shown = *diag;
    sl_utf8_clean(shown.what, "");
    begin_with_capital(shown.what);
    sl_utf8_clean(shown.where, "");
    sl_utf8_clean(shown.hint, "");
    fflush(stdout);
    sl_say(stderr, "sme2lab: %s.\n", shown.what[0] ? shown.what : sl_exit_name(exit_code));
    if (shown.where[0])
        sl_say(stderr, "  where: %s\n", shown.where);
    if (shown.hint[0])
        sl_say(stderr, "  fix: %s\n", shown.hint);
    if (cli->json)
        print_error_json(exit_code, diag);
    return exit_code;
}

static int unknown_verb(const struct sl_cli *cli, const char *name)
{
    struct sl_diag diag = {0};
    const char *names[MAX_VERBS];
    size_t count = 0;
    for (const struct sl_verb *verb = cli->verbs; verb->name && count < MAX_VERBS; verb++) {
        if (verb->summary) /* one that this version has */
            names[count++] = verb->name;
    }
    const char *nearest = sl_nearest(name, names, count);
    sl_diag_set(&diag, SL_E_NOT_FOUND, "command line", "'%s' is not a verb of sme2lab", name);
    if (nearest)
        sl_diag_hint(&diag, "did you mean 'sme2lab %s'? 'sme2lab help' lists all", nearest);
    else
        sl_diag_hint(&diag, "'sme2lab help' lists the verbs");
    return sl_cli_fail(cli, SL_EXIT_USAGE, &diag);
}

int sl_cli_main(int argc, char **argv, const struct sl_verb *verbs)
{
    static char help_json[] = SL_OPTIONS_HELP_JSON;
    struct sl_cli cli;
    struct sl_diag diag = {0};
    int rc = sl_cli_init(&cli, &argc, argv, &diag);
    cli.verbs = verbs;
    if (rc < 0)
        return sl_cli_fail(&cli, SL_EXIT_USAGE, &diag);
    for (int i = 2; i < argc && cli.json && strcmp(argv[i], "--") != 0; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            argv[i] = help_json;
    }
    const char *name = argc < 2 ? "help" : argv[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        name = "help";
    if (strcmp(name, "--version") == 0)
        name = "version";
    for (const struct sl_verb *verb = verbs; verb->name; verb++) {
        if (strcmp(name, verb->name) == 0) {
            int code = verb->run(&cli, argc < 2 ? 1 : argc - 1, argc < 2 ? argv : argv + 1);
            code = argc < 2 ? SL_EXIT_USAGE : code;
            return fflush(stdout) == 0 || errno == EPIPE ? code : SL_EXIT_LAB;
        }
    }
    return unknown_verb(&cli, name);
}

int sl_cli_table(const struct sl_cli *cli, struct sl_table *table, const char *none)
{
    const struct sl_style style = {.width = cli->width, .color = cli->color};
    struct sl_buf text;
    sl_buf_init(&text, MAX_TABLE_BYTES);
    int rc = table->error == 0 && sl_table_is_empty(table) ? sl_buf_printf(&text, "%s\n", none)
                                                           : sl_table_show(&text, &style, table);
    if (rc == 0)
        sl_say_page(stdout, &text);
    sl_buf_fini(&text);
    sl_table_fini(table);
    return sl_exit_for_error(rc);
}
