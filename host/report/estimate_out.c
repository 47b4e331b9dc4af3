/* host/report/estimate_out.c */
#include "host/report/estimate_out.h"

#include <inttypes.h>
#include <stdio.h>

#include "common/base/buf.h"
#include "common/base/json.h"
#include "host/analysis/silicon.h"

void sl_estimate_words(double ns, char *out, size_t size)
{
    const char *unit = ns < 1e3 ? "ns" : ns < 1e6 ? "us" : ns < 1e9 ? "ms" : "s";
    double value = ns < 1e3 ? ns : ns < 1e6 ? ns / 1e3 : ns < 1e9 ? ns / 1e6 : ns / 1e9;
    snprintf(out, size, "%.3g %s", value < 999 ? value : 999, unit);
}

static const char *confidence_words(char confidence)
{
    return confidence == 'M'   ? "measured"
           : confidence == 'V' ? "the vendor's"
           : confidence == 'F' ? "fitted"
                               : "inferred";
}

static double share_of(const struct sl_estimate *estimate, int bound)
{
    return estimate->mid_ns > 0 ? estimate->sum.bound_ns[bound] / estimate->mid_ns : 0;
}

static int put_profile(struct sl_buf *out, const struct sl_silicon *profile,
                       const struct sl_estimate *e, uint64_t passes)
{
    char low[32], mid[32], high[32];
    sl_estimate_words(e->low_ns, low, sizeof(low));
    sl_estimate_words(e->mid_ns, mid, sizeof(mid));
    sl_estimate_words(e->high_ns, high, sizeof(high));
    int rc = sl_buf_printf(out,
                           "\n%s: %s\n  estimated %s, between %s and %s; bound by %s\n"
                           "  the least certain figure that matters is %s\n",
                           profile->name, profile->title, mid, low, high, sl_bound_name(e->bound),
                           confidence_words(e->confidence));
    if (rc == 0 && e->sum.streaming && !profile->has_unit)
        rc = sl_buf_printf(out, "  it cannot execute this: streaming code needs a unit that it "
                                "does not have\n");
    if (rc == 0 && e->unclassified > 0)
        rc = sl_buf_printf(out,
                           "  %" PRIu64 " of the executed instructions have no class and no "
                           "cost; the band is wider for it\n",
                           e->unclassified / passes);
    for (int b = 0; rc == 0 && b < SL_BOUND_COUNT; b++) {
        if (share_of(e, b) >= 0.005)
            rc = sl_buf_printf(out, "  %5.1f %%  %s\n", 100 * share_of(e, b), sl_bound_name(b));
    }
    if (rc == 0)
        rc = sl_buf_printf(out, "  busy, ns:");
    for (int p = 0; rc == 0 && p < SL_PORT_COUNT; p++) {
        if (e->sum.port_ns[p] > 0)
            rc = sl_buf_printf(out, " %s %.1f", sl_port_name(p), e->sum.port_ns[p]);
    }
    return rc < 0 ? rc : sl_buf_printf(out, "\n");
}

int sl_estimate_text(struct sl_buf *out, const struct sl_estimate_answer *answer)
{
    int rc = sl_buf_printf(
        out, "%s: %" PRIu64 " instructions a pass, %" PRIu64 " pass%s; times are estimated\n",
        answer->file, answer->estimates[0].sum.insns / answer->passes, answer->passes,
        answer->passes == 1 ? "" : "es");
    for (size_t i = 0; rc == 0 && i < answer->count; i++)
        rc = put_profile(out, &answer->profiles[i], &answer->estimates[i], answer->passes);
    return rc;
}

void sl_estimate_members(struct sl_json *json, const struct sl_silicon *profile,
                         const struct sl_estimate *estimate)
{
    const char letter[2] = {estimate->confidence, '\0'};
    sl_json_text(json, "profile", profile->name);
    sl_json_text(json, "profile_sha256", profile->sha256);
    sl_json_f64(json, "low_ns", estimate->low_ns);
    sl_json_f64(json, "mid_ns", estimate->mid_ns);
    sl_json_f64(json, "high_ns", estimate->high_ns);
    sl_json_text(json, "bound", sl_bound_name(estimate->bound));
    sl_json_f64(json, "bound_share", share_of(estimate, estimate->bound));
    sl_json_text(json, "confidence", letter);
}

static void put_estimate(struct sl_json *json, const struct sl_silicon *profile,
                         const struct sl_estimate *estimate, uint64_t passes)
{
    sl_json_open_object(json, NULL);
    sl_estimate_members(json, profile, estimate);
    sl_json_bool(json, "can_execute", !estimate->sum.streaming || profile->has_unit);
    sl_json_u64(json, "streaming_sessions", estimate->sessions / passes);
    sl_json_u64(json, "round_trips", estimate->round_trips / passes);
    sl_json_open_object(json, "spent_ns");
    for (int b = 0; b < SL_BOUND_COUNT; b++)
        sl_json_f64(json, sl_bound_name(b), estimate->sum.bound_ns[b]);
    sl_json_close_object(json);
    sl_json_open_object(json, "ports_ns");
    for (int p = 0; p < SL_PORT_COUNT; p++)
        sl_json_f64(json, sl_port_name(p), estimate->sum.port_ns[p]);
    sl_json_close_object(json);
    sl_json_close_object(json);
}

int sl_estimate_json(struct sl_buf *out, const struct sl_estimate_answer *answer)
{
    const struct sl_estimate *first = &answer->estimates[0];
    struct sl_json json;
    sl_json_init(&json, out);
    sl_json_open_object(&json, NULL);
    sl_json_text(&json, "schema", "sme2lab.estimate/1");
    sl_json_bool(&json, "estimated", true);
    sl_json_text(&json, "file", answer->file);
    sl_json_text(&json, "from", answer->from);
    sl_json_text(&json, "to", answer->to);
    sl_json_u64(&json, "passes", answer->passes);
    sl_json_u64(&json, "instructions", first->sum.insns / answer->passes);
    sl_json_u64(&json, "unclassified", first->unclassified / answer->passes);
    sl_json_open_object(&json, "classes");
    for (int w = 0; w < SL_WORK_COUNT; w++) {
        if (first->sum.units[w] > 0)
            sl_json_u64(&json, sl_work_name(w), first->sum.units[w] / answer->passes);
    }
    sl_json_close_object(&json);
    sl_json_open_array(&json, "estimates");
    for (size_t i = 0; i < answer->count; i++)
        put_estimate(&json, &answer->profiles[i], &answer->estimates[i], answer->passes);
    sl_json_close_array(&json);
    sl_json_close_object(&json);
    return json.error ? json.error : sl_buf_printf(out, "\n");
}
