/* host/cli/completion.c */
#include "host/cli/completion.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "host/cli/cli.h"
#include "host/cli/client.h"
#include "host/spec/json_value.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* The text before and after the verbs, and the form of each of them. */
struct shell {
    const char *name, *before, *each, *after;
};

static const struct shell shells[] = {
    {.name = "bash",
     .before = "# Completes sme2lab in bash; made by 'sme2lab completion bash'.\n"
               "_sme2lab() {\n"
               "    local cur=\"${COMP_WORDS[COMP_CWORD]}\" verbs=\"\n",
     .each = "        @\n",
     .after =
         "    \"\n"
         "    COMPREPLY=()\n"
         "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
         "        COMPREPLY=($(compgen -W \"$verbs\" -- \"$cur\"))\n"
         "    elif [ \"${cur#-}\" != \"$cur\" ]; then\n"
         "        COMPREPLY=($(compgen -W \"$(\"${COMP_WORDS[0]}\" \"${COMP_WORDS[1]}\" --help "
         "2>/dev/null | grep -oE '(^| )--[a-z][a-z-]*' | tr -d ' ' | sort -u)\" -- \"$cur\"))\n"
         "    else\n"
         "        COMPREPLY=($(compgen -W \"$(\"${COMP_WORDS[0]}\" completion words -- "
         "\"${COMP_WORDS[@]:1:COMP_CWORD}\" 2>/dev/null)\" -- \"$cur\"))\n"
         "    fi\n"
         "}\n"
         "complete -o default -F _sme2lab sme2lab\n"},
    {.name = "zsh",
     .before = "#compdef sme2lab\n"
               "# Completes sme2lab in zsh; made by 'sme2lab completion zsh'.\n"
               "local -a verbs options\n"
               "verbs=(\n",
     .each = "    '@:~'\n",
     .after = ")\n"
              "if (( CURRENT == 2 )); then\n"
              "    _describe 'verb' verbs\n"
              "elif [[ \"$PREFIX\" == -* ]]; then\n"
              "    options=(${(f)\"$(\"${words[1]}\" \"${words[2]}\" --help 2>/dev/null | grep -oE "
              "'(^| )--[a-z][a-z-]*' | tr -d ' ' | sort -u)\"})\n"
              "    compadd -a options\n"
              "else\n"
              "    options=(${(f)\"$(\"${words[1]}\" completion words -- "
              "\"${(@)words[2,CURRENT]}\" 2>/dev/null)\"})\n"
              "    compadd -a options || _files\n"
              "fi\n"},
    {.name = "fish",
     .before = "# Completes sme2lab in fish; made by 'sme2lab completion fish'.\n"
               "function __sme2lab_options\n"
               "    set -l words (commandline -opc)\n"
               "    test (count $words) -ge 2; or return\n"
               "    $words[1] $words[2] --help 2>/dev/null | string match -ra -- "
               "'(?<=^| )--[a-z][a-z-]*' | sort -u\n"
               "end\n"
               "function __sme2lab_words\n"
               "    set -l words (commandline -opc) (commandline -ct)\n"
               "    $words[1] completion words -- $words[2..-1] 2>/dev/null\n"
               "end\n"
               "complete -c sme2lab -n 'not __fish_use_subcommand' -a '(__sme2lab_words)'\n"
               "complete -c sme2lab -n 'not __fish_use_subcommand' -a '(string match -q -- \"-*\" "
               "(commandline -ct); and __sme2lab_options)'\n",
     .each = "complete -c sme2lab -f -n __fish_use_subcommand -a @ -d '~'\n",
     .after = ""},
};

/* In `each` '@' is the name and '~' the summary, without what would end a quotation or a field. */
static int put_verb(struct sl_buf *out, const char *each, const struct sl_verb *verb)
{
    int rc = 0;
    for (; *each && rc == 0; each++) {
        const char *text = *each == '@' ? verb->name : *each == '~' ? verb->summary : NULL;
        if (!text)
            rc = sl_buf_append(out, each, 1);
        for (; text && *text && rc == 0; text++)
            rc = *text == '\'' || *text == ':' ? 0 : sl_buf_append(out, text, 1);
    }
    return rc;
}

int sl_completion_script(const char *name, const struct sl_verb *verbs, struct sl_buf *out)
{
    const struct shell *shell = NULL;
    for (size_t i = 0; i < COUNT(shells); i++) {
        if (strcmp(shells[i].name, name) == 0)
            shell = &shells[i];
    }
    if (!shell)
        return SL_E_NOT_FOUND;
    int rc = sl_buf_append(out, shell->before, strlen(shell->before));
    for (const struct sl_verb *verb = verbs; verb->name && rc == 0; verb++) {
        if (verb->summary)
            rc = put_verb(out, shell->each, verb);
    }
    return rc < 0 ? rc : sl_buf_append(out, shell->after, strlen(shell->after));
}

/* --- what the pages of verbs do not say --- */

