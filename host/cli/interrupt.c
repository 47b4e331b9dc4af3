/* host/cli/interrupt.c */
#include "host/cli/interrupt.h"

#include <signal.h>

#include "host/cli/cli.h"

static volatile sig_atomic_t came;

static void note(int number)
{
    came = number;
}

void sl_interrupt_catch(void)
{
    struct sigaction action = {.sa_handler = note};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

void sl_interrupt_clear(void)
{
    came = 0;
}

int sl_interrupt_number(void)
{
    return came;
}

const volatile sig_atomic_t *sl_interrupt_flag(void)
{
    return &came;
}

int sl_interrupt_exit(void)
{
    return came == SIGTERM ? SL_EXIT_TERMINATED : SL_EXIT_INTERRUPTED;
}
