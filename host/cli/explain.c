/* host/cli/explain.c */
#include "host/cli/explain.h"

#include <stdio.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/say.h"
#include "host/cli/answer.h"
#include "host/cli/cli.h"
#include "host/cli/exit_code.h"
#include "host/spec/plan.h"

enum { MAX_JSON_BYTES = 64 << 20 };

int sl_explain_plan(const struct sl_cli *cli, const struct sl_plan *plan)
{
    struct sl_buf text;
    struct sl_diag diag = {0};
    sl_buf_init(&text, MAX_JSON_BYTES);
    int rc = sl_plan_explain(plan, &text);
    if (rc == 0 && cli->json)
        sl_answer_print("plan", &text);
    else if (rc == 0)
        sl_say(stdout, "%s\n", (const char *)text.data);
    sl_buf_fini(&text);
    if (rc == 0)
        return SL_EXIT_DONE;
    sl_diag_set(&diag, rc, NULL, "The experiment cannot be explained (%s)", sl_strerror(rc));
    return sl_cli_fail(cli, sl_exit_for_error(rc), &diag);
}
