/* host/daemon/file_limit.h: how many files and connections this process may have open. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Raises the limit to `wanted`, or as far as the system lets it. Gives the limit as it is then,
 * which was not lowered. */
uint64_t sl_file_limit_raise(uint64_t wanted);

/* Raises it for as many connections as are let in at so many addresses and for the daemon's
 * files; a warning where the system does not give it. */
void sl_file_limit_for(size_t addresses);
