/* tests/support/store_folder.h: a fresh folder with the path of a store in it, for each test of a
 * group. */
#pragma once

#include <stdio.h>
#include <stdlib.h>

#include "tests/support/test.h"

static char store_folder[64], store_path[384];

static int make_store_folder(void **state)
{
    (void)state;
    snprintf(store_folder, sizeof(store_folder), "/tmp/sl-store-XXXXXX");
    if (!mkdtemp(store_folder))
        return -1;
    snprintf(store_path, sizeof(store_path), "%s/store.sqlite", store_folder);
    return 0;
}

static int remove_store_folder(void **state)
{
    char command[96];
    (void)state;
    snprintf(command, sizeof(command), "rm -rf %s", store_folder);
    return system(command);
}

/* The columns of jobs as they were first, then their owner; a later one has its default. */
#define STORE_INSERT_JOB                                                                           \
    "INSERT INTO jobs (id, state, cause, priority, attempts, submitted_ms, started_ms, ended_ms, " \
    "lease_until_ms, run, cancel_wanted, selector, device, detail, config, idempotency_key, "      \
    "owner) "

#define STORE_TEST(name) TEST_WITH(name, make_store_folder, remove_store_folder)
