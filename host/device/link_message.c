/* host/device/link_message.c */
#include "host/device/link_message.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/base/error.h"
#include "common/base/mem.h"
#include "common/base/utf8.h"
#include "common/net/channel.h"
#include "common/net/message.h"
#include "host/device/link_job.h"
#include "host/device/runtime_files.h"
#include "host/spec/device_facts.h"
#include "host/spec/param.h"
#include "host/spec/plan.h"
#include "proto/envelope.pb-c.h"

_Static_assert(SL_OUTCOME_LOST == (int)SME2LAB__PROTO__OUTCOME__OUTCOME_LOST,
               "outcomes are the protocol's");
_Static_assert(SL_LINK_FORGET == (int)SME2LAB__PROTO__WISH__WISH_FORGET &&
                   SL_LINK_SEND == (int)SME2LAB__PROTO__WISH__WISH_SEND,
               "wishes are, too");
_Static_assert(SL_LINK_STREAMS == (int)SME2LAB__PROTO__STREAM__STREAM_FILES,
               "the wire counts streams from 1");

enum { HOST_BYTES = 64, MAX_CONFIG_BYTES = 512 << 10 };

/* protobuf-c's texts are not const, but packing does not write to them. */
static char *text(const char *borrowed)
{
    return (char *)(uintptr_t)(borrowed ? borrowed : "");
}

int sl_link_message_resume(struct sl_channel *channel, const struct sl_link_have *have,
                           size_t count)
{
    Sme2lab__Proto__Resume resume = SME2LAB__PROTO__RESUME__INIT;
    Sme2lab__Proto__Envelope envelope = SME2LAB__PROTO__ENVELOPE__INIT;
    size_t total = count * SL_LINK_STREAMS;
    Sme2lab__Proto__Ack *acks = sl_calloc(total + 1, sizeof(*acks));
    Sme2lab__Proto__Ack **pointers = sl_calloc(total + 1, sizeof(*pointers));
    int rc = acks && pointers ? 0 : -ENOMEM;
    for (size_t i = 0; rc == 0 && i < total; i++) {
        sme2lab__proto__ack__init(&acks[i]);
        acks[i].job = have[i / SL_LINK_STREAMS].job.low;
        acks[i].job_high = have[i / SL_LINK_STREAMS].job.high;
        acks[i].stream = (Sme2lab__Proto__Stream)(i % SL_LINK_STREAMS + 1);
        acks[i].offset = have[i / SL_LINK_STREAMS].offsets[i % SL_LINK_STREAMS];
        pointers[i] = &acks[i];
    }
    resume.have = pointers;
    resume.n_have = total;
    envelope.body_case = SME2LAB__PROTO__ENVELOPE__BODY_RESUME;
    envelope.resume = &resume;
    if (rc == 0)
        rc = sl_channel_send(channel, &envelope);
    sl_free(acks);
    sl_free(pointers);
    return rc;
}

/* The field of the message that has that name. */
static void *field_of(Sme2lab__Proto__Job *body, const struct sl_param *param,
                      const ProtobufCFieldDescriptor **out)
{
    *out = protobuf_c_message_descriptor_get_field_by_name(&sme2lab__proto__job__descriptor,
                                                           param->wire);
    assert(*out); /* the list of parameters and proto/job.proto agree */
    return (char *)body + (*out)->offset;
}

static void put_number(void *to, const ProtobufCFieldDescriptor *field, uint64_t value)
{
    if (field->type == PROTOBUF_C_TYPE_UINT64)
        *(uint64_t *)to = value;
    else if (field->type == PROTOBUF_C_TYPE_BOOL)
        *(protobuf_c_boolean *)to = value != 0;
    else
        *(uint32_t *)to = (uint32_t)value;
}

