/* host/cli/completion.h: scripts that complete a command line in a shell. */
#pragma once

struct sl_buf;

/* Appends the script for "bash", "zsh" or "fish", made from the table of verbs. 0, SL_E_NOT_FOUND
 * for another shell, SL_E_LIMIT or -ENOMEM. */
int sl_completion_script(const char *shell, struct sl_buf *out);
