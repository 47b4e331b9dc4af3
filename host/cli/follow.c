/* host/cli/follow.c */
#include "host/cli/follow.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "common/base/clock.h"
#include "common/base/say.h"
#include "host/cli/cli.h"
#include "host/cli/client.h"
#include "host/cli/outcome.h"
#include "host/cli/sse.h"
#include "host/cli/stream.h"
#include "host/report/text.h"
#include "host/report/time_text.h"
#include "host/spec/json_value.h"

#define LEAST_PERCENT 2.0 /* of which the rest is told */

struct follow {
    const struct sl_cli *cli;
    uint64_t job;
    bool show;
    struct sl_follow_state state;
};

static void take_text(char *out, size_t size, const cJSON *data, const char *key)
{
    char fit[SL_TEXT_SIZE];
    const cJSON *value = sl_value(data, key);
    if (cJSON_IsString(value))
        snprintf(out, size, "%s",
                 sl_text_copy(fit, value->valuestring, strlen(value->valuestring)));
}

/* The daemon says when a job began where it is asked for the job; else the event's time is it. */
static void take_times(struct sl_follow_state *state, const cJSON *data)
{
    uint64_t started_ms = sl_value_u64(data, "started_ms");
    if (started_ms != 0)
        state->started_ms = started_ms;
    else if (state->started_ms == 0 && strcmp(state->state, "running") == 0)
        state->started_ms = state->now_ms;
    if (strcmp(state->phase, "measuring") != 0)
        state->pairs_ms = 0;
    else if (state->pairs_ms == 0 && state->percent <= 0)
        state->pairs_ms = state->now_ms; /* not where they were under way already */
}

void sl_follow_take(struct sl_follow_state *state, const cJSON *data)
{
    if (cJSON_HasObjectItem(data, "state")) { /* what an earlier attempt told is over */
        state->phase[0] = state->part[0] = state->device[0] = '\0';
        state->pair = state->pairs = 0;
        state->ratio = state->off_ms = state->on_ms = state->insns = 0;
        state->precision = state->half_width = state->expected_insns = 0;
        state->started_ms = state->pairs_ms = 0;
        state->percent = -1;
    }
    take_text(state->state, sizeof(state->state), data, "state");
    take_text(state->device, sizeof(state->device), data, "device");
    take_text(state->detail, sizeof(state->detail), data, "detail");
    take_text(state->phase, sizeof(state->phase), data, "phase");
    take_text(state->part, sizeof(state->part), data, "part");
    if (cJSON_HasObjectItem(data, "pairs")) {
        state->pair = sl_value_u64(data, "pair");
        state->pairs = sl_value_u64(data, "pairs");
    }
    if (cJSON_HasObjectItem(data, "ratio"))
        state->ratio = sl_value_number(data, "ratio", 0);
    if (cJSON_HasObjectItem(data, "off_ns")) {
        state->off_ms = sl_value_number(data, "off_ns", 0) / 1e6;
        state->on_ms = sl_value_number(data, "on_ns", 0) / 1e6;
    }
    if (cJSON_HasObjectItem(data, "precision_percent"))
        state->precision = sl_value_number(data, "precision_percent", 0);
    if (cJSON_HasObjectItem(data, "half_width_percent"))
        state->half_width = sl_value_number(data, "half_width_percent", 0);
    if (cJSON_HasObjectItem(data, "insns"))
        state->insns = sl_value_number(data, "insns", 0);
    if (cJSON_HasObjectItem(data, "phase")) {
        state->expected_insns = sl_value_number(data, "expected_insns", 0);
        state->percent =
            cJSON_HasObjectItem(data, "percent") ? sl_value_number(data, "percent", 0) : -1;
        if (!(state->percent >= 0 && state->percent <= 100)) /* a server may say anything */
            state->percent = -1;
    }
    take_times(state, data);
}

/* "12.3 s" since the job began; "4 min left" by how long the pairs have taken so far. */
static void put_times(const struct sl_follow_state *state, char *out, size_t size)
{
    char text[SL_TIME_TEXT_BYTES];
    size_t used = 0;
    out[0] = '\0';
    if (state->percent >= 0)
        used = (size_t)snprintf(out, size, ", %.0f %%", state->percent);
    if (state->started_ms == 0 || state->now_ms <= state->started_ms)
        return;
    used += (size_t)snprintf(out + used, size - used, ", %s",
                             sl_span_text(state->started_ms, state->now_ms, text));
    if (state->percent < LEAST_PERCENT || state->percent > 100 || state->pairs_ms == 0)
        return;
    uint64_t taken = state->now_ms - state->pairs_ms;
    uint64_t left = (uint64_t)((double)taken * (100 - state->percent) / state->percent);
    snprintf(out + used, size - used, ", %s left", sl_span_text(1, 1 + left, text));
}

