/* host/spec/columns.c */
#include "host/spec/columns.h"

#include "host/records.h"
#include "host/spec/names.h"

#define WORD_ID(extra) NULL
#define WORD_TIME(extra) NULL
#define WORD_U32(extra) NULL
#define WORD_INT(extra) NULL
#define WORD_WORD(extra) extra
#define WORD_FLAG(extra) NULL
#define WORD_MAYBE(extra) NULL
#define WORD_TEXT(extra) NULL
#define WORD_NAME(extra) NULL
#define WORD_REAL(extra) NULL

#define COLUMN(record, kind, name, extra, views, place, head)                                      \
    {#name,                                                                                        \
     head,                                                                                         \
     WORD_##kind(extra),                                                                           \
     offsetof(struct record, name),                                                                \
     sizeof(((struct record *)NULL)->name),                                                        \
     SL_COLUMN_##kind,                                                                             \
     views,                                                                                        \
     place},
#define JOB(kind, name, extra, copy, views, place, head)                                           \
    COLUMN(sl_job_record, kind, name, extra, views, place, head)
#define ATTEMPT(kind, name, extra, copy, views, place, head)                                       \
    COLUMN(sl_attempt_record, kind, name, extra, views, place, head)
#define GROUP(kind, name, extra, copy, views, place, head)                                         \
    COLUMN(sl_group_record, kind, name, extra, views, place, head)
#define RUN(kind, name, extra, copy, views, place, head)                                           \
    COLUMN(sl_run_record, kind, name, extra, views, place, head)
#define TOKEN(kind, name, extra, copy, views, place, head)                                         \
    COLUMN(sl_token_record, kind, name, extra, views, place, head)
#define DEVICE(kind, name, extra, copy, views, place, head)                                        \
    COLUMN(sl_device_record, kind, name, extra, views, place, head)
#define HOST(kind, name, extra, copy, views, place, head)                                          \
    COLUMN(sl_host_record, kind, name, extra, views, place, head)

static const struct sl_column job[] = {COLUMN(sl_job_record, ID, id, 0, SL_IN_ROW, 1, ">JOB")
                                           SL_JOB_COLUMNS(JOB)};
static const struct sl_column attempt[] = {
    COLUMN(sl_attempt_record, ID, number, 0, SL_IN_ROW, 1, ">ATTEMPT") SL_ATTEMPT_COLUMNS(ATTEMPT)};
static const struct sl_column group[] = {COLUMN(sl_group_record, ID, id, 0, SL_IN_ROW, 1, "GROUP")
                                             SL_GROUP_COLUMNS(GROUP)};
static const struct sl_column run[] = {COLUMN(sl_run_record, ID, id, 0, SL_IN_ROW, 1, ">RUN")
                                           SL_RUN_COLUMNS(RUN)};
static const struct sl_column token[] = {COLUMN(sl_token_record, ID, id, 0, SL_IN_ROW, 1, ">TOKEN")
                                             SL_TOKEN_COLUMNS(TOKEN)};
static const struct sl_column device[] = {SL_DEVICE_COLUMNS(DEVICE)};
static const struct sl_column host[] = {
    COLUMN(sl_host_record, NAME, name, SL_NAME_BYTES, SL_IN_ROW, 1, "~HOST") SL_HOST_COLUMNS(HOST)};

#define COLUMNS(of) {of, sizeof(of) / sizeof(of[0]), sizeof(struct sl_##of##_record)}
const struct sl_columns sl_job_columns = COLUMNS(job), sl_attempt_columns = COLUMNS(attempt),
                        sl_group_columns = COLUMNS(group), sl_run_columns = COLUMNS(run),
                        sl_token_columns = COLUMNS(token), sl_device_columns = COLUMNS(device),
                        sl_host_columns = COLUMNS(host);

const struct sl_column *sl_column_at(const struct sl_columns *columns, size_t place)
{
    for (size_t i = 0; i < columns->count; i++) {
        if (columns->all[i].place == (int)place)
            return &columns->all[i];
    }
    return NULL;
}
