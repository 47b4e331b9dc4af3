/* host/cli/cmd_import.c: `sme2lab import`: run directories of other tools, made one of ours. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "common/base/buf.h"
#include "common/base/digest.h"
#include "common/base/error.h"
#include "common/base/json.h"
#include "common/base/path.h"
#include "common/base/say.h"
#include "common/base/tree_remove.h"
#include "host/cli/cli.h"
#include "host/cli/etdump_paths.h"
#include "host/cli/exit_code.h"
#include "host/cli/import_archive.h"
#include "host/cli/import_benchmarks.h"
#include "host/cli/import_pairs.h"
#include "host/cli/options.h"
#include "host/report/categories_file.h"
#include "host/rundir/armkit.h"
#include "host/rundir/import.h"
#include "host/spec/path_stem.h"

enum {
    MAX_WORDS = 64,
    PATH_BYTES = 1024,
    NAME_BYTES = SL_IMPORT_NAME_BYTES,
    MAX_IMPORT_BYTES = 1 << 26
};
#define MAX_COPIED_BYTES ((size_t)1 << 31)

struct request {
    const char *folder, *model, *pair, *config;
    const char *archive;    /* NULL: ETDumps and logs */
    const char *benchmarks; /* the same */
    const char *device;
    int64_t warmup; /* -1: not said */
    struct sl_etdump_paths files;
    struct sl_buf text; /* of import.json */
    struct sl_json json;
};

/* A file that becomes a run of the daemon as it is takes few options. */
static int check_kind(struct request *r, const char *word, size_t count, struct sl_diag *diag)
{
    bool of_etdumps = r->pair || r->config || r->warmup >= 0;
    r->archive = count == 1 && sl_import_archive_named(word) ? word : NULL;
    r->benchmarks = count == 1 && sl_import_benchmarks_named(word) ? word : NULL;
    if (r->archive && of_etdumps)
        return sl_diag_set(diag, SL_E_UNSUPPORTED, r->archive,
                           "Its runs are whole: --pair, --config and --warmup are for ETDumps");
    if (r->benchmarks && (of_etdumps || r->folder))
        return sl_diag_set(diag, SL_E_UNSUPPORTED, r->benchmarks,
                           "Benchmarks become runs of the daemon: --device alone is for them");
    if (r->device && !r->benchmarks)
        return sl_diag_set(diag, SL_E_UNSUPPORTED, "--device", "This is for benchmarks alone");
    return 0;
}

static int parse_options(struct request *r, int argc, char **argv, struct sl_diag *diag)
{
    const char *words[MAX_WORDS];
    size_t count = 0;
    const struct sl_option options[] = {
        {"--out", 'o', SL_OPTION_TEXT, &r->folder, "DIR", "the directory to make; it must be new"},
        {"--model", 0, SL_OPTION_TEXT, &r->model, "NAME", "what the model is called (imported)"},
        {"--pair", 0, SL_OPTION_TEXT, &r->pair, "BASE=CAND",
         "two experiments to compare, at equal threads, by their names or how these begin; nothing "
         "is guessed"},
        {"--warmup", 0, SL_OPTION_COUNT, &r->warmup, "N",
         "the first N runs of each ETDump are warm-up (found in the runs themselves)"},
        {"--device", 0, SL_OPTION_TEXT, &r->device, "NAME",
         "the machine that benchmarks ran on (what their file says)"},
        {"--config", 0, SL_OPTION_TEXT, &r->config, "FILE",
         "the kit's configuration: the pairs of its analysis.compare_pairs"},
    };
    const struct sl_usage usage = {
        .verb = "import",
        .synopsis = "DIR|FILE.etdump... -o DIR [option...] | FILE.tar.zst [-o DIR] | FILE.json",
        .about =
            "Makes a run directory of ETDumps that another tool left: Arm's profiling kit or\n"
            "executor_runner. The ETDumps and their logs are copied, and every table and\n"
            "summary is computed anew from them. A log of XNNPACK's kernels without an ETDump is\n"
            "an experiment of its own, of kernels alone. An ETDump's experiment is the directory "
            "it\n"
            "lies in, or its own name without _tN, which is its number of threads.\n"
            "A FILE.tar.zst of 'sme2lab export' becomes runs of the daemon, except\n"
            "runs that are there already; with -o it is unpacked.\n"
            "A FILE.json of google/benchmark (--benchmark_out_format=json) or of Bencher becomes\n"
            "a run of the daemon for each benchmark: the median of its repetitions, of Bencher's\n"
            "measures the latency. Each is a series of its own, which 'history' follows.",
        .options = options,
        .option_count = sizeof(options) / sizeof(options[0]),
        .speaks_http = true,
        .notes = "'sme2lab validate DIR' computes all of it again."};
    int rc = sl_options_parse(&usage, argc, argv, words, MAX_WORDS, &count, diag);
    if (rc == 0)
        rc = check_kind(r, words[0], count, diag);
    if (rc != 0 || r->archive || r->benchmarks)
        return rc;
    if (count == 0 || !r->folder) {
        sl_diag_hint(diag, "'sme2lab import DIR -o NEW', or 'sme2lab import FILE.tar.zst'");
        return sl_diag_set(diag, SL_E_UNSUPPORTED, "command line",
                           "name what to import, and with -o where to");
    }
    if (rc == 0 && r->pair && !strchr(r->pair, '='))
        return sl_diag_set(diag, SL_E_UNSUPPORTED, "--pair", "a pair is BASE=CAND");
    if (rc == 0 && r->pair && r->config)
        return sl_diag_set(diag, SL_E_UNSUPPORTED, "--pair", "--config says the pairs already");
    r->files.logs = true;
    for (size_t i = 0; rc == 0 && i < count; i++)
        rc = sl_etdump_paths_add(&r->files, words[i], diag);
    return rc;
}

