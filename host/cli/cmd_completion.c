/* host/cli/cmd_completion.c: `sme2lab completion`: the verbs come from the table, the options from
 * each verb's own page when they are asked for, so that neither can be out of date. */
#include <stdio.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/json.h"
#include "common/base/say.h"
#include "host/cli/ask.h"
#include "host/cli/cli.h"
#include "host/cli/completion.h"
#include "host/cli/exit_code.h"
#include "host/cli/options.h"

enum { MAX_SCRIPT_BYTES = 64 << 10, MAX_WORDS = 256 };

/* For the scripts: the candidates for the last of the words. */
static int print_words(const struct sl_cli *cli, const char *const *words, size_t count)
{
    struct sl_buf text;
    sl_buf_init(&text, MAX_SCRIPT_BYTES);
    int rc = sl_completion_words(cli, words, count, &text);
    if (rc == 0 && text.size > 0)
        sl_say_page(stdout, &text);
    sl_buf_fini(&text);
    return sl_exit_for_error(rc);
}

int sl_cmd_completion(const struct sl_cli *cli, int argc, char **argv)
{
    static const struct sl_usage usage = {
        .verb = "completion",
        .synopsis = "bash|zsh|fish",
        .about = "Prints a script that completes verbs, options, their values, the lab's devices,\n"
                 "jobs and runs, and files.",
        .notes =
            "  bash: sme2lab completion bash > ~/.local/share/bash-completion/completions/sme2lab\n"
            "  zsh:  sme2lab completion zsh > \"${fpath[1]}/_sme2lab\"\n"
            "  fish: sme2lab completion fish > ~/.config/fish/completions/sme2lab.fish"};
    const char *words[MAX_WORDS] = {""}, *shell;
    struct sl_diag diag = {0};
    struct sl_buf text;
    struct sl_json json;
    struct sl_buf object;
    size_t count;
    int code;
    if (!sl_ask_words(cli, &usage, argc, argv, words, MAX_WORDS, "the name of a shell", &count,
                      &code))
        return code;
    shell = words[0];
    if (strcmp(shell, "words") == 0)
        return print_words(cli, words + 1, count - 1);
    sl_buf_init(&text, MAX_SCRIPT_BYTES);
    sl_buf_init(&object, 2 * MAX_SCRIPT_BYTES);
    int rc = sl_completion_script(shell, cli->verbs, &text);
    if (rc == SL_E_NOT_FOUND) {
        sl_diag_hint(&diag, "say bash, zsh or fish");
        sl_diag_set(&diag, rc, "command line", "There is no completion for '%.40s'", shell);
        code = sl_cli_fail(cli, SL_EXIT_USAGE, &diag);
    } else if (rc == 0 && cli->json) {
        sl_json_init(&json, &object);
        sl_json_open_object(&json, NULL);
        sl_json_text(&json, "schema", "sme2lab.completion/1");
        sl_json_text(&json, "shell", shell);
        sl_json_text(&json, "script", (const char *)text.data);
        sl_json_close_object(&json);
        code = sl_exit_for_error(json.error < 0 ? json.error : sl_buf_print_line(&object));
    } else if (rc == 0) {
        sl_say_page(stdout, &text);
    } else {
        code = sl_exit_for_error(rc);
    }
    sl_buf_fini(&object);
    sl_buf_fini(&text);
    return code;
}
