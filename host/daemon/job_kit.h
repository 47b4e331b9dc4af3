/* host/daemon/job_kit.h: what a job's configuration asks for, and what is made of its streams: the
 * link from host/job to host/spec and host/rundir, which do not know one another. */
#pragma once

#include "host/job/run.h"
#include "host/report/categories_file.h"

struct sl_diag;
struct sl_probes;
struct sl_store;

struct sl_kit {
    struct sl_job_kit calls; /* for the devices */
    struct sl_categories categories;
    struct sl_probes *probes;
    struct sl_store *store; /* borrowed; whose directories it asks for */
};

/* 0, or a negative code with words. End with sl_kit_fini(), after the devices. */
int sl_kit_init(struct sl_kit *kit, const char *store, struct sl_diag *diag);
void sl_kit_fini(struct sl_kit *kit);
