/* host/ingest/assembler.h: puts the stretches of one stream together, gap-free, whatever the link
 * does.
 *
 * A device sends {offset, bytes}; after a lost link it sends again from what was acknowledged, so
 * stretches overlap. The assembler tells what of each is new. It never sees a file: its owner
 * appends the new bytes, syncs in groups, and acknowledges what is synced. Pure: no sockets, no
 * clock but the caller's. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    SL_ASSEMBLER_SYNC_BYTES = 1 << 20,   /* sync when so much is unsynced ... */
    SL_ASSEMBLER_SYNC_MS = 100,          /* ... or the oldest of it is so old */
    SL_ASSEMBLER_MAX_UNSYNCED = 8 << 20, /* back-pressure: stop reading the link above this */
};
#define SL_ASSEMBLER_MAX_BYTES (UINT64_C(64) << 30) /* of one stream */

struct sl_assembler {
    uint64_t appended;  /* end of what the owner has */
    uint64_t syncing;   /* a sync of everything below is under way; 0: none */
    uint64_t synced;    /* end of what survives a crash of this host */
    uint64_t acked;     /* end of what was acknowledged to the device: never above synced */
    uint64_t oldest_ms; /* when the first unsynced byte came */
    uint64_t end;       /* length of the whole stream once known, else UINT64_MAX */
};

/* `synced` is the length of what survived of this stream, 0 for a new one. */
void sl_assembler_init(struct sl_assembler *assembler, uint64_t synced);

/* Takes a stretch. *out_new is how many bytes at its end are new, to be appended now (0: all were
 * known). SL_E_MISMATCH for a gap (offset above `appended`) or bytes past the declared end,
 * SL_E_LIMIT past SL_ASSEMBLER_MAX_BYTES: then nothing has changed. */
int sl_assembler_take(struct sl_assembler *assembler, uint64_t offset, size_t len, uint64_t now_ms,
                      size_t *out_new);

/* Declares the stream's whole length. SL_E_MISMATCH if more was taken already, or another length
 * declared. */
int sl_assembler_end(struct sl_assembler *assembler, uint64_t length);

/* True when a sync is due and none under way; the owner then syncs and reports. `force`: due
 * however little there is. */
bool sl_assembler_sync_due(const struct sl_assembler *assembler, uint64_t now_ms, bool force);
void sl_assembler_sync_started(struct sl_assembler *assembler);
/* The sync that was started has ended; `ok` false leaves everything unsynced. */
void sl_assembler_sync_ended(struct sl_assembler *assembler, uint64_t now_ms, bool ok);

/* True when there is something new to acknowledge; *out_offset is it, and counts as acknowledged.
 */
bool sl_assembler_ack(struct sl_assembler *assembler, uint64_t *out_offset);

/* True while the link should not be read. */
bool sl_assembler_full(const struct sl_assembler *assembler);

/* True when the whole declared stream is synced. */
bool sl_assembler_complete(const struct sl_assembler *assembler);