const char *sl_follow_words(const struct sl_follow_state *state, uint64_t job, char *out,
                            size_t size)
{
    char phase[64], pair[64] = "", ratio[48] = "", width[64] = "", cost[64] = "", times[96];
    snprintf(phase, sizeof(phase), "%s", state->phase[0] ? state->phase : state->state);
    if (state->part[0] && strcmp(state->part, "measured") != 0)
        snprintf(phase, sizeof(phase), "%s run, %s", state->part, state->phase);
    if (state->pairs > 0 && state->pair <= state->pairs)
        snprintf(pair, sizeof(pair), ", pair %" PRIu64 " of %s%" PRIu64, state->pair,
                 state->precision > 0 ? "at most " : "", state->pairs);
    if (state->ratio > 0)
        snprintf(ratio, sizeof(ratio), ", off / on = %.3f", state->ratio);
    if (state->half_width > 0)
        snprintf(width, sizeof(width), " +-%.2g %% (goal +-%.2g %%)", state->half_width,
                 state->precision);
    else if (state->precision > 0)
        snprintf(width, sizeof(width), " (goal +-%.2g %%)", state->precision);
    if (state->off_ms > 0)
        snprintf(cost, sizeof(cost), ", %.4g and %.4g ms", state->off_ms, state->on_ms);
    else if (state->insns > 0 && state->expected_insns > 0)
        snprintf(cost, sizeof(cost), ", %.1f of %.1f M instructions", state->insns / 1e6,
                 state->expected_insns / 1e6);
    else if (state->insns > 0)
        snprintf(cost, sizeof(cost), ", %.1f M instructions", state->insns / 1e6);
    put_times(state, times, sizeof(times));
    snprintf(out, size, "job %" PRIu64 "%s%s: %s%s%s%s%s%s%s%s", job,
             state->device[0] ? " on " : "", state->device, phase, pair, times, ratio, width, cost,
             state->detail[0] ? ": " : "", state->detail);
    return out;
}

static void draw(const struct follow *follow)
{
    char line[SL_TEXT_SIZE];
    if (!follow->show || !follow->cli->live)
        return;
    sl_follow_words(&follow->state, follow->job, line, sizeof(line));
    sl_text_fit(line, (size_t)follow->cli->width - 1);
    sl_say_over(stderr, "%s", line);
}

void sl_follow_print_event(const char *type, const cJSON *data)
{
    char *text = strpbrk(type, "\"\\") ? NULL : cJSON_PrintUnformatted(data);
    char fit[SL_TEXT_SIZE];
    if (text)
        sl_say(stdout, "{\"schema\":\"sme2lab.event/1\",\"event\":\"%s\",\"data\":%s}\n",
               sl_text_copy(fit, type, strlen(type)), text);
    fflush(stdout);
    cJSON_free(text);
}

static bool on_event(void *user, const struct sl_sse_event *event)
{
    struct follow *follow = user;
    cJSON *data = cJSON_Parse(event->data);
    bool known = strcmp(event->type, "job") == 0 || strcmp(event->type, "state") == 0 ||
                 strcmp(event->type, "progress") == 0;
    if (data && follow->show && follow->cli->json)
        sl_follow_print_event(event->type, data);
    follow->state.now_ms = sl_clock_utc_ms();
    if (data && known)
        sl_follow_take(&follow->state, data);
    if (data && follow->show && follow->cli->verbose && strcmp(event->type, "log") == 0) {
        if (follow->cli->live)
            sl_say_over(stderr, "%s", "");
        sl_say(stderr, "%s\n", sl_value_text(data, "line", ""));
    }
    cJSON_Delete(data);
    draw(follow);
    return !sl_outcome_is_end(follow->state.state);
}

static void on_lost(void *user, const char *why)
{
    const struct follow *follow = user;
    if (follow->show && follow->cli->live) {
        sl_say_over(stderr, "%s", "");
        sl_say(stderr, "%s; trying again", why);
    }
}

int sl_follow_job(const struct sl_cli *cli, struct sl_client *client, uint64_t job, bool show,
                  struct sl_diag *diag)
{
    char path[96];
    struct follow follow = {.cli = cli, .job = job, .show = show};
    const struct sl_stream_options options = {
        .on_event = on_event, .on_lost = on_lost, .user = &follow};
    snprintf(path, sizeof(path), "/api/v1/jobs/%" PRIu64 "/events", job);
    int rc = sl_stream_follow(client, path, &options, diag);
    if (show && cli->live)
        sl_say_over(stderr, "%s", "");
    return rc;
}
