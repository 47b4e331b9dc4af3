/* tests/fuzz/fuzz_program.h: loads bytes that may be a program and executes its methods. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct sl_data;

/* `external`: its .ptd, or NULL; both are borrowed for the call. */
void fuzz_program_run(const uint8_t *data, size_t size, const struct sl_data *external);
