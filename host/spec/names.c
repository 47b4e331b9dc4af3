/* host/spec/names.c */
#include "host/spec/names.h"

#include <stddef.h>
#include <string.h>

#include "host/records.h"

struct names {
    const char *const *all;
    int first, count; /* of the values that exist; those before are not for the outside */
    const char *none;
};

static const char *const states[] = {"queued", "running",   "done",
                                     "failed", "cancelled", "detached"};
static const char *const causes[] = {"none", "result", "user", "lab", "deadline", "dependency"};
static const char *const device_states[] = {
    NULL,         "ready",   "busy",         "offline",        "quarantined",
    "discovered", "probing", "unauthorised", "no-permissions", "reserved"};
static const struct {
    const char *word, *fix;
    int state;
} device_causes[] = {
#define SL_DEVICE_CAUSE(cause, word, state, fix) {#word, fix, SL_DEVICE_##state},
#include "host/spec/device_causes.inc"
#undef SL_DEVICE_CAUSE
};
static const char *const roles[] = {NULL, "read", "submit", "admin"};

static const struct names job_states = {states, SL_JOB_QUEUED, SL_JOB_DETACHED + 1, "unknown"};
static const struct names job_causes = {causes, SL_CAUSE_NONE, SL_CAUSE_DEPENDENCY + 1, "unknown"};
static const struct names states_of_devices = {device_states, SL_DEVICE_READY, SL_DEVICE_STATES,
                                               "unknown"};
static const struct names token_roles = {roles, SL_TOKEN_READ, SL_TOKEN_ADMIN + 1, "none"};

static const char *name_of(const struct names *names, int value)
{
    return value >= names->first && value < names->count ? names->all[value] : names->none;
}

static int value_of(const struct names *names, const char *name, int none)
{
    for (int value = names->first; value < names->count; value++) {
        if (strcmp(names->all[value], name) == 0)
            return value;
    }
    return none;
}

const char *sl_job_state_name(int state)
{
    return name_of(&job_states, state);
}

const char *sl_job_cause_name(int cause)
{
    return name_of(&job_causes, cause);
}

const char *sl_device_state_name(int state)
{
    return name_of(&states_of_devices, state);
}

const char *sl_device_cause_name(int cause)
{
    return cause >= 0 && cause < SL_DEVICE_CAUSES ? device_causes[cause].word : "unknown";
}

const char *sl_device_cause_fix(int cause)
{
    return device_causes[cause].fix;
}

int sl_device_cause_state(int cause)
{
    return device_causes[cause].state;
}

const char *sl_token_role_name(int role)
{
    return name_of(&token_roles, role);
}

int sl_job_state_of_name(const char *name)
{
    return value_of(&job_states, name, -1);
}

int sl_token_role_of_name(const char *name)
{
    return value_of(&token_roles, name, 0);
}
