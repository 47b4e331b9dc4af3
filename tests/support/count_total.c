/* tests/support/count_total.c: count_total PROGRAM LOG [marks|own]: what host/device/count_log
 * makes of an emulator's log, in four numbers: counted, uncounted, marks, counted between first and
 * last mark. With `marks`, what was counted up to each mark follows, a line for each; with `own`,
 * how much of it is the program's own code, not its libraries', too. */
#define _GNU_SOURCE /* F_SETPIPE_SZ */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "host/device/count_log.h"
#include "host/device/elf_marks.h"

enum {
    CHUNK = 256 << 10,
    PIPE_BYTES = 1 << 20,
    MAX_PROGRAM = 64 << 20,
    GATHER_NS = 1000000 /* as the daemon's reader: the emulator writes line by line */
};
enum said { TOTALS, MARKS, OWN };

/* The address at which the program's file ends in memory. It lies below all libraries. */
static uint64_t end_of(struct sl_bytes elf)
{
    Elf64_Ehdr header;
    uint64_t end = 0;
    memcpy(&header, elf.data, sizeof(header));
    for (size_t i = 0; i < header.e_phnum; i++) {
        Elf64_Phdr segment;
        size_t at = header.e_phoff + i * sizeof(segment);
        if (!sl_range_ok(at, sizeof(segment), elf.size))
            return 0;
        memcpy(&segment, elf.data + at, sizeof(segment));
        if (segment.p_type == PT_LOAD && segment.p_vaddr + segment.p_memsz > end)
            end = segment.p_vaddr + segment.p_memsz;
    }
    return end;
}

/* Adds to own[n] what the program's own code executed between mark n - 1 and mark n. */
static void find_own(const struct sl_count_log *log, uint64_t end, uint64_t *own, size_t marks)
{
    size_t count = 0;
    const struct sl_count_span *spans = sl_count_log_spans(log, &count);
    const struct sl_count_entry *entries = sl_count_log_entries(log);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < spans[i].count && spans[i].mark < marks; k++) {
            const struct sl_count_entry *entry = &entries[spans[i].first + k];
            struct sl_count_block block = sl_count_log_block(log, entry->block);
            if (block.pc < end)
                own[spans[i].mark] += spans[i].times * entry->times * block.count;
        }
}

static int print_own(const struct sl_count_log *log, uint64_t end)
{
    size_t n = 0;
    const struct sl_count_mark *at = sl_count_log_marks(log, &n);
    uint64_t sum = 0, *own = calloc(n + 1, sizeof(*own));
    if (!own)
        return -ENOMEM;
    find_own(log, end, own, n);
    for (size_t i = 0; i < n; i++) {
        sum += own[i];
        printf("%" PRIu64 " %" PRIu64 "\n", at[i].insns[SL_INSN_ANY], sum);
    }
    free(own);
    return 0;
}

static void print(const struct sl_count_log *log, bool each)
{
    size_t n = 0;
    const struct sl_count_mark *at = sl_count_log_marks(log, &n);
    uint64_t inside = n ? at[n - 1].insns[SL_INSN_ANY] - at[0].insns[SL_INSN_ANY] : 0;
    printf("%" PRIu64 " %" PRIu64 " %zu %" PRIu64 "\n", sl_count_log_counted(log, SL_INSN_ANY),
           sl_count_log_uncounted(log), n, inside);
    for (size_t i = 0; each && i < n; i++)
        printf("%" PRIu64 "\n", at[i].insns[SL_INSN_ANY]);
}

static int count(const char *program, int file, enum said said, struct sl_diag *diag)
{
    static char bytes[CHUNK];
    struct sl_buf elf;
    struct sl_count_marks marks;
    struct sl_count_log *log = NULL;
    uint64_t end = 0;
    int rc = sl_buf_read_file(program, MAX_PROGRAM, &elf);
    if (rc < 0)
        return rc;
    rc = sl_elf_marks_find((struct sl_bytes){elf.data, elf.size}, &marks, diag);
    if (rc == 0)
        end = end_of((struct sl_bytes){elf.data, elf.size});
    sl_buf_fini(&elf);
    if (rc == 0)
        rc = sl_count_log_new(&marks, &log);
    if (rc == 0 && said == OWN)
        sl_count_log_keep_spans(log, NULL);
    for (ssize_t got; rc == 0 && (got = read(file, bytes, sizeof(bytes))) != 0;) {
        rc = got < 0 ? -errno : sl_count_log_push(log, bytes, (size_t)got, diag);
        if (got < CHUNK / 2)
            nanosleep(&(struct timespec){.tv_nsec = GATHER_NS}, NULL);
    }
    if (rc == 0)
        rc = sl_count_log_finish(log, diag);
    if (rc == 0)
        print(log, said == MARKS);
    if (rc == 0 && said == OWN)
        rc = print_own(log, end);
    sl_count_log_free(log);
    return rc;
}

int main(int argc, char **argv)
{
    struct sl_diag diag = {0};
    enum said said = TOTALS;
    if (argc == 4)
        said = strcmp(argv[3], "own") == 0 ? OWN : MARKS;
    int file = argc == 3 || argc == 4 ? open(argv[2], O_RDONLY) : -1;
    if (file < 0)
        return 2;
    fcntl(file, F_SETPIPE_SZ, PIPE_BYTES); /* only faster; a file has none */
    int rc = count(argv[1], file, said, &diag);
    close(file);
    if (rc < 0)
        fprintf(stderr, "%s: %s (%s)\n", diag.where, diag.what, sl_strerror(rc));
    return rc < 0;
}
