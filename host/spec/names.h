/* host/spec/names.h: what the states, causes and roles of host/records.h are called in JSON,
 * in messages and on the command line. */
#pragma once

/* "unknown" for a value that is none. */
const char *sl_job_state_name(int state);
const char *sl_job_cause_name(int cause);
const char *sl_device_state_name(int state);
const char *sl_device_cause_name(int cause);
const char *sl_token_role_name(int role); /* "none" */

int sl_job_state_of_name(const char *name);  /* -1: no such state */
int sl_token_role_of_name(const char *name); /* 0: no such role */

/* Returns the fix for an enum sl_device_cause, "" if there is none; and the state that it puts a
 * device in. */
const char *sl_device_cause_fix(int cause);
int sl_device_cause_state(int cause);