/* A list of the daemon's: where it is, and the member that is offered. */
struct list {
    const char *path, *name, *member;
};
static const struct list devices = {"/api/v1/devices", "devices", "name"};
static const struct list jobs = {"/api/v1/jobs", "jobs", "id"};
static const struct list runs = {"/api/v1/runs", "runs", "id"};

/* `verb` NULL: of every verb. */
static const struct {
    const char *verb, *option, *values;
    const struct list *list;
} values[] = {
    {NULL, "--device", "local counted emulated sme2", &devices},
    {NULL, "--color", "auto always never", NULL},
    {NULL, "--server", "private unix: http://127.0.0.1:", NULL},
    {NULL, "--svl", "128 256 512 1024 2048", NULL},
    {NULL, "--runtime", "own executorch own,executorch", NULL},
    {NULL, "--variant", "off on", NULL},
    {"jobs", "--state", "queued running done failed cancelled", NULL},
    {"runs", "--since", "2h 1d 7d", NULL},
    {"token", "--role", "read submit admin", NULL},
    {"token", "--scopes", "read submit cancel-any devices admin runner-code", NULL},
    {"report", "--format", "md html svg perfetto junit json csv comment", NULL},
    {"kernels", "--type", "f32 f16 bf16 qs8 qd8 q4 q4_g32 q4_g64 q4_g128 convert", NULL},
    {"kernels", "--engine", "sme2 neon portable", NULL},
    {"kernels", "--clock", "ns instructions", NULL},
};

/* The words that may follow a verb. */
static const struct {
    const char *verb, *values;
    const struct list *list;
} words_of[] = {
    {"token", "add list revoke", NULL},
    {"device", "show quarantine release reserve probe calibrate add remove clean results pair",
     NULL},
    {"kernels", "bench", NULL},
    {"baseline", "write check", NULL},
    {"completion", "bash zsh fish", NULL},
    {"watch", "", &jobs},
    {"wait", "", &jobs},
    {"cancel", "", &jobs},
    {"show", "", &runs},
    {"logs", "", &runs},
    {"label", "", &runs},
    {"rm", "", &runs},
    {"report", "", &runs},
    {"compare", "", &runs},
};

static int put_values(struct sl_buf *out, const char *text)
{
    int rc = 0;
    while (rc == 0 && *text) {
        size_t len = strcspn(text, " ");
        rc = sl_buf_printf(out, "%.*s\n", (int)len, text);
        text += len + (text[len] == ' ');
    }
    return rc;
}

/* Shells expand the words that they are offered, and a server may call a device "$(...)". */
static bool is_plain(const char *word)
{
    static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._:-";
    return word[0] != '\0' && word[0] != '-' && word[strspn(word, safe)] == '\0';
}

/* A daemon that does not answer has nothing to offer. */
static int put_list(const struct sl_cli *cli, const struct list *list, struct sl_buf *out)
{
    struct sl_client *client = NULL;
    cJSON *answer = NULL, *row;
    int rc = 0;
    if (sl_client_open_any(cli, &client, NULL) < 0)
        return 0;
    if (sl_client_get(client, list->path, NULL, &answer, NULL) == 0) {
        cJSON_ArrayForEach(row, sl_value(answer, list->name))
        {
            const cJSON *member = sl_value(row, list->member);
            if (rc == 0 && cJSON_IsString(member)) {
                if (is_plain(member->valuestring))
                    rc = sl_buf_printf(out, "%s\n", member->valuestring);
            } else if (rc == 0) {
                rc = sl_buf_printf(out, "%" PRIu64 "\n", sl_value_u64(row, list->member));
            }
        }
    }
    cJSON_Delete(answer);
    sl_client_free(client);
    return rc;
}

static int put_verbs(const struct sl_verb *verbs, struct sl_buf *out)
{
    int rc = 0;
    for (const struct sl_verb *verb = verbs; verb->name && rc == 0; verb++)
        rc = verb->summary ? sl_buf_printf(out, "%s\n", verb->name) : 0;
    return rc;
}

int sl_completion_words(const struct sl_cli *cli, const char *const *words, size_t count,
                        struct sl_buf *out)
{
    const char *verb = count > 0 ? words[0] : "", *before = count > 1 ? words[count - 2] : "";
    if (count <= 1 || (count == 2 && strcmp(verb, "help") == 0))
        return put_verbs(cli->verbs, out);
    for (size_t i = 0; i < COUNT(values); i++) {
        if (strcmp(values[i].option, before) != 0 ||
            (values[i].verb && strcmp(values[i].verb, verb) != 0))
            continue;
        int rc = put_values(out, values[i].values);
        return rc == 0 && values[i].list ? put_list(cli, values[i].list, out) : rc;
    }
    if (before[0] == '-') /* its value is a file, or none's business */
        return 0;
    for (size_t i = 0; i < COUNT(words_of); i++) {
        if (strcmp(words_of[i].verb, verb) != 0 || (!words_of[i].list && count > 2))
            continue;
        int rc = put_values(out, words_of[i].values);
        return rc == 0 && words_of[i].list ? put_list(cli, words_of[i].list, out) : rc;
    }
    return 0;
}
