/* host/cli/estimated_policy.c */
#define _XOPEN_SOURCE 700 /* mkdtemp */
#include "host/cli/estimated_policy.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "common/base/path.h"
#include "common/base/say.h"
#include "common/base/tree_remove.h"
#include "host/analysis/silicon.h"
#include "host/cli/cli.h"
#include "host/cli/client.h"
#include "host/cli/fetch.h"
#include "host/cli/follow.h"
#include "host/cli/interrupt.h"
#include "host/cli/job_sender.h"
#include "host/cli/outcome.h"
#include "host/cli/run_lab.h"
#include "host/cli/task.h"
#include "host/report/silicon_file.h"
#include "host/spec/plan.h"

static const char prefix[] = "estimated:", all[] = "all";
static const char all_table[] =
    "{\"schema\": \"sme2lab.policy/1\", \"source\": \"all\", \"unit\": \"instructions\", "
    "\"note\": \"Whatever has a kernel with SME2 runs in streaming mode.\", "
    "\"streaming_off\": []}\n";

struct counting {
    struct sl_plan plan;
    struct sl_job_sender sender;
    char profile[SL_SILICON_NAME_BYTES];
    char root[SL_PATH_BYTES], folder[SL_PATH_BYTES]; /* the second is removed */
    char all[SL_PATH_BYTES];                         /* of both engines the time is wanted */
};

static int check_profile(const char *words, char out[SL_SILICON_NAME_BYTES], struct sl_diag *diag)
{
    struct sl_silicon silicon;
    const char *name = words + strlen(prefix);
    if (strlen(name) >= SL_SILICON_NAME_BYTES || strchr(name, ','))
        return sl_diag_set(diag, SL_E_UNSUPPORTED, "--policy", "'%.60s' is no profile of silicon",
                           name);
    int rc = sl_silicon_check_names(name, diag);
    if (rc == 0)
        rc = sl_silicon_load(name, &silicon, diag);
    if (rc == 0 && !silicon.has_unit) {
        sl_diag_hint(diag, "leave --policy out: without SME2 all runs on NEON");
        rc = sl_diag_set(diag, SL_E_UNSUPPORTED, "--policy", "'%.60s' has no unit for SME2", name);
    }
    if (rc == 0)
        snprintf(out, SL_SILICON_NAME_BYTES, "%s", name);
    return rc;
}

/* Copies the fields that decide which operators there are and how large; the rest has defaults. */
static void describe(struct counting *c, const struct sl_spec *of)
{
    sl_plan_init(&c->plan, of->model);
    struct sl_spec *spec = &c->plan.specs[0];
    spec->silicon = c->profile;
    spec->policy = c->all;
    spec->device = "counted";
    spec->svl[0] = of->svl[0];
    spec->method = of->method;
    spec->input_shapes = of->input_shapes;
    spec->data_path = of->data_path;
    spec->inputs_count = of->inputs_count;
    memcpy(spec->inputs, of->inputs, sizeof(spec->inputs));
}

/* The table that keeps nothing out. */
static int write_all(char out[SL_PATH_BYTES], struct sl_diag *diag)
{
    char root[SL_PATH_BYTES];
    int rc = sl_paths_state_folder("policies", root, diag);
    if (rc < 0)
        return rc;
    rc = sl_path_join(out, SL_PATH_BYTES, root, "all.json");
    if (rc == 0)
        rc = sl_buf_write_file(out, all_table, strlen(all_table));
    return rc < 0 ? sl_diag_set(diag, rc, out, "The table cannot be written (%s)", sl_strerror(rc))
                  : 0;
}

static int make_folder(struct counting *c, struct sl_diag *diag)
{
    int rc = write_all(c->all, diag);
    if (rc == 0)
        rc = sl_paths_state_folder("policies", c->root, diag);
    if (rc < 0)
        return rc;
    rc = sl_path_join(c->folder, sizeof(c->folder), c->root, "new.XXXXXX");
    if (rc == 0 && !mkdtemp(c->folder)) {
        rc = -errno;
        c->folder[0] = '\0';
    }
    return rc < 0 ? sl_diag_set(diag, rc, c->root, "A folder cannot be made (%s)", sl_strerror(rc))
                  : 0;
}

