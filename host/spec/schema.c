/* host/spec/schema.c */
#include "host/spec/schema.h"

#include <stdbool.h>
#include <stdio.h>

#include "common/base/buf.h"
#include "common/base/json.h"
#include "host/spec/param.h"
#include "host/spec/plan.h"

enum { MAX_LINE_BYTES = 4096 };

static const char digest_pattern[] = "^[0-9a-f]{64}$";

static void put_text(struct sl_json *json, const char *key, size_t most, const char *pattern)
{
    sl_json_open_object(json, key);
    sl_json_text(json, "type", "string");
    sl_json_u64(json, "minLength", 1);
    if (most != 0)
        sl_json_u64(json, "maxLength", most);
    if (pattern)
        sl_json_text(json, "pattern", pattern);
}

static void put_list_of_texts(struct sl_json *json, size_t most, const char *pattern)
{
    sl_json_text(json, "type", "array");
    sl_json_u64(json, "maxItems", most);
    put_text(json, "items", 0, pattern);
    sl_json_close_object(json);
}

static void put_range(struct sl_json *json, const struct sl_param *param)
{
    sl_json_text(json, "type", param->type == SL_PARAM_REAL ? "number" : "integer");
    sl_json_f64(json, "minimum", param->low);
    sl_json_f64(json, "maximum", param->high);
}

/* Puts the default; a count that the device's clock decides has none, nor has a parameter that is
 * off. */
static void put_default(struct sl_json *json, const struct sl_param *param, unsigned scope)
{
    double value =
        scope == SL_IN_JOB && param->job_initial > 0 ? param->job_initial : param->initial;
    if (value >= param->low && value <= param->high)
        sl_json_f64(json, "default", value);
}

static void put_choice(struct sl_json *json, const struct sl_param *param, unsigned scope)
{
    size_t count = scope == SL_IN_JOB && param->job_words ? param->job_words : SL_PARAM_MAX_WORDS;
    sl_json_open_array(json, "enum");
    for (size_t i = 0; i < count && param->words[i]; i++)
        sl_json_text(json, NULL, param->words[i]);
    sl_json_close_array(json);
    sl_json_text(json, "default", param->words[0]);
}

/* A number, or one of the words. */
static void put_count(struct sl_json *json, const struct sl_param *param, unsigned scope)
{
    if (param->words[0])
        put_choice(json, param, scope);
    else
        put_range(json, param);
}

/* One, or in a configuration a list of them. */
static void put_counts(struct sl_json *json, const struct sl_param *param, unsigned scope)
{
    if (scope == SL_IN_JOB) {
        put_count(json, param, scope);
        if (!param->words[0])
            put_default(json, param, scope);
        return;
    }
    sl_json_open_array(json, "oneOf");
    sl_json_open_object(json, NULL);
    put_count(json, param, scope);
    sl_json_close_object(json);
    sl_json_open_object(json, NULL);
    sl_json_text(json, "type", "array");
    sl_json_open_object(json, "items");
    put_count(json, param, scope);
    sl_json_close_object(json);
    sl_json_u64(json, "minItems", 1);
    sl_json_u64(json, "maxItems", SL_SPEC_MAX_COUNTS);
    sl_json_bool(json, "uniqueItems", true);
    sl_json_close_object(json);
    sl_json_close_array(json);
}

static void put_labels(struct sl_json *json, const struct sl_param *param)
{
    sl_json_text(json, "type", "object");
    sl_json_u64(json, "maxProperties", param->most);
    put_text(json, "additionalProperties", SL_SELECTOR_BYTES - 1, NULL);
    sl_json_close_object(json);
}

/* {"sme2": ["off", "on"]} */
static void put_fixed(struct sl_json *json)
{
    sl_json_text(json, "type", "object");
    sl_json_bool(json, "additionalProperties", false);
    sl_json_open_array(json, "required");
    sl_json_text(json, NULL, "sme2");
    sl_json_close_array(json);
    sl_json_open_object(json, "properties");
    sl_json_open_object(json, "sme2");
    sl_json_open_array(json, "const");
    sl_json_text(json, NULL, "off");
    sl_json_text(json, NULL, "on");
    sl_json_close_array(json);
    sl_json_close_object(json);
    sl_json_close_object(json);
}

/* {"soc": "tensor", "sme2": true} in place of a text, whose limits say nothing of an object. */
static void put_conditions(struct sl_json *json)
{
    static const char *const types[] = {"string", "number", "boolean"};
    sl_json_open_array(json, "type");
    sl_json_text(json, NULL, "string");
    sl_json_text(json, NULL, "object");
    sl_json_close_array(json);
    sl_json_u64(json, "minProperties", 1);
    sl_json_open_object(json, "additionalProperties");
    sl_json_open_array(json, "type");
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
        sl_json_text(json, NULL, types[i]);
    sl_json_close_array(json);
    sl_json_close_object(json);
}

