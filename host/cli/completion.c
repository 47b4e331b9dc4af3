/* host/cli/completion.c */
#include "host/cli/completion.h"

#include <string.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "host/cli/cli.h"

/* What stands before and after the verbs, and how each of them is written. */
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
         "2>/dev/null | grep -oE '(^| )--[a-z][a-z-]*' | sort -u)\" -- \"$cur\"))\n"
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
              "    _files\n"
              "fi\n"},
    {.name = "fish",
     .before = "# Completes sme2lab in fish; made by 'sme2lab completion fish'.\n"
               "function __sme2lab_options\n"
               "    set -l words (commandline -opc)\n"
               "    test (count $words) -ge 2; or return\n"
               "    $words[1] $words[2] --help 2>/dev/null | string match -ra -- "
               "'(?<=^| )--[a-z][a-z-]*' | sort -u\n"
               "end\n"
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

int sl_completion_script(const char *name, struct sl_buf *out)
{
    const struct shell *shell = NULL;
    for (size_t i = 0; i < sizeof(shells) / sizeof(shells[0]); i++) {
        if (strcmp(shells[i].name, name) == 0)
            shell = &shells[i];
    }
    if (!shell)
        return SL_E_NOT_FOUND;
    int rc = sl_buf_append(out, shell->before, strlen(shell->before));
    for (const struct sl_verb *verb = sl_verbs; verb->name && rc == 0; verb++) {
        if (verb->summary)
            rc = put_verb(out, shell->each, verb);
    }
    return rc < 0 ? rc : sl_buf_append(out, shell->after, strlen(shell->after));
}