/* Counts the model and fetches what the run left. */
static int count(struct counting *c, const struct sl_cli *cli, struct sl_diag *diag)
{
    struct sl_outcome outcome = {.job = 0};
    uint64_t job = 0;
    struct sl_cli here = *cli; /* whatever lab measures: the emulator of this machine counts */
    here.server = "private";
    here.token_file = NULL;
    here.json = false;
    c->sender = (struct sl_job_sender){
        .cli = &here, .plan = &c->plan, .command = "sme2lab run --policy", .directory = c->folder};
    int rc = sl_cli_run_lab_open(&here, &c->sender, diag);
    if (rc == 0)
        rc = sl_job_sender_send(&c->sender, 0, &job, diag);
    if (rc == 0)
        rc = sl_follow_job(&here, c->sender.client, job, !here.quiet, diag);
    if (rc == -EINTR && job != 0)
        rc = sl_task_cancel(c->sender.client, job, diag);
    if (rc == 0)
        rc = sl_outcome_fetch(c->sender.client, job, &outcome, diag);
    if (rc == 0 && !sl_outcome_has_files(&outcome))
        rc = sl_diag_set(diag, SL_E_CRASHED, "--policy",
                         "The model could not be counted for an estimate: %.200s", outcome.detail);
    if (rc == 0)
        rc = sl_fetch_run(c->sender.client, outcome.run, false, c->folder, diag);
    sl_client_free(c->sender.client);
    return rc;
}

/* The table out of the run, under a name that says of what it is. */
static int take_table(const struct counting *c, char out[SL_PATH_BYTES], struct sl_diag *diag)
{
    char from[SL_PATH_BYTES];
    int rc = sl_path_join(from, sizeof(from), c->folder, "policy_%s.json", c->profile);
    if (rc == 0)
        rc = sl_path_join(out, SL_PATH_BYTES, c->root, "%.16s-%s.json",
                          c->plan.specs[0].model_sha256, c->profile);
    if (rc == 0 && rename(from, out) < 0)
        rc = -errno;
    return rc < 0
               ? sl_diag_set(diag, rc, from, "The counted run left no table (%s)", sl_strerror(rc))
               : 0;
}

static int make_table(const struct sl_cli *cli, const struct sl_spec *spec, char out[SL_PATH_BYTES],
                      struct sl_diag *diag)
{
    struct counting *c = sl_calloc(1, sizeof(*c));
    if (!c)
        return -ENOMEM;
    int rc = check_profile(spec->policy, c->profile, diag);
    if (rc == 0) {
        sl_interrupt_catch(); /* the folder and the job go with whoever waits */
        rc = make_folder(c, diag);
    }
    if (rc == 0) {
        describe(c, spec);
        if (!cli->quiet && !cli->json)
            sl_say(stderr, "counting %s once, to estimate its operators on %s\n", spec->model,
                   c->profile);
        rc = count(c, cli, diag);
        if (rc == 0)
            rc = take_table(c, out, diag);
        sl_plan_fini(&c->plan);
    }
    if (c->folder[0])
        sl_tree_remove(c->folder);
    sl_free(c);
    return rc;
}

bool sl_estimated_policies_take(const char *policy)
{
    return strcmp(policy, all) == 0 || strncmp(policy, prefix, strlen(prefix)) == 0;
}

static const char *find_made(const struct sl_estimated_policies *policies,
                             const struct sl_spec *spec)
{
    for (size_t i = 0; i < policies->count; i++)
        if (strcmp(policies->made[i].model, spec->model) == 0 &&
            strcmp(policies->made[i].words, spec->policy) == 0)
            return policies->made[i].path;
    return NULL;
}

int sl_estimated_policies_make(const struct sl_cli *cli, struct sl_plan *plan,
                               struct sl_estimated_policies *policies, struct sl_diag *diag)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < plan->count; i++) {
        struct sl_spec *spec = &plan->specs[i];
        if (!spec->policy || !sl_estimated_policies_take(spec->policy))
            continue;
        bool everything = strcmp(spec->policy, all) == 0;
        const char *path = find_made(policies, spec);
        if (!path && policies->count == SL_ESTIMATED_POLICIES_MAX)
            return sl_diag_set(diag, SL_E_LIMIT, "--policy",
                               "More than %d models or profiles to be estimated",
                               SL_ESTIMATED_POLICIES_MAX);
        if (!path) {
            char *made = policies->made[policies->count].path;
            rc = everything ? write_all(made, diag) : make_table(cli, spec, made, diag);
            if (rc < 0)
                return rc;
            policies->made[policies->count].model = spec->model;
            policies->made[policies->count++].words = spec->policy;
            path = made;
        }
        spec->policy = path;
    }
    return rc;
}
