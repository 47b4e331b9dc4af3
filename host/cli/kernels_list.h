/* host/cli/kernels_list.h: the agent's list of kernels for people. */
#pragma once

struct cJSON;
struct sl_buf;

/* Appends the list (the agent's JSON) in lines of at most `width` columns, kernels below their
 * family and what it is for. `cpu` is the emulated CPU that it was made on, NULL: this machine.
 * 0, SL_E_LIMIT or -ENOMEM. */
int sl_kernels_list_text(struct sl_buf *out, const struct cJSON *list, const char *cpu, int width);