/* A list of files by their digests; its number of items stands at the field's quantifier. */
static void put_digests(Sme2lab__Proto__Job *body, const struct sl_param *param,
                        const struct sl_spec *spec, char **list)
{
    const ProtobufCFieldDescriptor *field;
    void *to = field_of(body, param, &field);
    const char *const *digests = sl_param_digests(param, spec);
    size_t count = sl_param_item_count(param, spec);
    for (size_t i = 0; i < count; i++)
        list[i] = text(digests[i]);
    *(char ***)to = list;
    *(size_t *)(void *)((char *)body + field->quantifier_offset) = count;
}

/* A parameter as the field of the message that spec.inc names; a choice is whether it is another
 * than the first. `inputs` has room for the files of the one list there is. */
static void put_param(Sme2lab__Proto__Job *body, const struct sl_param *param,
                      const struct sl_spec *spec, char **inputs)
{
    const ProtobufCFieldDescriptor *field;
    const void *value = sl_param_read(param, spec);
    void *to = field_of(body, param, &field);
    uint64_t scale = param->scale != 0 ? param->scale : 1;
    switch (param->type) {
    case SL_PARAM_TEXT:
        *(char **)to = text(*(const char *const *)value);
        break;
    case SL_PARAM_WORD:
        *(char **)to = text(value);
        break;
    case SL_PARAM_PATH:
        *(char **)to = text(sl_param_digests(param, spec)[0]);
        break;
    case SL_PARAM_PATHS:
        put_digests(body, param, spec, inputs);
        break;
    case SL_PARAM_FLAG:
        put_number(to, field, *(const bool *)value);
        break;
    case SL_PARAM_CHOICE:
        put_number(to, field, *(const int *)value != 0);
        break;
    case SL_PARAM_COUNT:
    case SL_PARAM_COUNTS:
        put_number(to, field, *(const uint32_t *)value * scale);
        break;
    default:
        assert(false); /* no such parameter goes to the agent */
    }
}

/* Everything of an arm's message; texts are borrowed from its experiment. */
struct arm {
    Sme2lab__Proto__Arm body;
    char *inputs[SL_SPEC_MAX_INPUTS];
    char *library_names[SL_SPEC_MAX_LIBRARIES], *libraries[SL_SPEC_MAX_LIBRARIES];
};

static char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return text(slash ? slash + 1 : path);
}

static void fill_arm(const struct sl_spec *spec, size_t place, struct arm *arm)
{
    Sme2lab__Proto__Arm *body = &arm->body;
    sme2lab__proto__arm__init(body);
    for (size_t i = 0; i < spec->inputs_count; i++)
        arm->inputs[i] = text(spec->inputs_sha256[i]);
    for (size_t i = 0; i < spec->runner_libraries_count; i++) {
        arm->library_names[i] = file_name(spec->runner_libraries[i]);
        arm->libraries[i] = text(spec->runner_libraries_sha256[i]);
    }
    body->place = (uint32_t)place;
    body->runner = text(spec->runner_sha256);
    body->program = file_name(spec->runner);
    body->model = text(spec->model_sha256);
    body->data = text(spec->data_path_sha256);
    body->inputs = arm->inputs;
    body->n_inputs = spec->inputs_count;
    body->method = text(spec->method);
    body->threads = spec->threads[0];
    body->runs = spec->runs;
    body->warmup = spec->warmup;
    body->processes = sl_plan_rounds(spec);
    body->affinity = text(spec->affinity);
    body->args = (char **)(uintptr_t)spec->extra_args;
    body->n_args = spec->extra_args_count;
    body->library_names = arm->library_names;
    body->libraries = arm->libraries;
    body->n_library_names = body->n_libraries = spec->runner_libraries_count;
    body->environment = (char **)(uintptr_t)spec->runner_environment;
    body->n_environment = spec->runner_environment_count;
}

