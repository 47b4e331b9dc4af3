/* agent/executorch/pool.h: the threads that ExecuTorch's libraries start for themselves.
 *
 * They ask for the number once. Each is put on the CPU that the worker of the same place has:
 * without that all would stay on the caller's. */
#pragma once

#include <stdint.h>

struct sl_workers;

/* Before the libraries start a thread. NULL: there is only the caller. Borrowed. */
void sl_pool_use(const struct sl_workers *workers);
/* The caller included. */
uint32_t sl_pool_count(void);
