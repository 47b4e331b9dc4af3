/* tests/support/toy_lab.h: a directory for a host under test: the real native agent found, the toy
 * model among its blobs. */
#pragma once

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "common/base/error.h"
#include "host/device/tools.h"
#include "tests/support/toy_blob.h"

struct toy_lab {
    struct sl_tool agent;
    char root[128]; /* made by mkdtemp() of a template */
};

/* Finds the agent and makes the root; 0 or -1 with words on stderr. */
static inline int toy_lab_open(struct toy_lab *lab, const char *name)
{
    struct sl_diag diag = {0};
    signal(SIGPIPE, SIG_IGN);
    if (sl_tools_find_native_agent(&lab->agent, &diag) < 0) {
        fprintf(stderr, "%s: %s\n", diag.what, diag.hint);
        return -1;
    }
    snprintf(lab->root, sizeof(lab->root), "/tmp/sl-%s-XXXXXX", name);
    return mkdtemp(lab->root) ? 0 : -1;
}

/* Makes `folder`/blobs, below a folder that exists, with the toy model and its input. 0 or -1. */
static inline int toy_lab_blobs(const char *folder, char model[SL_SHA256_HEX_SIZE],
                                char input[SL_SHA256_HEX_SIZE])
{
    char blobs[256];
    snprintf(blobs, sizeof(blobs), "%s/blobs", folder);
    if (mkdir(blobs, 0700) < 0 || sl_toy_blob(folder, "model.pte", model) < 0)
        return -1;
    return sl_toy_blob(folder, "input-0.bin", input) < 0 ? -1 : 0;
}

static struct toy_lab toy;        /* one for each test program */
static struct sl_buf undisturbed; /* what an undisturbed run left, for the others to compare with */

static inline int toy_lab_tear_down(void **state)
{
    char command[160];
    (void)state;
    sl_buf_fini(&undisturbed);
    snprintf(command, sizeof(command), "rm -rf %s", toy.root);
    return system(command);
}
