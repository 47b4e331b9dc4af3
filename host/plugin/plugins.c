/* host/plugin/plugins.c */
#include "host/plugin/plugins.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <uv.h>

#include "common/base/buf.h"
#include "common/base/clock.h"
#include "common/base/error.h"
#include "common/base/json.h"
#include "common/base/log.h"
#include "common/base/mem.h"
#include "host/plugin/process.h"
#include "host/spec/device_kind.h"

enum { MAX_CYCLES = 16, LOG_EVERY_MS = 60000 };

/* A question whose answer is awaited. */
struct question {
    uint64_t id; /* 0: none */
    uint64_t deadline_ms;
};

struct plugin {
    struct sl_plugins *set;
    const struct sl_plugin_config *config;
    struct sl_plugin_process *process;
    bool tried; /* it was started, or failed to */
    struct sl_plugin_counts counts;
    uint64_t logged_ms[SL_PLUGIN_FAILURES]; /* the loop's; 0: never */
    struct {
        struct question question;
        char device[SL_NAME_BYTES];
    } cycles[MAX_CYCLES];
};

/* One plug-in's part in a run. */
struct part {
    struct plugin *plugin;
    struct question question;
    struct sl_plugin_run *run;
    struct sl_plugin_record *record; /* of the run */
};

struct sl_plugin_run {
    struct sl_plugins *set;
    struct sl_plugin_run *next;
    char device[SL_NAME_BYTES], model[SL_LABEL_BYTES];
    uint64_t job;
    bool resumed, over, waiting, closed; /* closed: nothing is taken any more */
    uint64_t asked_ms;                   /* the loop's: when its begin, or its end, was told */
    void (*settled)(void *user);
    void *user;
    size_t count;
    struct part parts[SL_MAX_PLUGINS];
    struct sl_plugin_clock clock; /* the device's, if it is known */
    bool clock_known;
    struct sl_plugin_record records[]; /* as many */
};

struct sl_plugins {
    uv_loop_t *loop;
    sl_plugins_device_fn device;
    void *user;
    struct plugin all[SL_MAX_PLUGINS];
    size_t count, open;         /* the latter: processes not closed */
    struct sl_plugin_run *runs; /* borrowed */
    uint64_t last_id;
    uv_timer_t timer; /* to the next deadline, and to what is to be told */
    void (*closed)(void *user);
    void *closed_user;
};

static void on_timer(uv_timer_t *timer);

/* --- time --- */

static void sooner(const struct question *question, uint64_t *due_ms)
{
    if (question->id != 0 && question->deadline_ms < *due_ms)
        *due_ms = question->deadline_ms;
}

static bool is_answered(const struct sl_plugin_run *run)
{
    bool all = true;
    for (size_t i = 0; i < run->count; i++)
        all = all && run->parts[i].question.id == 0;
    return all;
}

static void schedule(struct sl_plugins *set)
{
    uint64_t due_ms = UINT64_MAX, now_ms = uv_now(set->loop);
    if (set->closed)
        return;
    for (size_t i = 0; i < set->count; i++)
        for (size_t k = 0; k < MAX_CYCLES; k++)
            sooner(&set->all[i].cycles[k].question, &due_ms);
    for (const struct sl_plugin_run *run = set->runs; run; run = run->next) {
        for (size_t i = 0; i < run->count; i++)
            sooner(&run->parts[i].question, &due_ms);
        if (run->waiting && is_answered(run))
            due_ms = now_ms;
    }
    if (due_ms == UINT64_MAX)
        uv_timer_stop(&set->timer);
    else
        uv_timer_start(&set->timer, on_timer, due_ms > now_ms ? due_ms - now_ms : 0, 0);
}

/* --- failures --- */

