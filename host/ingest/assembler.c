/* host/ingest/assembler.c */
#include "host/ingest/assembler.h"

#include "common/base/error.h"

void sl_assembler_init(struct sl_assembler *assembler, uint64_t synced)
{
    *assembler = (struct sl_assembler){
        .appended = synced, .synced = synced, .acked = synced, .end = UINT64_MAX};
}

int sl_assembler_take(struct sl_assembler *assembler, uint64_t offset, size_t len, uint64_t now_ms,
                      size_t *out_new)
{
    if (offset > SL_ASSEMBLER_MAX_BYTES || len > SL_ASSEMBLER_MAX_BYTES - offset)
        return SL_E_LIMIT;
    if (offset > assembler->appended || offset + len > assembler->end)
        return SL_E_MISMATCH;
    uint64_t known = assembler->appended - offset;
    size_t fresh = known >= len ? 0 : len - (size_t)known;
    if (fresh > 0 && assembler->appended == assembler->synced)
        assembler->oldest_ms = now_ms;
    assembler->appended += fresh;
    *out_new = fresh;
    return 0;
}

int sl_assembler_end(struct sl_assembler *assembler, uint64_t length)
{
    if (length < assembler->appended || (assembler->end != UINT64_MAX && assembler->end != length))
        return SL_E_MISMATCH;
    assembler->end = length;
    return 0;
}

bool sl_assembler_sync_due(const struct sl_assembler *assembler, uint64_t now_ms, bool force)
{
    uint64_t unsynced = assembler->appended - assembler->synced;
    if (assembler->syncing != 0 || unsynced == 0)
        return false;
    return force || unsynced >= SL_ASSEMBLER_SYNC_BYTES || assembler->appended == assembler->end ||
           now_ms - assembler->oldest_ms >= SL_ASSEMBLER_SYNC_MS;
}

void sl_assembler_sync_started(struct sl_assembler *assembler)
{
    assembler->syncing = assembler->appended;
}

void sl_assembler_sync_ended(struct sl_assembler *assembler, uint64_t now_ms, bool ok)
{
    if (ok)
        assembler->synced = assembler->syncing;
    assembler->syncing = 0;
    assembler->oldest_ms = now_ms; /* of what came meanwhile; late by one sync at most */
}

bool sl_assembler_ack(struct sl_assembler *assembler, uint64_t *out_offset)
{
    if (assembler->acked == assembler->synced)
        return false;
    assembler->acked = assembler->synced;
    *out_offset = assembler->acked;
    return true;
}

bool sl_assembler_full(const struct sl_assembler *assembler)
{
    return assembler->appended - assembler->synced > SL_ASSEMBLER_MAX_UNSYNCED;
}

bool sl_assembler_complete(const struct sl_assembler *assembler)
{
    return assembler->synced == assembler->end;
}
