/* host/cli/completion.h: scripts that complete a command line in a shell. */
#pragma once

#include <stddef.h>

struct sl_buf;
struct sl_verb;
struct sl_cli;

/* Appends the script for "bash", "zsh" or "fish", made from the table of verbs. 0, SL_E_NOT_FOUND
 * for another shell, SL_E_LIMIT or -ENOMEM. */
int sl_completion_script(const char *shell, const struct sl_verb *verbs, struct sl_buf *out);

/* Appends what may stand in the place of the last of `words` (those behind `sme2lab`), one a line:
 * values of the option before it, the lab's devices, jobs or runs, a verb's own verbs. Nothing:
 * files. 0, SL_E_LIMIT or -ENOMEM. */
int sl_completion_words(const struct sl_cli *cli, const char *const *words, size_t count,
                        struct sl_buf *out);