static void fail(struct plugin *plugin, struct part *part, int failure, const char *words)
{
    struct sl_plugins *set = plugin->set;
    uint64_t now_ms = uv_now(set->loop) + 1, *logged_ms = &plugin->logged_ms[failure];
    plugin->counts.failures[failure]++;
    if (part)
        sl_plugin_record_fail(part->record, failure, words, sl_clock_utc_ms());
    if (*logged_ms != 0 && now_ms - *logged_ms < LOG_EVERY_MS)
        return;
    *logged_ms = now_ms;
    sl_log(SL_LOG_WARNING, SL_LOG_EVENT("plugin_failed"),
           SL_LOG_TEXT("plugin", plugin->config->name),
           SL_LOG_TEXT("failure", sl_plugin_failure_name(failure)),
           SL_LOG_NUMBER("failures", plugin->counts.failures[failure]), SL_LOG_REASON(words));
}

/* The parts of one plug-in that take what it says, one after the other: NULL begins. */
static struct part *next_part(const struct plugin *plugin, struct sl_plugin_run **run)
{
    while (*run) {
        struct sl_plugin_run *at = *run;
        *run = at->next;
        for (size_t i = 0; i < at->count && !at->closed; i++)
            if (at->parts[i].plugin == plugin)
                return &at->parts[i];
    }
    return NULL;
}

/* Every run that it measures at that time has it. */
static void fail_everywhere(struct plugin *plugin, int failure, const char *words)
{
    struct sl_plugin_run *at = plugin->set->runs;
    struct part *part = next_part(plugin, &at);
    if (!part)
        fail(plugin, NULL, failure, words);
    for (; part; part = next_part(plugin, &at))
        fail(plugin, part, failure, words);
}

/* --- saying --- */

static void put_device(struct sl_plugins *set, const char *name, struct sl_json *json)
{
    struct sl_device_record device;
    char link[SL_PLUGIN_LINK_BYTES] = "";
    if (!name[0] || !set->device(set->user, name, &device, link))
        return;
    sl_json_open_object(json, "device");
    sl_json_text(json, "name", device.name);
    sl_json_text(json, "kind", sl_device_kind_name(device.kind));
    sl_json_text(json, "link", link[0] ? link : NULL);
    sl_json_text(json, "model", device.model[0] ? device.model : NULL);
    sl_json_text(json, "soc", device.soc[0] ? device.soc : NULL);
    sl_json_text(json, "tags", device.tags[0] ? device.tags : NULL);
    sl_json_close_object(json);
}

/* The line is begun with what all have; the caller adds to it and closes the object. */
static void begin_line(struct sl_json *json, struct sl_buf *text, const char *event)
{
    sl_buf_init(text, SL_PLUGIN_EVENT_BYTES);
    sl_json_init(json, text);
    sl_json_open_object(json, NULL);
    sl_json_u64(json, "v", SL_PLUGIN_PROTOCOL);
    sl_json_text(json, "event", event);
    sl_json_u64(json, "at_ms", sl_clock_utc_ms());
}

/* Ends the line and says it. */
static int say(struct plugin *plugin, struct sl_json *json, struct sl_buf *text)
{
    sl_json_close_object(json);
    int rc = json->error < 0
                 ? json->error
                 : sl_plugin_process_say(plugin->process, (const char *)text->data, text->size);
    sl_buf_fini(text);
    return rc;
}

/* `since_ms`: of the loop, from when its limit counts. */
static void ask(struct plugin *plugin, struct question *question, uint64_t since_ms,
                struct sl_json *json)
{
    uint64_t now_ms = uv_now(plugin->set->loop);
    uint64_t deadline_ms = since_ms + plugin->config->seconds * 1000ULL;
    *question = (struct question){++plugin->set->last_id, deadline_ms};
    sl_json_u64(json, "id", question->id);
    sl_json_u64(json, "seconds", deadline_ms > now_ms ? (deadline_ms - now_ms + 999) / 1000 : 0);
}

static void unsaid(struct plugin *plugin, struct part *part, struct question *question, int rc)
{
    if (rc == SL_E_STATE && !plugin->tried && question->id != 0)
        return; /* it is just being started, and is asked when it is */
    question->id = 0;
    if (rc == SL_E_STATE)
        fail(plugin, part, SL_PLUGIN_NOT_RUNNING, "it does not run");
    else if (rc == SL_E_FULL)
        fail(plugin, part, SL_PLUGIN_DEAF, "it does not read what it is told");
    else
        fail(plugin, part, SL_PLUGIN_DEAF, sl_strerror(rc));
}