/* In the order in which they take turns. The arms are owned by the caller. */
static int put_arms(const struct sl_plan *plan, Sme2lab__Proto__Job *body, struct arm **out)
{
    size_t order[SL_PLAN_MAX];
    *out = NULL;
    if (!plan)
        return 0;
    *out = sl_calloc(plan->count, sizeof(**out));
    body->arms = sl_calloc(plan->count, sizeof(*body->arms));
    if (!*out || !body->arms)
        return -ENOMEM;
    sl_plan_order(plan, order);
    for (size_t i = 0; i < plan->count; i++) {
        fill_arm(&plan->specs[order[i]], order[i], &(*out)[i]);
        body->arms[i] = &(*out)[i].body;
    }
    body->n_arms = plan->count;
    return 0;
}

/* For the host that collects the result. A configuration that is too long for a message goes
 * without: its result can then be collected by this host alone. */
static void put_origin(const struct sl_link_job *job, char host[HOST_BYTES],
                       Sme2lab__Proto__Job *body)
{
    if (job->config && strlen(job->config) <= MAX_CONFIG_BYTES)
        body->config = text(job->config);
    body->started_ms = job->started_ms;
    host[0] = host[HOST_BYTES - 1] = '\0';
    gethostname(host, HOST_BYTES - 1);
    sl_utf8_clean(host, "");
    body->host = host;
}

int sl_link_message_job(struct sl_channel *channel, const struct sl_link_job *job)
{
    char host[HOST_BYTES];
    char *inputs[SL_SPEC_MAX_INPUTS], *prefix[SL_LINK_MAX_WORDS], *task[SL_LINK_MAX_TASK];
    char *names[SL_RUNTIME_FILES_MAX], *digests[SL_RUNTIME_FILES_MAX];
    struct arm *arms;
    Sme2lab__Proto__Job body = SME2LAB__PROTO__JOB__INIT;
    Sme2lab__Proto__Envelope envelope = SME2LAB__PROTO__ENVELOPE__INIT;
    if (job->exec_prefix_count > SL_LINK_MAX_WORDS || job->task_count > SL_LINK_MAX_TASK)
        return SL_E_LIMIT;
    for (size_t i = 0; i < job->exec_prefix_count; i++)
        prefix[i] = text(job->exec_prefix[i]);
    for (size_t i = 0; i < job->task_count; i++)
        task[i] = text(job->task[i]);
    for (size_t i = 0; i < sl_param_count; i++) {
        const struct sl_param *param = &sl_params[i];
        if (param->wire && !(param->measured && job->reference))
            put_param(&body, param, job->spec, inputs);
    }
    if (job->reference)
        body.pairs = 1;
    body.id = job->id.low;
    body.id_high = job->id.high;
    body.variants = text(job->variants);
    body.clock = text(job->clock);
    body.policy = text(job->policy);
    body.compare_with = text(job->compare_with);
    body.first_look = job->first_look;
    body.budget_ms = job->budget_ms;
    put_origin(job, host, &body);
    body.exec_prefix = prefix;
    body.n_exec_prefix = job->exec_prefix_count;
    body.task = task;
    body.n_task = job->task_count;
    body.runtime_names = names;
    body.runtime = digests;
    body.n_runtime_names = body.n_runtime = job->runtime ? job->runtime->count : 0;
    for (size_t i = 0; i < body.n_runtime; i++) {
        names[i] = text(job->runtime->name[i]);
        digests[i] = text(job->runtime->sha256[i]);
    }
    envelope.body_case = SME2LAB__PROTO__ENVELOPE__BODY_JOB;
    envelope.job = &body;
    int rc = put_arms(job->spec->plan, &body, &arms);
    if (rc == 0)
        rc = sl_channel_send(channel, &envelope);
    sl_free(arms);
    sl_free(body.arms);
    return rc;
}

