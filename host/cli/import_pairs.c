/* host/cli/import_pairs.c */
#include "host/cli/import_pairs.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/json.h"
#include "common/base/mem.h"
#include "host/spec/plan.h"

enum { MAX_CONFIG_BYTES = 4 << 20 };

/* The experiment of that name, or the only one whose name begins so. */
static int find(const struct sl_import_names *experiments, const char *name, const char **out,
                struct sl_diag *diag)
{
    const char *other = NULL;
    *out = NULL;
    for (size_t i = 0; i < experiments->count; i++) {
        const char *experiment = experiments->list[i];
        if (strcmp(experiment, name) == 0) {
            *out = experiment;
            return 0;
        }
        if (strncmp(experiment, name, strlen(name)) != 0)
            continue;
        other = *out && strcmp(*out, experiment) != 0 ? experiment : other;
        *out = *out ? *out : experiment;
    }
    if (other) {
        sl_diag_hint(diag, "name one of them in full");
        return sl_diag_set(diag, SL_E_UNSUPPORTED, "--pair",
                           "'%.60s' begins both '%.60s' and '%.60s'", name, *out, other);
    }
    return *out ? 0
                : sl_diag_set(diag, SL_E_NOT_FOUND, "--pair",
                              "no experiment is called '%.60s' or begins so", name);
}

int sl_import_pairs_put(struct sl_json *json, const char *pair,
                        const struct sl_import_names *experiments, struct sl_diag *diag)
{
    char base[SL_IMPORT_NAME_BYTES];
    const char *equals = strchr(pair, '='), *sides[2];
    snprintf(base, sizeof(base), "%.*s", (int)(equals - pair), pair);
    int rc = find(experiments, base, &sides[0], diag);
    if (rc == 0)
        rc = find(experiments, equals + 1, &sides[1], diag);
    if (rc < 0)
        return rc;
    sl_json_open_object(json, "pair");
    sl_json_text(json, "baseline", sides[0]);
    sl_json_text(json, "candidate", sides[1]);
    sl_json_close_object(json);
    return 0;
}

static int put_side(struct sl_json *json, const struct sl_plan_pair *pair, int side,
                    const struct sl_import_names *experiments, struct sl_diag *diag)
{
    const char *experiment;
    int rc = find(experiments, pair->family[side], &experiment, diag);
    if (rc < 0)
        return rc;
    sl_json_open_object(json, side ? "candidate" : "baseline");
    sl_json_text(json, "experiment", experiment);
    sl_json_u64(json, "threads", pair->threads[side]);
    sl_json_close_object(json);
    return 0;
}

static int put_all(struct sl_json *json, const struct sl_plan *plan, const char *path,
                   const struct sl_import_names *experiments, struct sl_diag *diag)
{
    int rc = plan->pair_count > 0 ? 0
                                  : sl_diag_set(diag, SL_E_NOT_FOUND, path,
                                                "the configuration has no analysis.compare_pairs");
    sl_json_open_array(json, "pairs");
    for (size_t i = 0; rc == 0 && i < plan->pair_count; i++) {
        const struct sl_plan_pair *pair = &plan->pairs[i];
        sl_json_open_object(json, NULL);
        for (int side = 0; rc == 0 && side < 2; side++)
            rc = put_side(json, pair, side, experiments, diag);
        if (pair->label)
            sl_json_text(json, "label", pair->label);
        sl_json_close_object(json);
    }
    sl_json_close_array(json);
    return rc;
}

int sl_import_pairs_put_config(struct sl_json *json, const char *path,
                               const struct sl_import_names *experiments, struct sl_diag *diag)
{
    struct sl_buf text;
    struct sl_plan *plan = sl_calloc(1, sizeof(*plan));
    int rc = plan ? sl_buf_read_file(path, MAX_CONFIG_BYTES, &text) : -ENOMEM;
    if (rc < 0) {
        sl_free(plan);
        return sl_diag_set(diag, rc, path, "the configuration cannot be read: %s", sl_strerror(rc));
    }
    rc = sl_plan_parse((struct sl_bytes){text.data, text.size}, path, plan, diag);
    sl_buf_fini(&text);
    if (rc == 0) {
        rc = put_all(json, plan, path, experiments, diag);
        sl_plan_fini(plan);
    }
    sl_free(plan);
    return rc;
}