/* One that was started again has what is left of its limit, where it is waited for. */
static void ask_part(struct part *part, bool resumed)
{
    const struct sl_plugin_run *run = part->run;
    uint64_t since_ms = run->waiting ? run->asked_ms : uv_now(run->set->loop);
    struct sl_buf text;
    struct sl_json json;
    begin_line(&json, &text, run->over ? "run_ends" : "run_begins");
    ask(part->plugin, &part->question, since_ms, &json);
    sl_json_u64(&json, "job", run->job);
    if (!run->over) {
        sl_json_bool(&json, "resumed", resumed);
        sl_json_text(&json, "model", run->model);
    }
    put_device(run->set, run->device, &json);
    int rc = say(part->plugin, &json, &text);
    if (rc < 0)
        unsaid(part->plugin, part, &part->question, rc);
}

/* enum sl_maybe: UNKNOWN where the device has not said yet what it is. */
static int may_fit(const struct sl_plugins *set, const struct plugin *plugin, unsigned when,
                   const char *device)
{
    struct sl_device_record record;
    char link[SL_PLUGIN_LINK_BYTES];
    if (!(plugin->config->when & when))
        return SL_MAYBE_NO;
    if (plugin->config->devices.count == 0)
        return SL_MAYBE_YES;
    if (!device[0] || !set->device(set->user, device, &record, link))
        return SL_MAYBE_NO;
    return sl_selector_fits(&plugin->config->devices, &record);
}

static bool fits(const struct sl_plugins *set, const struct plugin *plugin, unsigned when,
                 const char *device)
{
    return may_fit(set, plugin, when, device) == SL_MAYBE_YES;
}

/* --- hearing --- */

/* A figure that names no job is of the only one. */
static struct part *part_of(struct plugin *plugin, const struct sl_plugin_line *line,
                            const char **why)
{
    struct sl_plugin_run *at = plugin->set->runs;
    struct part *found = NULL, *part;
    while ((part = next_part(plugin, &at)) != NULL) {
        if (line->job != 0 && part->run->job != line->job)
            continue;
        if (found) {
            *why = "several jobs run: say which \"job\" it is of";
            return NULL;
        }
        found = part;
    }
    *why = "no such job runs";
    return found;
}

static void take_metric(struct plugin *plugin, const struct sl_plugin_line *line)
{
    const char *why;
    struct sl_diag diag = {.what = ""};
    struct part *part = part_of(plugin, line, &why);
    if (!part) {
        fail(plugin, NULL, SL_PLUGIN_BAD_LINE, why);
        return;
    }
    uint64_t left_out = part->record->left_out;
    int rc = sl_plugin_record_take(part->record, line, sl_clock_utc_ms(), &diag);
    if (rc == 0)
        plugin->counts.samples++;
    else if (rc == SL_E_FULL && left_out == 0)
        fail(plugin, part, SL_PLUGIN_FLOOD, "more figures than a run takes: the rest is left out");
    else if (rc != SL_E_FULL)
        fail(plugin, part, SL_PLUGIN_BAD_LINE, rc == -ENOMEM ? sl_strerror(rc) : diag.what);
}

static bool answer(struct plugin *plugin, struct part *part, struct question *question,
                   const struct sl_plugin_line *line)
{
    if (question->id != line->id)
        return false;
    question->id = 0;
    if (!line->ok)
        fail(plugin, part, SL_PLUGIN_REFUSED, line->error[0] ? line->error : "it gave no reason");
    return true;
}

static void take_answer(struct plugin *plugin, const struct sl_plugin_line *line)
{
    struct sl_plugin_run *at = plugin->set->runs;
    if (line->id == 0 || line->id > plugin->set->last_id) {
        fail(plugin, NULL, SL_PLUGIN_BAD_LINE, "it answers what it was not asked");
        return;
    }
    for (struct part *part; (part = next_part(plugin, &at)) != NULL;)
        if (answer(plugin, part, &part->question, line))
            return;
    for (size_t i = 0; i < MAX_CYCLES; i++) {
        if (!answer(plugin, NULL, &plugin->cycles[i].question, line))
            continue;
        sl_log(SL_LOG_INFO, SL_LOG_EVENT("power_cycled"),
               SL_LOG_TEXT("plugin", plugin->config->name), SL_LOG_DEVICE(plugin->cycles[i].device),
               SL_LOG_TEXT("ok", line->ok ? "true" : "false"));
    } /* any other came too late, which was counted then */
}