static bool is_log(const char *path)
{
    size_t len = strlen(path), tail = strlen(SL_IMPORT_LOG);
    return len > tail && strcmp(path + len - tail, SL_IMPORT_LOG) == 0;
}

/* The name of an ETDump, or of a log, without its ending and "_tN"; the threads, or 0 where it has
 * none. */
static long name_of(const char *path, char stem[NAME_BYTES], char experiment[NAME_BYTES])
{
    char *mark;
    long threads = 0;
    sl_path_stem(path, stem, NAME_BYTES);
    if (is_log(path)) /* sl_path_stem() took ".log" off */
        stem[strlen(stem) - strlen(SL_IMPORT_LOG) + strlen(".log")] = '\0';
    snprintf(experiment, NAME_BYTES, "%s", stem);
    mark = strstr(experiment, "_t");
    for (char *next = mark; next; next = strstr(next + 1, "_t"))
        mark = next;
    if (mark) {
        char *end = NULL;
        threads = strtol(mark + 2, &end, 10);
        if (end == mark + 2 || *end || threads < 1)
            threads = 0;
        else
            *mark = '\0';
    }
    const char *slash = strrchr(path, '/');
    const char *folder = slash;
    while (folder && folder > path && folder[-1] != '/')
        folder--;
    /* A kit's run: DIR/EXPERIMENT/STEM_EXPERIMENT_tN.etdump. */
    if (slash && folder && slash > folder && (size_t)(slash - folder) < NAME_BYTES / 2) {
        size_t len = (size_t)(slash - folder);
        size_t all = strlen(experiment);
        if (all > len && strncmp(experiment + all - len, folder, len) == 0)
            memmove(experiment, experiment + all - len, len + 1);
    }
    return threads;
}

/* A second ETDump of the same name takes its directory's name in. */
static void add_folder(const char *path, char experiment[NAME_BYTES])
{
    char name[2 * NAME_BYTES];
    const char *end = strrchr(path, '/');
    const char *begin = end;
    while (begin && begin > path && begin[-1] != '/')
        begin--;
    snprintf(name, sizeof(name), "%.*s_%s", begin ? (int)(end - begin) : 0, begin ? begin : "",
             experiment);
    snprintf(experiment, NAME_BYTES, "%.250s", name);
}

static int copy_file(const char *from, const char *to, char sha256[SL_SHA256_HEX_SIZE],
                     struct sl_diag *diag)
{
    struct sl_buf bytes;
    int rc = sl_buf_read_file(from, MAX_COPIED_BYTES, &bytes);
    if (rc < 0)
        return sl_diag_set(diag, rc, from, "the file cannot be read: %s", sl_strerror(rc));
    rc = sl_buf_write_file(to, bytes.data, bytes.size);
    sl_sha256_hex(bytes.data, bytes.size, sha256);
    sl_buf_fini(&bytes);
    return rc < 0 ? sl_diag_set(diag, rc, to, "the file cannot be written: %s", sl_strerror(rc))
                  : 0;
}

/* Copies a log that lies beside the ETDump, if one does under either ending, and lists it. */
static int take_log(struct request *r, const char *path, const char *name,
                    const char *const *endings, const char *key, struct sl_diag *diag)
{
    char from[PATH_BYTES], to[PATH_BYTES + 3 * NAME_BYTES], sha256[SL_SHA256_HEX_SIZE];
    char log[3 * NAME_BYTES];
    struct stat info;
    int base = (int)(strrchr(path, '.') ? strrchr(path, '.') - path : (long)strlen(path));
    for (int i = 0; endings[i]; i++) {
        snprintf(from, sizeof(from), "%.*s%s", base, path, endings[i]);
        if (stat(from, &info) < 0)
            continue;
        snprintf(log, sizeof(log), "%.700s%s", name, endings[0]);
        sl_path_join(to, sizeof(to), r->folder, "%s", log);
        sl_json_text(&r->json, key, log);
        return copy_file(from, to, sha256, diag);
    }
    sl_json_null(&r->json, key);
    return 0;
}

