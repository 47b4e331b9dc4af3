/* tests/bench/make_etdump.c: writes an ETDump of about the size asked for, to time its readers
 * with.
 *
 *   make_etdump BYTES FILE
 *
 * Executions of a network of 64 delegated operators, each in its delegate call and Method::execute.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/format/etdump.h"

enum { OPERATORS = 64, BYTES_AN_EVENT = 82 };

static int add_event(struct sl_etdump_writer *writer, const char *name, bool delegate,
                     int32_t instruction, uint64_t start, uint64_t end)
{
    const struct sl_etdump_event event = {
        .chain_index = instruction < 0 ? -1 : 0,
        .instruction_id = instruction < 0 ? 0 : instruction,
        .delegate_id_int = -1,
        .start = start,
        .end = end,
    };
    uint32_t text;
    int rc = sl_etdump_writer_name(writer, name, strlen(name), &text);
    return rc < 0 ? rc : sl_etdump_writer_event(writer, &event, text, delegate);
}

static int add_execution(struct sl_etdump_writer *writer, uint64_t at)
{
    static const char *const kinds[] = {"Convolution (NHWC, F32) IGEMM",
                                        "Fully Connected (NC, F32) GEMM", "Transpose (ND, X32)",
                                        "Add (ND)"};
    char name[64];
    int rc = sl_etdump_writer_block(writer, "Execute", strlen("Execute"));
    for (uint64_t i = 0; i < OPERATORS && rc >= 0; i++) {
        snprintf(name, sizeof(name), "%s #%d", kinds[i % 4], (int)(i / 4) + 1);
        rc = add_event(writer, name, true, 0, at + 10 + 100 * i, at + 90 + 100 * i);
    }
    if (rc >= 0)
        rc = add_event(writer, "DELEGATE_CALL", false, 0, at + 5, at + 100 * OPERATORS + 5);
    if (rc >= 0)
        rc = add_event(writer, "Method::execute", false, -1, at, at + 100 * OPERATORS + 10);
    return rc;
}

static int make(size_t bytes, struct sl_buf *out)
{
    struct sl_etdump_writer *writer = NULL;
    int rc = sl_etdump_writer_new(&writer);
    size_t executions = bytes / ((size_t)BYTES_AN_EVENT * (OPERATORS + 2)) + 1;
    for (size_t i = 0; i < executions && rc >= 0; i++)
        rc = add_execution(writer, (uint64_t)i * 10000);
    if (rc >= 0)
        rc = sl_etdump_writer_finish(writer, out);
    sl_etdump_writer_free(writer);
    return rc;
}

int main(int argc, char **argv)
{
    struct sl_buf file;
    if (argc != 3) {
        fprintf(stderr, "usage: make_etdump BYTES FILE\n");
        return 2;
    }
    sl_buf_init(&file, (size_t)1 << 30);
    int rc = make((size_t)strtoull(argv[1], NULL, 10), &file);
    if (rc >= 0)
        rc = sl_buf_write_file(argv[2], file.data, file.size);
    sl_buf_fini(&file);
    if (rc < 0) {
        fprintf(stderr, "make_etdump: error=%d\n", rc);
        return 6;
    }
    return 0;
}