static void on_line(void *user, struct sl_bytes bytes, bool whole)
{
    struct plugin *plugin = user;
    struct sl_plugin_line line;
    struct sl_diag diag = {.what = ""};
    int rc = whole ? sl_plugin_line_read(bytes, &line, &diag) : SL_E_LIMIT;
    if (rc < 0)
        fail_everywhere(plugin, SL_PLUGIN_BAD_LINE,
                        whole ? diag.what : "a line is longer than 4096 bytes");
    else if (line.said == SL_PLUGIN_METRIC)
        take_metric(plugin, &line);
    else
        take_answer(plugin, &line);
    schedule(plugin->set);
}

static void on_flood(void *user)
{
    fail_everywhere(user, SL_PLUGIN_FLOOD, "it writes more in a second than is read");
}

/* A run's end is asked for once: who died before the answer knows nothing of the run. */
static void ask_again(struct plugin *plugin, struct sl_plugin_run *run, bool again)
{
    for (size_t i = 0; i < run->count && !run->closed; i++)
        if (run->parts[i].plugin == plugin && (!run->over || run->parts[i].question.id != 0))
            ask_part(&run->parts[i], again || run->resumed);
}

static void on_up(void *user)
{
    struct plugin *plugin = user;
    bool again = plugin->tried;
    plugin->tried = true;
    plugin->counts.up = true;
    sl_log(SL_LOG_INFO, SL_LOG_EVENT("plugin_started"),
           SL_LOG_TEXT("plugin", plugin->config->name));
    for (struct sl_plugin_run *run = plugin->set->runs; run; run = run->next)
        ask_again(plugin, run, again);
    schedule(plugin->set);
}

static void on_down(void *user, bool started, const char *why)
{
    struct plugin *plugin = user;
    struct sl_plugin_run *at = plugin->set->runs;
    plugin->tried = true;
    plugin->counts.up = false;
    fail_everywhere(plugin, started ? SL_PLUGIN_DIED : SL_PLUGIN_NOT_RUNNING, why);
    for (struct part *part; (part = next_part(plugin, &at)) != NULL;)
        part->question.id = 0;
    for (size_t i = 0; i < MAX_CYCLES; i++)
        plugin->cycles[i].question.id = 0;
    schedule(plugin->set);
}

static bool is_late(struct plugin *plugin, struct part *part, struct question *question,
                    const char *words)
{
    if (question->id == 0 || question->deadline_ms > uv_now(plugin->set->loop))
        return false;
    question->id = 0;
    fail(plugin, part, SL_PLUGIN_LATE, words);
    return true;
}

static void expire(struct sl_plugins *set)
{
    for (size_t i = 0; i < set->count; i++)
        for (size_t k = 0; k < MAX_CYCLES; k++)
            is_late(&set->all[i], NULL, &set->all[i].cycles[k].question,
                    "no answer to power_cycle in time");
    for (struct sl_plugin_run *run = set->runs; run; run = run->next)
        for (size_t i = 0; i < run->count; i++)
            is_late(run->parts[i].plugin, &run->parts[i], &run->parts[i].question,
                    run->over ? "no answer to run_ends in time"
                              : "no answer to run_begins in time");
}

/* Who is told may begin, end and free runs: the list is looked at anew. */
static void on_timer(uv_timer_t *timer)
{
    struct sl_plugins *set = timer->data;
    expire(set);
    for (struct sl_plugin_run *run = set->runs; run;) {
        if (!run->waiting || !is_answered(run)) {
            run = run->next;
            continue;
        }
        run->waiting = false;
        run->closed = run->over;
        for (size_t i = 0; i < run->count && !run->over; i++)
            run->records[i].began_ms = sl_clock_utc_ms();
        run->settled(run->user);
        run = set->runs;
    }
    schedule(set);
}

/* --- the calls --- */

