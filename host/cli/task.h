/* host/cli/task.h: a question to an agent, asked of the daemon as a job on one of its devices: of
 * the daemon that is named or listens, else of the private one. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "host/spec/spec.h"

struct cJSON;
struct sl_cli;
struct sl_client;
struct sl_diag;

struct sl_task_wish {
    const char *device; /* a selector of the lab's, or a kind; NULL: one of `kind` */
    int kind;           /* enum sl_device_kind */
    unsigned svl;       /* bits, of an emulated CPU */
    const char *cpu;    /* the emulator's, in place of that; NULL: any of `svl` */
};

/* The device that was found. */
struct sl_task_device {
    const struct sl_cli *cli;
    struct sl_client *client; /* owned */
    char name[SL_NAME_BYTES], cpu[64];
    int kind;
    struct sl_device_traits traits;
    unsigned svl;        /* of its CPU where that says it, else as wished */
    const char *silicon; /* set by who asks: profiles by which counted stages are estimated */
};

/* All zeros at first; end with sl_task_close() in any case. SL_E_NOT_FOUND for a selector that no
 * device of the lab meets, SL_E_STATE for a device that takes no jobs, -ENODEV for a kind that is
 * not there, or why this machine has none. */
int sl_task_open(const struct sl_cli *cli, const struct sl_task_wish *wish,
                 struct sl_task_device *out, struct sl_diag *diag);
void sl_task_close(struct sl_task_device *device);

/* "this machine", the emulated CPU, or the device's name. Borrowed. */
const char *sl_task_device_words(const struct sl_task_device *device);

struct sl_task {
    int task;                     /* enum sl_spec_task */
    const char *const *arguments; /* end with NULL; NULL: none */
    const char *model, *data;     /* files that the daemon gets; NULL: none */
    unsigned timeout_seconds;
};

/* Everything but the document is borrowed from it. */
struct sl_task_answer {
    struct cJSON *document;                           /* owned: to end with cJSON_Delete() */
    const struct cJSON *answers, *counts, *estimates; /* NULL: none */
    const char *said;                                 /* to its standard error, the end of it */
    int exit_code;                                    /* of the agent's process */
    bool done, timed_out;
};

/* 0 when the agent's process has ended, well or not. -EINTR on a signal, which cancels the job;
 * else why there is no answer. */
int sl_task_ask(struct sl_task_device *device, const struct sl_task *task,
                struct sl_task_answer *out, struct sl_diag *diag);

/* Takes the job out again after a signal, which is forgotten: whoever asked has gone. -EINTR with
 * words. */
int sl_task_cancel(struct sl_client *client, uint64_t job, struct sl_diag *diag);

/* Bits of the vectors in words of an emulated CPU ("max,sme512=on"); 0: they do not say. */
unsigned sl_task_svl_of(const char *cpu);

/* Does a device of GET /devices fit? */
bool sl_task_fits(const struct cJSON *device, const struct sl_task_wish *wish);
