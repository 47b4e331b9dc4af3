/* host/cli/interrupt.h: SIGINT and SIGTERM while a verb waits for something. */
#pragma once

#include <signal.h>

/* From here on both are noted instead of ending the program. */
void sl_interrupt_catch(void);

/* Forgets the signal that came: what is left to be done may wait again. */
void sl_interrupt_clear(void);

/* The signal that came, or 0; and where that stands, for those who watch it themselves. */
int sl_interrupt_number(void);
const volatile sig_atomic_t *sl_interrupt_flag(void);

/* SL_EXIT_INTERRUPTED or SL_EXIT_TERMINATED, as the signal says. */
int sl_interrupt_exit(void);