int sl_plugins_new(uv_loop_t *loop, const struct sl_plugin_config *configs, size_t count,
                   sl_plugins_device_fn device, void *user, struct sl_plugins **out)
{
    static const struct sl_plugin_process_events events = {on_up, on_down, on_line, on_flood};
    struct sl_plugins *set = sl_calloc(1, sizeof(*set));
    int rc = set ? 0 : -ENOMEM;
    if (rc < 0)
        return rc;
    set->loop = loop;
    set->device = device;
    set->user = user;
    uv_timer_init(loop, &set->timer); /* cannot fail */
    set->timer.data = set;
    *out = set; /* whatever follows, it is to be closed */
    for (; rc == 0 && set->count < count && set->count < SL_MAX_PLUGINS; set->count++) {
        struct plugin *plugin = &set->all[set->count];
        plugin->set = set;
        plugin->config = &configs[set->count];
        plugin->counts.name = plugin->config->name;
        rc = sl_plugin_process_new(loop, plugin->config->name, plugin->config->words,
                                   plugin->config->word_count, &events, plugin, &plugin->process);
        if (rc < 0)
            break;
    }
    return rc;
}

static void on_timer_closed(uv_handle_t *handle)
{
    struct sl_plugins *set = handle->data;
    void (*closed)(void *) = set->closed;
    void *user = set->closed_user;
    sl_free(set);
    closed(user);
}

static void on_process_closed(void *user)
{
    struct sl_plugins *set = user;
    if (--set->open == 0)
        uv_close((uv_handle_t *)&set->timer, on_timer_closed);
}

void sl_plugins_close(struct sl_plugins *set, void (*closed)(void *user), void *user)
{
    set->closed = closed;
    set->closed_user = user;
    set->open = set->count + 1; /* and this call */
    uv_timer_stop(&set->timer);
    for (size_t i = 0; i < set->count; i++)
        sl_plugin_process_close(set->all[i].process, on_process_closed, set);
    on_process_closed(set);
}

bool sl_plugins_hear(const struct sl_plugins *set, unsigned when, const char *device)
{
    bool any = false;
    for (size_t i = 0; set && i < set->count; i++)
        any = any || may_fit(set, &set->all[i], when, device) != SL_MAYBE_NO;
    return any;
}

void sl_plugins_tell(struct sl_plugins *set, const struct sl_plugins_event *event)
{
    for (size_t i = 0; set && i < set->count; i++) {
        struct plugin *plugin = &set->all[i];
        struct question none = {0, 0};
        struct sl_buf text;
        struct sl_json json;
        if (!fits(set, plugin, event->when, event->device))
            continue;
        begin_line(&json, &text, sl_plugin_when_name(event->when));
        if (event->job != 0)
            sl_json_u64(&json, "job", event->job);
        sl_json_text(&json, "cause", event->cause);
        sl_json_text(&json, "detail", event->detail);
        put_device(set, event->device, &json);
        int rc = say(plugin, &json, &text);
        if (rc < 0)
            unsaid(plugin, NULL, &none, rc);
    }
}

static int cycle(struct plugin *plugin, const char *device)
{
    size_t place = 0;
    struct sl_buf text;
    struct sl_json json;
    while (place < MAX_CYCLES && plugin->cycles[place].question.id != 0)
        place++;
    if (place == MAX_CYCLES || !plugin->counts.up)
        return place == MAX_CYCLES ? SL_E_FULL : SL_E_STATE;
    snprintf(plugin->cycles[place].device, sizeof(plugin->cycles[place].device), "%s", device);
    begin_line(&json, &text, sl_plugin_when_name(SL_PLUGIN_POWER_CYCLE));
    ask(plugin, &plugin->cycles[place].question, uv_now(plugin->set->loop), &json);
    put_device(plugin->set, device, &json);
    int rc = say(plugin, &json, &text);
    if (rc < 0)
        unsaid(plugin, NULL, &plugin->cycles[place].question, rc);
    return rc;
}

int sl_plugins_power_cycle(struct sl_plugins *set, const char *device)
{
    int rc = SL_E_NOT_FOUND;
    for (size_t i = 0; set && i < set->count; i++)
        if (fits(set, &set->all[i], SL_PLUGIN_POWER_CYCLE, device))
            rc = cycle(&set->all[i], device);
    if (set)
        schedule(set);
    return rc;
}

