/* tests/support/scratch.h: a fresh folder of the test program's own. */
#pragma once

#include <stdio.h>
#include <stdlib.h>

#include "tests/support/test.h"

static char scratch[64];

static inline void make_scratch(void)
{
    snprintf(scratch, sizeof(scratch), "/tmp/sl-scratch-XXXXXX");
    assert_non_null(mkdtemp(scratch));
}

/* Removes it with all that is in it. */
static inline void remove_scratch(void)
{
    char command[96];
    snprintf(command, sizeof(command), "rm -rf %s", scratch);
    assert_int_equal(system(command), 0);
}

/* A path in it; the fourth call from here overwrites it. */
static inline const char *below(const char *name)
{
    static char paths[4][192];
    static unsigned next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof(paths[0]), "%s/%s", scratch, name);
    return path;
}
