/* host/cli/input_list.c */
#include "host/cli/input_list.h"

#include <string.h>

#include "common/base/error.h"
#include "host/spec/experiment.h"

int sl_input_list_split(char *text, struct sl_experiment *experiment, struct sl_diag *diag)
{
    if (!text)
        return 0;
    experiment->input_count = 0;
    for (char *at = text; at;) {
        char *comma = strchr(at, ',');
        if (comma)
            *comma = '\0';
        if (experiment->input_count == SL_EXPERIMENT_MAX_INPUTS || !*at) {
            sl_diag_hint(diag, "say --inputs first.bin,second.bin");
            return sl_diag_set(diag, SL_E_UNSUPPORTED, "--inputs",
                               *at ? "There are too many inputs" : "An input has no name");
        }
        experiment->inputs[experiment->input_count++] = at;
        at = comma ? comma + 1 : NULL;
    }
    return 0;
}