static void put_string(struct sl_json *json, const struct sl_param *param, unsigned scope)
{
    bool digest = param->type == SL_PARAM_PATH && scope == SL_IN_JOB;
    size_t most = param->type == SL_PARAM_PATH ? SL_SPEC_MAX_PATH : param->most;
    if (param->type == SL_PARAM_WORD && most == 0)
        most = SL_NAME_BYTES - 1;
    if (param->conditions)
        put_conditions(json);
    else
        sl_json_text(json, "type", "string");
    if (digest) {
        sl_json_text(json, "pattern", digest_pattern);
        return;
    }
    sl_json_u64(json, "minLength", 1);
    if (most != 0)
        sl_json_u64(json, "maxLength", most);
    if (param->pattern)
        sl_json_text(json, "pattern", param->pattern);
    if (param->text)
        sl_json_text(json, "default", param->text);
}

static void put_type(struct sl_json *json, const struct sl_param *param, unsigned scope)
{
    switch (param->type) {
    case SL_PARAM_TEXT:
    case SL_PARAM_WORD:
    case SL_PARAM_PATH:
        put_string(json, param, scope);
        break;
    case SL_PARAM_COUNT:
    case SL_PARAM_NUMBER:
    case SL_PARAM_REAL:
        put_range(json, param);
        put_default(json, param, scope);
        break;
    case SL_PARAM_FLAG:
        sl_json_text(json, "type", "boolean");
        sl_json_bool(json, "default", false);
        break;
    case SL_PARAM_CHOICE:
        put_choice(json, param, scope);
        break;
    case SL_PARAM_COUNTS:
        put_counts(json, param, scope);
        break;
    case SL_PARAM_TEXTS:
    case SL_PARAM_PATHS:
        put_list_of_texts(json, param->most,
                          scope == SL_IN_JOB && param->type == SL_PARAM_PATHS ? digest_pattern
                                                                              : NULL);
        break;
    case SL_PARAM_LABELS:
        put_labels(json, param);
        break;
    case SL_PARAM_FIXED:
        put_fixed(json);
        break;
    }
}

/* Puts the parameter's purpose; for a file in a body, its name or digest. */
static void put_description(struct sl_json *json, const struct sl_param *param, unsigned scope)
{
    char words[160];
    if (!param->blob || scope == SL_IN_TOP || scope == SL_IN_EXPERIMENT) {
        sl_json_text(json, "description", param->help);
        return;
    }
    snprintf(words, sizeof(words),
             scope == SL_IN_SHOWN ? "What the sender calls %s." : "SHA-256 of a blob: %s.",
             param->blob);
    sl_json_text(json, "description", words);
}

static void put_property(struct sl_json *json, const char *key, const struct sl_param *param,
                         unsigned scope)
{
    sl_json_open_object(json, key);
    put_type(json, param, scope);
    put_description(json, param, scope);
    sl_json_close_object(json);
}

static void put_alias(struct sl_json *json, const struct sl_param *param, unsigned scope)
{
    char words[80];
    snprintf(words, sizeof(words), "Another spelling of %s; give one of the two.", param->key);
    sl_json_open_object(json, param->alias);
    put_type(json, param, scope);
    sl_json_text(json, "description", words);
    sl_json_close_object(json);
}

/* The parameters of a scope, as members of `properties`. */
static void put_properties(struct sl_json *json, unsigned scope)
{
    for (size_t i = 0; i < sl_param_count; i++) {
        const char *key = sl_param_key(&sl_params[i], scope);
        if (!key)
            continue;
        put_property(json, key, &sl_params[i], scope);
        if (sl_params[i].alias && (scope == SL_IN_TOP || scope == SL_IN_EXPERIMENT))
            put_alias(json, &sl_params[i], scope);
    }
}

/* An object whose keys are all known; its properties follow. */
static void open_object(struct sl_json *json, const char *key, const char *const *required)
{
    if (key)
        sl_json_open_object(json, key);
    sl_json_text(json, "type", "object");
    sl_json_bool(json, "additionalProperties", false);
    if (required) {
        sl_json_open_array(json, "required");
        for (; *required; required++)
            sl_json_text(json, NULL, *required);
        sl_json_close_array(json);
    }
    sl_json_open_object(json, "properties");
}

static void close_object(struct sl_json *json)
{
    sl_json_close_object(json);
    sl_json_close_object(json);
}

static void put_reference(struct sl_json *json, const char *key, const char *to)
{
    sl_json_open_object(json, key);
    sl_json_text(json, "$ref", to);
    sl_json_close_object(json);
}

