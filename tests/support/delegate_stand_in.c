/* tests/support/delegate_stand_in.c: a library that asks for the time as the XNNPACK delegate does:
 * once before its first operator and once after each part of one, and then copies its stamps into
 * events. Its first operator packs and multiplies, its second multiplies, the others call no named
 * kernel. */
#define _GNU_SOURCE /* CPU_COUNT */
#include <pthread.h>
#include <sched.h>
#include <time.h>

#define SUBMIT_TRACE                                                                               \
    "_ZN10executorch8backends7xnnpack8delegate9profiling11XNNProfiler12submit_traceEv"

struct stand_in {
    void (*name)(void *user, int operator_number);
    void *user;
    int operators;
};

int stand_in_parts[3] = {1, 1, 1}; /* of the first operators */
long stand_in_ns;                  /* what the operator took that is named */
static long ends_ns[1 << 13];      /* of operators */

__attribute__((noinline)) void submit_trace(void *profiler) __asm__(SUBMIT_TRACE);
void submit_trace(void *profiler)
{
    const struct stand_in *in = profiler;
    for (int i = 0; i < in->operators; i++) {
        stand_in_ns = ends_ns[i + 1] - ends_ns[i];
        in->name(in->user, i);
    }
}

/* Called by name, as a library's exported functions are. */
int kai_run_lhs_pack_stand_in(int x), kai_run_matmul_stand_in_sme2_mopa(int x);
int kai_run_matmul_stand_in_neon(int x);
__attribute__((noinline)) int kai_run_lhs_pack_stand_in(int x)
{
    return x + 1;
}
__attribute__((noinline)) int kai_run_matmul_stand_in_sme2_mopa(int x)
{
    return x + 2;
}
__attribute__((noinline)) int kai_run_matmul_stand_in_neon(int x)
{
    return x + 4;
}

int stand_in_sum; /* what the calls answered */

void stand_in_run(int operators, void (*name)(void *user, int operator_number), void *user);
void stand_in_run(int operators, void (*name)(void *user, int operator_number), void *user)
{
    struct stand_in profiler = {.name = name, .user = user, .operators = operators};
    struct timespec now;
    stand_in_sum = 0;
    for (int i = 0; i <= operators; i++) {
        if (i == 1)
            stand_in_sum += kai_run_matmul_stand_in_sme2_mopa(kai_run_lhs_pack_stand_in(10));
        else if (i == 2)
            stand_in_sum += kai_run_matmul_stand_in_neon(20);
        for (int part = 0; part < (i == 0 || i > 3 ? 1 : stand_in_parts[i - 1]); part++)
            clock_gettime(CLOCK_MONOTONIC, &now);
        ends_ns[i] = now.tv_sec * 1000000000 + now.tv_nsec;
    }
    submit_trace(&profiler);
}

static void *count_cpus(void *user)
{
    cpu_set_t set;
    pthread_barrier_wait(user); /* whoever started it is done with it */
    sched_getaffinity(0, sizeof(set), &set);
    stand_in_sum = CPU_COUNT(&set);
    return NULL;
}

int stand_in_thread_cpus(void);
int stand_in_thread_cpus(void)
{
    pthread_t thread;
    pthread_barrier_t started;
    pthread_barrier_init(&started, NULL, 2);
    if (pthread_create(&thread, NULL, count_cpus, &started) != 0)
        return -1;
    pthread_barrier_wait(&started);
    pthread_join(thread, NULL);
    pthread_barrier_destroy(&started);
    return stand_in_sum;
}
