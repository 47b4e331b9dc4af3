/* host/job/task.c */
#include "host/job/task.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "common/base/buf.h"
#include "common/base/durable.h"
#include "common/base/error.h"
#include "common/base/json.h"
#include "common/base/path.h"
#include "host/device/count_log.h"
#include "host/ingest/run_store.h"
#include "host/spec/json_doc.h"
#include "host/spec/json_read.h"
#include "host/spec/spec.h"
#include "host/store/answers.h"

enum { PATH_BYTES = 1024, STREAM_LOG = 1, STREAM_OUTPUT = 2, MAX_SAID_BYTES = 4096, MAX_WORDS = 3 };

static const struct task {
    const char *name, *words[MAX_WORDS];
} tasks[] = {
    [SL_TASK_RUN] = {"run", {NULL}},
    [SL_TASK_PROBE] = {"probe", {"probe", "--json"}},
    [SL_TASK_KERNELS] = {"kernels", {"kernels", "--list", "--json"}},
    [SL_TASK_BENCH] = {"bench", {"kernels"}},
    [SL_TASK_PEAKS] = {"peaks", {"kernels", "--peaks"}},
    [SL_TASK_PLAN] = {"plan", {"plan"}},
    [SL_TASK_RUNNERS] = {"runners", {NULL}},
};

_Static_assert(SL_SPEC_MAX_WORDS + MAX_WORDS + 2 <= (int)SL_LINK_MAX_TASK, "all words have room");

size_t sl_task_words(const struct sl_spec *spec, bool counted, const char *out[SL_LINK_MAX_TASK])
{
    const struct task *task = &tasks[spec->task];
    size_t n = 0;
    while (n < MAX_WORDS && task->words[n]) {
        out[n] = task->words[n];
        n++;
    }
    for (size_t i = 0; i < spec->arguments_count; i++)
        out[n++] = spec->arguments[i];
    if (sl_spec_task_measures(spec->task)) {
        out[n++] = "--clock";
        out[n++] = counted ? "marks" : "ns";
    }
    return n;
}

const char *sl_task_name(int task)
{
    return tasks[task].name;
}

void sl_task_file_name(uint64_t job, char out[SL_TASK_NAME_BYTES])
{
    snprintf(out, SL_TASK_NAME_BYTES, "%" PRIu64 ".json", job);
}

static int read_stream(const char *directory, int stream, struct sl_buf *out)
{
    char path[PATH_BYTES + 32];
    sl_ingest_path(directory, stream, path, sizeof(path));
    return sl_buf_read_file(path, SL_TASK_MAX_BYTES, out);
}

/* The end of what it wrote to its standard error: why, where it failed. */
static int put_said(const char *directory, struct sl_json *json)
{
    struct sl_buf log;
    int rc = read_stream(directory, STREAM_LOG, &log);
    if (rc < 0)
        return rc;
    size_t skip = log.size > MAX_SAID_BYTES ? log.size - MAX_SAID_BYTES : 0;
    sl_json_text(json, "said", (const char *)log.data + skip);
    sl_buf_fini(&log);
    return 0;
}

static int check_answer(const char *line, size_t len, int number, struct sl_diag *diag)
{
    struct cJSON *document = NULL;
    int rc =
        sl_json_doc_parse((struct sl_bytes){(const uint8_t *)line, len}, "answer", &document, NULL);
    struct sl_json_reader reader = {.error = rc};
    struct sl_json_at root = sl_json_root(&reader, document);
    sl_json_need_members(&root, SL_JSON_DOC_MAX_VALUES, "members");
    sl_json_doc_free(document);
    return reader.error == -ENOMEM || reader.error == 0
               ? reader.error
               : sl_diag_set(diag, SL_E_FORMAT, "the agent's answer",
                             "line %d is not the JSON that sme2lab-agent prints", number);
}

/* Each line is a JSON document of its own, kept as the agent wrote it. How many, or a code. */
static int put_answers(const char *directory, struct sl_json *json, struct sl_diag *diag)
{
    struct sl_buf text;
    int count = 0, rc = read_stream(directory, STREAM_OUTPUT, &text);
    if (rc < 0)
        return rc;
    sl_json_open_array(json, "answers");
    for (char *line = (char *)text.data; rc == 0 && line && *line;) {
        size_t len = strcspn(line, "\n");
        char *next = line + len + (line[len] == '\n');
        line[len] = '\0';
        rc = check_answer(line, len, count + 1, diag);
        if (rc == 0)
            sl_json_raw(json, NULL, line);
        count++;
        line = next;
    }
    sl_json_close_array(json);
    sl_buf_fini(&text);
    return rc < 0 ? rc : count;
}

/* Between the two marks of each answer, by kind of instruction. */
static int put_counts(const struct sl_count_log *log, int answers, struct sl_json *json,
                      struct sl_diag *diag)
{
    static const char *const names[SL_INSN_CLASS_COUNT] = {
        [SL_INSN_ANY] = "all",
        [SL_INSN_OUTER] = "outer",
        [SL_INSN_VECTOR_MAC] = "vector_mac",
        [SL_INSN_SMSTART] = "smstart",
        [SL_INSN_PACKING] = "packing",
    };
    size_t count;
    const struct sl_count_mark *marks = sl_count_log_marks(log, &count);
    if (count != 2 * (size_t)answers)
        return sl_diag_set(diag, SL_E_MISMATCH, "the emulator's log",
                           "%zu marks for %d measured stages", count, answers);
    sl_json_open_array(json, "counts");
    for (size_t i = 0; i < count; i += 2) {
        if (marks[i].is_end || !marks[i + 1].is_end)
            return sl_diag_set(diag, SL_E_MISMATCH, "the emulator's log", "marks do not alternate");
        sl_json_open_object(json, NULL);
        for (int k = 0; k < SL_INSN_CLASS_COUNT; k++)
            sl_json_u64(json, names[k], marks[i + 1].insns[k] - marks[i].insns[k]);
        sl_json_close_object(json);
    }
    sl_json_close_array(json);
    return 0;
}

int sl_task_answer_put(const char *directory, bool done, const struct sl_count_log *log,
                       struct sl_json *json, struct sl_diag *diag)
{
    int rc = put_said(directory, json), answers = 0;
    if (rc == 0 && done)
        rc = answers = put_answers(directory, json, diag);
    if (rc >= 0 && done && log)
        rc = put_counts(log, answers, json, diag);
    return rc < 0 ? rc : 0;
}

int sl_task_file_write(const char *state_dir, uint64_t job, const struct sl_buf *text)
{
    char folder[PATH_BYTES], path[PATH_BYTES + SL_TASK_NAME_BYTES], name[SL_TASK_NAME_BYTES];
    sl_path_join(folder, sizeof(folder), state_dir, SL_TASK_FOLDER);
    sl_task_file_name(job, name);
    sl_path_join(path, sizeof(path), folder, "%s", name);
    int rc = mkdir(folder, 0700) < 0 && errno != EEXIST ? -errno : 0;
    if (rc == 0)
        rc = sl_buf_write_file(path, text->data, text->size);
    return rc < 0 ? rc : sl_durable_folder(folder);
}
