/* host/job/dependencies.h: jobs that others come after, and that had ended before those came in:
 * the store knows how, and the queue hears of it. On the loop's thread. */
#pragma once

struct sl_job_record;
struct sl_job_saver;
struct sl_queue;

/* Read only. */
struct sl_dependencies {
    struct sl_queue *queue;           /* borrowed */
    const struct sl_job_saver *saver; /* borrowed; knows what its store does not yet */
    void (*answered)(void *user);
    void *user;
    unsigned pending; /* questions that the store has not answered */
};

/* `answered` is called after each answer of the store; it may free this. */
void sl_dependencies_init(struct sl_dependencies *dependencies, struct sl_queue *queue,
                          const struct sl_job_saver *saver, void (*answered)(void *user),
                          void *user);

/* Asks for those that the job comes after and that the queue does not have. */
void sl_dependencies_ask(struct sl_dependencies *dependencies, const struct sl_job_record *job);