/* One path, or a list of them. */
static void put_model(struct sl_json *json)
{
    sl_json_open_object(json, "model");
    sl_json_open_array(json, "oneOf");
    put_text(json, NULL, 0, NULL);
    sl_json_close_object(json);
    sl_json_open_object(json, NULL);
    put_list_of_texts(json, SL_PLAN_MAX, NULL);
    sl_json_u64(json, "minItems", 1);
    sl_json_close_object(json);
    sl_json_close_array(json);
    sl_json_text(json, "description",
                 "Path of the .pte, relative to this file; of a list each is measured "
                 "in every experiment, which is then called MODEL_NAME.");
    sl_json_close_object(json);
}

static void put_analysis(struct sl_json *json)
{
    static const char *const sides[] = {"baseline", "candidate", NULL};
    open_object(json, "analysis", NULL);
    sl_json_open_object(json, "compare_pairs");
    sl_json_text(json, "type", "array");
    sl_json_u64(json, "maxItems", SL_PLAN_MAX_PAIRS);
    sl_json_text(json, "description",
                 "Which experiments with external runners are compared in the report.");
    open_object(json, "items", sides);
    put_reference(json, sides[0], "#/$defs/side");
    put_reference(json, sides[1], "#/$defs/side");
    put_text(json, "label", 0, NULL);
    sl_json_close_object(json);
    close_object(json);
    sl_json_close_object(json);
    close_object(json);
}

static void put_experiments(struct sl_json *json)
{
    sl_json_open_object(json, "experiments");
    sl_json_text(json, "type", "array");
    sl_json_u64(json, "minItems", 1);
    sl_json_u64(json, "maxItems", SL_PLAN_MAX);
    put_reference(json, "items", "#/$defs/experiment");
    sl_json_close_object(json);
}

static void put_side(struct sl_json *json)
{
    static const char *const required[] = {"experiment", "threads", NULL};
    open_object(json, "side", required);
    put_text(json, "experiment", 0, NULL);
    sl_json_close_object(json);
    sl_json_open_object(json, "threads");
    sl_json_text(json, "type", "integer");
    sl_json_u64(json, "minimum", 1);
    sl_json_u64(json, "maximum", SL_SPEC_MAX_THREADS);
    sl_json_close_object(json);
    close_object(json);
}

int sl_schema_put(struct sl_buf *out)
{
    static const char *const of_top[] = {"model", NULL}, *const of_experiment[] = {"name", NULL};
    struct sl_json json;
    sl_json_init(&json, out);
    sl_json_open_object(&json, NULL);
    sl_json_text(&json, "$schema", "https://json-schema.org/draft/2020-12/schema");
    sl_json_text(&json, "title", "An experiment for sme2lab run");
    sl_json_text(&json, "$comment", "made of host/spec/spec.inc");
    open_object(&json, NULL, of_top);
    put_model(&json);
    put_properties(&json, SL_IN_TOP);
    put_experiments(&json);
    put_analysis(&json);
    sl_json_close_object(&json);
    sl_json_open_object(&json, "$defs");
    open_object(&json, "experiment", of_experiment);
    put_properties(&json, SL_IN_EXPERIMENT);
    close_object(&json);
    put_side(&json);
    sl_json_close_object(&json);
    sl_json_close_object(&json);
    return json.error;
}

/* JSON is YAML, too: each property stands on a line. */
static int put_lines(struct sl_buf *out, unsigned scope, const char *indent)
{
    int rc = 0;
    for (size_t i = 0; i < sl_param_count && rc == 0; i++) {
        const char *key = sl_param_key(&sl_params[i], scope);
        struct sl_buf line;
        struct sl_json json;
        if (!key)
            continue;
        sl_buf_init(&line, MAX_LINE_BYTES);
        sl_json_init(&json, &line);
        put_property(&json, NULL, &sl_params[i], scope);
        rc = json.error;
        if (rc == 0)
            rc = sl_buf_printf(out, "%s%s: %s\n", indent, key, (const char *)line.data);
        sl_buf_fini(&line);
    }
    return rc;
}

int sl_schema_put_body(struct sl_buf *out)
{
    int rc = put_lines(out, SL_IN_JOB, "        ");
    if (rc == 0)
        rc =
            sl_buf_printf(out, "        configuration:\n"
                               "          type: object\n"
                               "          description: \"Of the task runners: a configuration as "
                               "'sme2lab run' reads it (configs/experiment.schema.json), every "
                               "experiment with a runner_path.\"\n"
                               "        files:\n"
                               "          type: object\n"
                               "          additionalProperties: {type: string}\n"
                               "          description: \"Of the task runners: for each path in the "
                               "configuration the SHA-256 of its blob.\"\n"
                               "        shown:\n"
                               "          type: object\n"
                               "          additionalProperties: false\n"
                               "          description: What the run's files say in place of the "
                               "daemon's own paths.\n"
                               "          properties:\n");
    return rc < 0 ? rc : put_lines(out, SL_IN_SHOWN, "            ");
}
