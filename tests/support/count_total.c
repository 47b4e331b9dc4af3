/* tests/support/count_total.c: count_total PROGRAM LOG [marks]: what host/device/count_log makes of
 * an emulator's log, in four numbers: counted, uncounted, marks, counted between first and last
 * mark. With `marks`, what was counted up to each mark follows, a line for each. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "host/device/count_log.h"
#include "host/device/elf_marks.h"

enum { CHUNK = 1 << 16, MAX_PROGRAM = 64 << 20 };

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

static int count(const char *program, FILE *file, bool each, struct sl_diag *diag)
{
    static char bytes[CHUNK];
    struct sl_buf elf;
    struct sl_count_marks marks;
    struct sl_count_log *log = NULL;
    int rc = sl_buf_read_file(program, MAX_PROGRAM, &elf);
    if (rc < 0)
        return rc;
    rc = sl_elf_marks_find((struct sl_bytes){elf.data, elf.size}, &marks, diag);
    sl_buf_fini(&elf);
    if (rc == 0)
        rc = sl_count_log_new(&marks, &log);
    for (size_t got; rc == 0 && (got = fread(bytes, 1, sizeof(bytes), file)) > 0;)
        rc = sl_count_log_push(log, bytes, got, diag);
    if (rc == 0)
        rc = sl_count_log_finish(log, diag);
    if (rc == 0)
        print(log, each);
    sl_count_log_free(log);
    return rc;
}

int main(int argc, char **argv)
{
    struct sl_diag diag = {0};
    bool each = argc == 4 && strcmp(argv[3], "marks") == 0;
    FILE *file = argc == 3 || each ? fopen(argv[2], "r") : NULL;
    if (!file)
        return 2;
    int rc = count(argv[1], file, each, &diag);
    fclose(file);
    if (rc < 0)
        fprintf(stderr, "%s: %s (%s)\n", diag.where, diag.what, sl_strerror(rc));
    return rc < 0;
}