int sl_link_message_proceed(struct sl_channel *channel, struct sl_run_id job, uint32_t pairs,
                            bool last)
{
    Sme2lab__Proto__Proceed body = SME2LAB__PROTO__PROCEED__INIT;
    Sme2lab__Proto__Envelope envelope = SME2LAB__PROTO__ENVELOPE__INIT;
    body.job = job.low;
    body.job_high = job.high;
    body.pairs = pairs;
    body.last = last;
    envelope.body_case = SME2LAB__PROTO__ENVELOPE__BODY_PROCEED;
    envelope.proceed = &body;
    return sl_channel_send(channel, &envelope);
}

int sl_link_message_cancel(struct sl_channel *channel, struct sl_run_id job)
{
    Sme2lab__Proto__Cancel cancel = SME2LAB__PROTO__CANCEL__INIT;
    Sme2lab__Proto__Envelope envelope = SME2LAB__PROTO__ENVELOPE__INIT;
    cancel.job = job.low;
    cancel.job_high = job.high;
    envelope.body_case = SME2LAB__PROTO__ENVELOPE__BODY_CANCEL;
    envelope.cancel = &cancel;
    return sl_channel_send(channel, &envelope);
}

int sl_link_message_ack(struct sl_channel *channel, struct sl_run_id job, int stream,
                        uint64_t offset)
{
    Sme2lab__Proto__Ack ack = SME2LAB__PROTO__ACK__INIT;
    Sme2lab__Proto__Envelope envelope = SME2LAB__PROTO__ENVELOPE__INIT;
    ack.job = job.low;
    ack.job_high = job.high;
    ack.stream = (Sme2lab__Proto__Stream)stream;
    ack.offset = offset;
    envelope.body_case = SME2LAB__PROTO__ENVELOPE__BODY_ACK;
    envelope.ack = &ack;
    return sl_channel_send(channel, &envelope);
}

int sl_link_message_claim(struct sl_channel *channel, struct sl_run_id job, int wish)
{
    Sme2lab__Proto__Claim claim = SME2LAB__PROTO__CLAIM__INIT;
    Sme2lab__Proto__Envelope envelope = SME2LAB__PROTO__ENVELOPE__INIT;
    claim.job = job.low;
    claim.job_high = job.high;
    claim.wish = (Sme2lab__Proto__Wish)wish;
    envelope.body_case = SME2LAB__PROTO__ENVELOPE__BODY_CLAIM;
    envelope.claim = &claim;
    return sl_channel_tell(channel, &envelope);
}

int sl_link_message_clean(struct sl_channel *channel)
{
    Sme2lab__Proto__Clean clean = SME2LAB__PROTO__CLEAN__INIT;
    Sme2lab__Proto__Envelope envelope = SME2LAB__PROTO__ENVELOPE__INIT;
    envelope.body_case = SME2LAB__PROTO__ENVELOPE__BODY_CLEAN;
    envelope.clean = &clean;
    return sl_channel_send(channel, &envelope);
}

int sl_link_message_look(struct sl_channel *channel)
{
    Sme2lab__Proto__Look look = SME2LAB__PROTO__LOOK__INIT;
    Sme2lab__Proto__Envelope envelope = SME2LAB__PROTO__ENVELOPE__INIT;
    envelope.body_case = SME2LAB__PROTO__ENVELOPE__BODY_LOOK;
    envelope.look = &look;
    return sl_channel_send(channel, &envelope);
}

static void take_chunk(const Sme2lab__Proto__TraceChunk *body, const struct sl_link_events *events,
                       void *user)
{
    int stream = (int)body->stream - 1;
    if (stream < 0 || stream >= SL_LINK_STREAMS)
        return; /* of a newer agent */
    struct sl_link_chunk chunk = {.job = SL_MESSAGE_RUN(body),
                                  .offset = body->offset,
                                  .stream = stream,
                                  .bytes = body->bytes.data,
                                  .len = body->bytes.len};
    events->chunk(user, &chunk);
}

