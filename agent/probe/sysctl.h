/* agent/probe/sysctl.h: what macOS knows by name. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A number of four or eight bytes; false, and nothing written, where there is none of that name. */
bool sl_sysctl_number(const char *name, int64_t *out);

/* A text; "" where there is none or it does not fit. */
void sl_sysctl_text(const char *name, char *out, size_t size);
