/* host/job/peers.h: the other hosts of the store: this one's heartbeat, which keeps its jobs; what
 * the others made of jobs; jobs of hosts that were not heard of for a lease; devices that the
 * others have. Alone it is the same, and hears of nobody. On the loop's thread. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <uv.h>

struct sl_device_record;
struct sl_host_record;
struct sl_job_record;
struct sl_peers_question;
struct sl_store;

enum { SL_PEERS_LEASE_MS = 30000 };

struct sl_beats {
    struct sl_store
        *store;        /* borrowed: the same store, whose worker does nothing else; NULL: none */
    uint32_t lease_ms; /* 0: SL_PEERS_LEASE_MS */
};

struct sl_peers_events {
    /* The first beat was answered: jobs that ran under an earlier daemon are this one's again. */
    void (*begun)(void *user, int rc);
    /* A row of a job that another host changed, or that was asked for. It may have been seen. */
    void (*row)(void *user, const struct sl_job_record *row);
    /* A beat comes: the devices of this host are told to the others. */
    void (*beats)(void *user);
    /* A host lost a job: what becomes of it is written into the record. */
    void (*expired)(void *user, struct sl_job_record *job);
    /* After each answer of the store, and after the close. */
    void (*answered)(void *user);
};

/* For the metrics. */
struct sl_peers_counts {
    uint64_t beats, failed_beats, taken_over;
};

/* Read only. */
struct sl_peers {
    struct sl_store *store, *beats; /* borrowed */
    struct sl_peers_events events;
    void *user;
    uint32_t lease_ms;
    uv_timer_t timer;
    uint64_t seen_ms; /* the store's time at the last beat; 0: none yet */
    uint64_t at_ms;   /* of the newest change that was read */
    uint64_t beat_at; /* the loop's time of the next */
    uint64_t open_at; /* ... and when all open jobs were read */
    unsigned pending; /* requests that the store has not answered */
    bool beating, reading, again, doubt, later, open, closing;
    struct sl_peers_question *questions; /* owned; to be asked again */
    struct sl_device_record *devices;    /* owned: of the other hosts */
    size_t device_count;
    struct sl_host_record *hosts; /* owned: all that were seen in a day */
    size_t host_count;
    uint64_t hosts_at_ms; /* the store's time of that */
    struct sl_peers_counts counts;
};

void sl_peers_init(struct sl_peers *peers, uv_loop_t *loop, struct sl_store *store,
                   const struct sl_beats *beats, const struct sl_peers_events *events, void *user);
/* Beats for the first time. */
void sl_peers_start(struct sl_peers *peers);
/* Something changed in the store: looks soon. */
void sl_peers_look(struct sl_peers *peers);
/* Asks for the row of a job until it comes. */
void sl_peers_ask(struct sl_peers *peers, uint64_t job);
/* A request failed that the store may have carried out: all open jobs are read again, soon. */
void sl_peers_doubt(struct sl_peers *peers);

/* A row could not be taken in: all open jobs are read again, in some minutes. */
void sl_peers_later(struct sl_peers *peers);

/* The next of the other hosts that was heard a lease ago or later, after that place, 0 at first,
 * which is moved on; NULL: there is none. */
const struct sl_host_record *sl_peers_next_host(const struct sl_peers *peers, size_t *place);

/* True until it is closed and everything has been answered. */
bool sl_peers_busy(const struct sl_peers *peers);
void sl_peers_close(struct sl_peers *peers);
