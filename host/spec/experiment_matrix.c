/* host/spec/experiment_matrix.c: a list of models times the experiments. */
#include <stdio.h>
#include <string.h>

#include "common/base/error.h"
#include "host/spec/experiment.h"

enum { MAX_STEM_BYTES = 48 };

/* The file's name without its ending, fit for a file name. */
static void stem_of(const char *path, char out[MAX_STEM_BYTES])
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    int len = dot && dot != name ? (int)(dot - name) : (int)strlen(name);
    snprintf(out, MAX_STEM_BYTES, "%.*s", len, name);
    for (char *at = out; *at; at++) {
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-", *at))
            *at = '-';
    }
}

/* Models of the same name in different folders are told apart by their place in the list. */
static void name_model(const char *const *models, size_t count, size_t i, char out[MAX_STEM_BYTES])
{
    char other[MAX_STEM_BYTES], stem[MAX_STEM_BYTES];
    bool unique = true;
    stem_of(models[i], stem);
    for (size_t k = 0; k < count; k++) {
        stem_of(models[k], other);
        unique = unique && (k == i || strcmp(stem, other) != 0);
    }
    if (unique && stem[0] != '.')
        snprintf(out, MAX_STEM_BYTES, "%s", stem);
    else
        snprintf(out, MAX_STEM_BYTES, "m%zu-%.40s", i + 1, stem);
}

int sl_experiment_plan_expand(struct sl_experiment_plan *plan, const char *const *models,
                              size_t count, struct sl_diag *diag)
{
    size_t each = plan->count;
    if (count <= 1)
        return 0;
    if (count * each > SL_EXPERIMENT_MAX)
        return sl_diag_set(diag, SL_E_LIMIT, "/model",
                           "%zu models and %zu experiments are more than %d together", count, each,
                           SL_EXPERIMENT_MAX);
    for (size_t k = count * each; k-- > 0;) { /* from the back: the first ones are the sources */
        struct sl_experiment *to = &plan->experiments[k];
        char stem[MAX_STEM_BYTES];
        name_model(models, count, k / each, stem);
        *to = plan->experiments[k % each];
        int len = snprintf(plan->names[k], sizeof(plan->names[k]), "%s_%s", stem, to->name);
        if (len < 0 || (size_t)len >= sizeof(plan->names[k])) {
            sl_diag_hint(diag, "give the experiment a shorter name");
            return sl_diag_set(diag, SL_E_FORMAT, "/model",
                               "The name '%.100s' and the model's are too long together", to->name);
        }
        to->model = models[k / each];
        to->name = NULL; /* below: the sources' names are still read */
    }
    for (size_t k = 0; k < count * each; k++)
        plan->experiments[k].name = plan->names[k];
    plan->count = count * each;
    return 0;
}
