/* host/daemon/compare_runs.h: runs of the store compared, for host/http. */
#pragma once

struct sl_buf;
struct sl_diag;
struct sl_http_comparison;

/* sl_http_compare_fn of a struct sl_kit: the comparison as JSON (`sme2lab compare --json`), two
 * runs side by side (`sme2lab report --format json,html`), a run's trace for the Perfetto UI, or
 * the noise floor that it shows, which is kept. Blocks. */
int sl_compare_runs(void *kit, const struct sl_http_comparison *what, struct sl_buf *out,
                    struct sl_diag *diag);