static int open_run(struct sl_plugins *set, const struct sl_plugin_run_facts *facts,
                    struct sl_plugin_run **out)
{
    struct plugin *chosen[SL_MAX_PLUGINS];
    size_t count = 0;
    for (size_t i = 0; set && i < set->count; i++)
        if (fits(set, &set->all[i], SL_PLUGIN_RUN, facts->device))
            chosen[count++] = &set->all[i];
    *out = NULL;
    if (count == 0)
        return 0;
    struct sl_plugin_run *run = sl_calloc(1, sizeof(*run) + count * sizeof(run->records[0]));
    if (!run)
        return -ENOMEM;
    run->set = set;
    run->job = facts->job;
    run->resumed = facts->resumed;
    run->count = count;
    snprintf(run->device, sizeof(run->device), "%s", facts->device);
    snprintf(run->model, sizeof(run->model), "%s", facts->model);
    for (size_t i = 0; i < count; i++) {
        run->parts[i] = (struct part){.plugin = chosen[i], .run = run, .record = &run->records[i]};
        sl_plugin_record_init(&run->records[i], chosen[i]->config->name, sl_clock_utc_ms());
    }
    *out = run;
    return 0;
}

int sl_plugin_run_begin(struct sl_plugins *set, const struct sl_plugin_run_facts *facts,
                        void (*settled)(void *user), void *user, struct sl_plugin_run **out)
{
    struct sl_plugin_run *run;
    int rc = open_run(set, facts, &run);
    *out = run;
    if (rc < 0 || !run)
        return rc;
    run->settled = settled;
    run->user = user;
    run->waiting = true;
    run->asked_ms = uv_now(set->loop);
    run->next = set->runs;
    set->runs = run;
    for (size_t i = 0; i < run->count; i++)
        ask_part(&run->parts[i], run->resumed);
    schedule(set);
    return 0;
}

void sl_plugin_run_end(struct sl_plugin_run *run)
{
    if (!run || run->over)
        return;
    run->over = run->waiting = true;
    run->asked_ms = uv_now(run->set->loop);
    for (size_t i = 0; i < run->count; i++) {
        run->records[i].ended_ms = sl_clock_utc_ms();
        ask_part(&run->parts[i], run->resumed);
    }
    schedule(run->set);
}

void sl_plugin_run_clock(struct sl_plugin_run *run, int64_t low_us, int64_t high_us)
{
    if (!run)
        return;
    run->clock.ahead_us = low_us + (high_us - low_us) / 2;
    run->clock.uncertain_us = (uint64_t)(high_us - low_us + 1) / 2;
    run->clock_known = true;
}

bool sl_plugin_run_is_settled(const struct sl_plugin_run *run)
{
    return !run || run->closed;
}

int sl_plugin_run_put(const struct sl_plugin_run *run, struct sl_buf *out)
{
    return sl_plugin_records_put(out, run->records, run->count, run->resumed,
                                 run->clock_known ? &run->clock : NULL);
}

/* One that did not come to its end is told to those that measure it all the same. */
static void drop(const struct sl_plugin_run *run)
{
    for (size_t i = 0; i < run->count; i++) {
        struct sl_buf text;
        struct sl_json json;
        begin_line(&json, &text, "run_ends");
        sl_json_u64(&json, "job", run->job);
        put_device(run->set, run->device, &json);
        say(run->parts[i].plugin, &json, &text);
    }
}

void sl_plugin_run_free(struct sl_plugin_run *run)
{
    if (!run)
        return;
    struct sl_plugin_run **at = &run->set->runs;
    while (*at != run)
        at = &(*at)->next;
    *at = run->next;
    if (!run->over)
        drop(run);
    for (size_t i = 0; i < run->count; i++)
        sl_plugin_record_fini(&run->records[i]);
    sl_free(run);
}

bool sl_plugins_counts(const struct sl_plugins *set, size_t place, struct sl_plugin_counts *out)
{
    if (!set || place >= set->count)
        return false;
    *out = set->all[place].counts;
    return true;
}