static void put_run(struct request *r, const char *experiment, long threads)
{
    sl_json_open_object(&r->json, NULL);
    sl_json_text(&r->json, "experiment", experiment);
    if (threads > 0)
        sl_json_i64(&r->json, "threads", threads);
    else
        sl_json_null(&r->json, "threads");
}

/* Copies one ETDump, with its logs if there are any, and lists it. */
static int take_file(struct request *r, size_t index, struct sl_diag *diag)
{
    const char *path = r->files.paths[index];
    char stem[NAME_BYTES], experiment[NAME_BYTES], sha256[SL_SHA256_HEX_SIZE];
    char folder[PATH_BYTES], name[3 * NAME_BYTES], to[PATH_BYTES + 3 * NAME_BYTES];
    static const char *const latency[] = {"_latency.log", NULL};
    static const char *const xnntrace[] = {SL_IMPORT_LOG, ".xnntrace.log", NULL};
    struct stat info;
    long threads = name_of(path, stem, experiment);
    sl_path_join(to, sizeof(to), r->folder, "%s/%s.etdump", experiment, stem);
    if (stat(to, &info) == 0)
        add_folder(path, experiment);
    sl_path_join(folder, sizeof(folder), r->folder, "%s", experiment);
    if (mkdir(folder, 0777) < 0 && errno != EEXIST)
        return sl_diag_set(diag, -errno, folder, "the directory cannot be made");
    sl_path_join(name, sizeof(name), experiment, "%s.etdump", stem);
    sl_path_join(to, sizeof(to), r->folder, "%s", name);
    if (stat(to, &info) == 0)
        return sl_diag_set(diag, SL_E_MISMATCH, path, "two ETDumps would be %s", name);
    int rc = copy_file(path, to, sha256, diag);
    if (rc < 0)
        return rc;
    put_run(r, experiment, threads);
    sl_json_text(&r->json, "etdump", name);
    sl_json_text(&r->json, "etdump_sha256", sha256);
    sl_json_text(&r->json, "source", path);
    if (r->warmup >= 0)
        sl_json_i64(&r->json, "cold", r->warmup);
    sl_path_join(name, sizeof(name), experiment, "%s", stem);
    rc = take_log(r, path, name, latency, "log", diag);
    if (rc == 0)
        rc = take_log(r, path, name, xnntrace, "xnntrace_log", diag);
    sl_json_close_object(&r->json);
    return rc;
}

/* Copies a log that is an experiment of its own, and lists it. */
static int take_lone_log(struct request *r, const char *path, struct sl_diag *diag)
{
    char stem[NAME_BYTES], experiment[NAME_BYTES], sha256[SL_SHA256_HEX_SIZE];
    char folder[PATH_BYTES], name[3 * NAME_BYTES], to[PATH_BYTES + 3 * NAME_BYTES];
    struct stat info;
    long threads = name_of(path, stem, experiment);
    sl_path_join(folder, sizeof(folder), r->folder, "%s", experiment);
    if (mkdir(folder, 0777) < 0 && errno != EEXIST)
        return sl_diag_set(diag, -errno, folder, "the directory cannot be made");
    sl_path_join(name, sizeof(name), experiment, "%s%s", stem, SL_IMPORT_LOG);
    sl_path_join(to, sizeof(to), r->folder, "%s", name);
    if (stat(to, &info) == 0)
        return sl_diag_set(diag, SL_E_MISMATCH, path, "two logs would be %s", name);
    put_run(r, experiment, threads);
    sl_json_text(&r->json, "mode", "xnntrace");
    sl_json_text(&r->json, "xnntrace_log", name);
    sl_json_text(&r->json, "source", path);
    sl_json_close_object(&r->json);
    return copy_file(path, to, sha256, diag);
}

static int write_pairs(struct request *r, struct sl_diag *diag)
{
    char stem[NAME_BYTES], names[SL_ETDUMP_PATHS_MAX][NAME_BYTES];
    if (!r->pair && !r->config)
        return 0;
    for (size_t i = 0; i < r->files.count; i++)
        name_of(r->files.paths[i], stem, names[i]);
    const struct sl_import_names experiments = {names, r->files.count};
    return r->pair ? sl_import_pairs_put(&r->json, r->pair, &experiments, diag)
                   : sl_import_pairs_put_config(&r->json, r->config, &experiments, diag);
}

