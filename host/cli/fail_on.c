/* host/cli/fail_on.c */
#include "host/cli/fail_on.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/error.h"
#include "host/cli/exit_code.h"
#include "host/spec/plan.h"

#define MOST_PERCENT 1000.0
enum { WORD_BYTES = 40 };

static const char *const kinds[] = {[SL_FAIL_SLOWER] = "slower",
                                    [SL_FAIL_MORE_INSTRUCTIONS] = "more-instructions",
                                    [SL_FAIL_REGRESSION] = "regression",
                                    [SL_FAIL_WRONG] = "wrong"};

static int refuse(struct sl_diag *diag, const char *word, const char *why)
{
    sl_diag_hint(diag, "say --fail-on with a list such as slower:3%%,more-instructions:1%%,"
                       "regression:2%%,wrong");
    return sl_diag_set(diag, SL_E_UNSUPPORTED, "--fail-on", "'%s' %s", word, why);
}

/* "3", "3%", "2.5%": 0 or SL_E_UNSUPPORTED. */
static int read_percent(const char *text, double *out)
{
    char *end = NULL;
    if (strspn(text, "0123456789.") == 0)
        return SL_E_UNSUPPORTED; /* no sign, no "inf" */
    double value = strtod(text, &end);
    if (*end == '%')
        end++;
    if (*end || !(value <= MOST_PERCENT))
        return SL_E_UNSUPPORTED;
    *out = value;
    return 0;
}

static int take_word(char *word, struct sl_fail_on *gate, struct sl_diag *diag)
{
    char *colon = strchr(word, ':');
    double percent = -1;
    int kind = 0;
    if (colon)
        *colon = '\0';
    while (kind < SL_FAIL_KINDS && strcmp(kinds[kind], word) != 0)
        kind++;
    if (kind == SL_FAIL_KINDS)
        return refuse(diag, word, "is nothing that can fail");
    if (gate->has[kind])
        return refuse(diag, word, "stands there twice");
    if (colon && kind == SL_FAIL_WRONG)
        return refuse(diag, word, "takes no per cent: --tolerance says how far outputs may differ");
    if (colon && read_percent(colon + 1, &percent) < 0)
        return refuse(diag, colon + 1, "is no percentage from 0 to 1000");
    gate->has[kind] = true;
    gate->percent[kind] = percent;
    return 0;
}

int sl_fail_on_parse(const char *text, struct sl_fail_on *out, struct sl_diag *diag)
{
    struct sl_fail_on gate = {.any = true};
    int rc = 0;
    for (const char *at = text; at && rc == 0;) {
        char word[WORD_BYTES];
        const char *comma = strchr(at, ',');
        size_t len = comma ? (size_t)(comma - at) : strlen(at);
        if (len == 0 || len >= sizeof(word))
            return refuse(diag, len == 0 ? "" : "a word", len == 0 ? "is no kind" : "is too long");
        memcpy(word, at, len);
        word[len] = '\0';
        rc = take_word(word, &gate, diag);
        at = comma ? comma + 1 : NULL;
    }
    if (rc == 0)
        *out = gate;
    return rc;
}

void sl_fail_on_apply(const struct sl_fail_on *gate, bool counted, struct sl_plan *plan)
{
    int kind = counted ? SL_FAIL_MORE_INSTRUCTIONS : SL_FAIL_SLOWER;
    for (size_t i = 0; gate->has[kind] && gate->percent[kind] >= 0 && i < plan->count; i++)
        plan->specs[i].threshold_percent = gate->percent[kind];
}

int sl_fail_on_code(const struct sl_fail_on *gate, enum sl_fail_kind kind, int code)
{
    bool verdict = code == SL_EXIT_REGRESSION || code == SL_EXIT_INCONCLUSIVE;
    return verdict && gate->any && !gate->has[kind] ? SL_EXIT_DONE : code;
}