static void take_result(const Sme2lab__Proto__Result *body, const struct sl_link_events *events,
                        void *user)
{
    struct sl_link_result result = {
        .job = SL_MESSAGE_RUN(body),
        .outcome = (int)body->outcome,
        .exit_code = body->exit_code,
        .signal = body->signal,
        .stream_bytes = {body->trace_bytes, body->log_bytes, body->output_bytes, body->files_bytes},
        .dropped_bytes = body->dropped_bytes,
        .storage_failed = body->storage_failed,
    };
    snprintf(result.detail, sizeof(result.detail), "%s", body->detail ? body->detail : "");
    snprintf(result.last_operator, sizeof(result.last_operator), "%s",
             body->last_operator ? body->last_operator : "");
    events->result(user, &result);
}

static void take_kept(const Sme2lab__Proto__Kept *body, const struct sl_link_events *events,
                      void *user)
{
    struct sl_link_kept kept[SL_LINK_MAX_KEPT];
    size_t count = body->n_jobs < SL_LINK_MAX_KEPT ? body->n_jobs : SL_LINK_MAX_KEPT;
    for (size_t i = 0; i < count; i++)
        kept[i] = (struct sl_link_kept){.job = SL_MESSAGE_RUN(body->jobs[i]),
                                        .bytes = body->jobs[i]->bytes,
                                        .outcome = (int)body->jobs[i]->outcome};
    if (events->kept)
        events->kept(user, kept, count);
}

static void take_told(const Sme2lab__Proto__Job *body, const struct sl_link_events *events,
                      void *user)
{
    const struct sl_link_told told = {.job = {body->id_high, body->id},
                                      .started_ms = body->started_ms,
                                      .config = text(body->config),
                                      .host = text(body->host)};
    if (events->told)
        events->told(user, &told);
}

static void take_conditions(const Sme2lab__Proto__Conditions *body,
                            const struct sl_link_events *events, void *user)
{
    struct sl_device_conditions now = {
        .millidegrees = body->millidegrees,
        .battery_percent = body->battery_percent <= 100 ? body->battery_percent : 0,
        .power_saver = body->power_saver == SME2LAB__PROTO__SWITCH__SWITCH_ON ? SL_MAYBE_YES
                       : body->power_saver == SME2LAB__PROTO__SWITCH__SWITCH_OFF
                           ? SL_MAYBE_NO
                           : SL_MAYBE_UNKNOWN};
    snprintf(now.warmest, sizeof(now.warmest), "%s", text(body->warmest));
    sl_utf8_clean(now.warmest, "");
    if (events->conditions)
        events->conditions(user, &now);
}

void sl_link_message_take(const Sme2lab__Proto__Envelope *envelope,
                          const struct sl_link_events *events, void *user)
{
    if (envelope->body_case == SME2LAB__PROTO__ENVELOPE__BODY_CHUNK)
        take_chunk(envelope->chunk, events, user);
    else if (envelope->body_case == SME2LAB__PROTO__ENVELOPE__BODY_RESULT)
        take_result(envelope->result, events, user);
    else if (envelope->body_case == SME2LAB__PROTO__ENVELOPE__BODY_KEPT)
        take_kept(envelope->kept, events, user);
    else if (envelope->body_case == SME2LAB__PROTO__ENVELOPE__BODY_JOB)
        take_told(envelope->job, events, user);
    else if (envelope->body_case == SME2LAB__PROTO__ENVELOPE__BODY_CLEANED && events->cleaned)
        events->cleaned(user, envelope->cleaned->files, envelope->cleaned->bytes,
                        text(envelope->cleaned->refusal));
    else if (envelope->body_case == SME2LAB__PROTO__ENVELOPE__BODY_CONDITIONS)
        take_conditions(envelope->conditions, events, user);
    else if (envelope->body_case == SME2LAB__PROTO__ENVELOPE__BODY_STATE)
        events->state(user, SL_MESSAGE_RUN(envelope->state), (int)envelope->state->phase,
                      envelope->state->pair, envelope->state->pairs);
}
