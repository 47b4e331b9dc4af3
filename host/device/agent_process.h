/* host/device/agent_process.h: the serving agent as a process of this machine: started with a
 * secret on its standard input, watched until it ends. On the loop's thread. */
#pragma once

#include <stdint.h>

typedef struct uv_loop_s uv_loop_t;
struct sl_agent_process;

struct sl_agent_process_spec {
    const char *program; /* sme2lab-agent */
    const char *workdir; /* of the agent, exists; what it logs goes to agent.log in it */
    const char *address; /* to listen on */
    const uint8_t *secret;
};

struct sl_agent_process_events {
    void (*listening)(void *user, const char *address); /* the one it printed */
    /* Last; the object is freed after it. A negative code: it could not be started. */
    void (*ended)(void *user, int64_t exit_code, int signal);
};

/* Everything is copied. The agent is in a session of its own: it outlives this process, and
 * ends by itself when no other comes for it. 0, or
 * -ENOMEM or the log file's -errno with nothing to come; a program that cannot be started comes out
 * of `ended`. */
int sl_agent_process_start(uv_loop_t *loop, const struct sl_agent_process_spec *spec,
                           const struct sl_agent_process_events *events, void *user,
                           struct sl_agent_process **out);
int sl_agent_process_pid(const struct sl_agent_process *process);

/* Sends a signal; `ended` follows when it obeys. */
void sl_agent_process_signal(struct sl_agent_process *process, int number);

/* Lets go of it: it runs on, `ended` follows from the loop with code and signal 0. */
void sl_agent_process_abandon(struct sl_agent_process *process);