/* The ETDumps, or the logs that are experiments of their own. */
static int take_all(struct request *r, bool logs, struct sl_diag *diag)
{
    int rc = 0;
    sl_json_open_array(&r->json, logs ? "logs" : "runs");
    for (size_t i = 0; rc == 0 && i < r->files.count; i++) {
        if (is_log(r->files.paths[i]) == logs)
            rc = logs ? take_lone_log(r, r->files.paths[i], diag) : take_file(r, i, diag);
    }
    sl_json_close_array(&r->json);
    return rc;
}

static int write_import(struct request *r, struct sl_diag *diag)
{
    char path[PATH_BYTES], stamp[40];
    time_t now = time(NULL);
    struct tm utc;
    gmtime_r(&now, &utc);
    strftime(stamp, sizeof(stamp), "%Y-%m-%dT%H:%M:%SZ", &utc);
    sl_json_open_object(&r->json, NULL);
    sl_json_text(&r->json, "schema", "sme2lab.import/1");
    sl_json_text(&r->json, "model", r->model);
    sl_json_text(&r->json, "generated_at", stamp);
    int rc = write_pairs(r, diag);
    if (rc < 0)
        return rc;
    rc = take_all(r, false, diag);
    if (rc == 0)
        rc = take_all(r, true, diag);
    sl_json_close_object(&r->json);
    if (rc < 0)
        return rc;
    sl_path_join(path, sizeof(path), r->folder, "import.json");
    rc = r->json.error ? r->json.error : sl_buf_write_file(path, r->text.data, r->text.size);
    return rc < 0 ? sl_diag_set(diag, rc, path, "the file cannot be written: %s", sl_strerror(rc))
                  : 0;
}

/* Fills r->folder, which exists. */
static int fill_folder(struct request *r, struct sl_diag *diag)
{
    struct sl_categories categories;
    int rc = write_import(r, diag);
    if (rc == 0)
        rc = sl_categories_load(NULL, &categories, diag);
    if (rc == 0) {
        rc = sl_armkit_write(r->folder, &categories, diag);
        sl_categories_fini(&categories);
    }
    return rc;
}

/* The directory appears whole or not at all: it is filled under another name. */
static int import_all(struct request *r, struct sl_diag *diag)
{
    const char *whole = r->folder;
    char part[PATH_BYTES];
    struct stat info;
    size_t len = strlen(whole);
    while (len > 1 && whole[len - 1] == '/')
        len--;
    snprintf(part, sizeof(part), "%.*s.part", (int)(len < 900 ? len : 900), whole);
    if (lstat(whole, &info) == 0) {
        sl_diag_hint(diag, "name a directory that does not exist yet; nothing is overwritten");
        return sl_diag_set(diag, -EEXIST, whole, "the directory is there already");
    }
    if (mkdir(part, 0777) < 0) {
        int rc = -errno;
        sl_diag_hint(diag, "an import that was killed may have left it: remove it");
        return sl_diag_set(diag, rc, part, "the directory cannot be made: %s", sl_strerror(rc));
    }
    r->folder = part;
    int rc = fill_folder(r, diag);
    if (rc == 0 && rename(part, whole) < 0) {
        rc = -errno;
        sl_diag_set(diag, rc, whole, "the directory cannot be named: %s", sl_strerror(rc));
    }
    if (rc < 0)
        sl_tree_remove(part);
    r->folder = whole;
    return rc;
}

int sl_cmd_import(const struct sl_cli *cli, int argc, char **argv)
{
    struct request r = {.model = "imported", .warmup = -1};
    struct sl_diag diag = {.what = ""};
    sl_buf_init(&r.text, MAX_IMPORT_BYTES);
    sl_json_init(&r.json, &r.text);
    int rc = parse_options(&r, argc, argv, &diag);
    if (rc == 0)
        rc = r.archive      ? sl_import_archive(cli, r.archive, r.folder, &diag)
             : r.benchmarks ? sl_import_benchmarks(cli, r.benchmarks, r.device, &diag)
                            : import_all(&r, &diag);
    if (rc == 0 && (r.archive || r.benchmarks))
        rc = 1; /* all is said */
    if (rc == 0 && cli->json)
        sl_buf_print_line(&r.text);
    else if (rc == 0 && !cli->quiet)
        sl_say(stdout, "%s: %zu files imported\n", r.folder, r.files.count);
    sl_buf_fini(&r.text);
    sl_etdump_paths_fini(&r.files);
    return rc < 0 ? sl_cli_fail(cli, sl_exit_for_error(rc), &diag) : SL_EXIT_DONE;
}
