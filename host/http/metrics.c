/* host/http/metrics.c: /metrics as OpenMetrics text 1.0. */
#include <inttypes.h>
#include <sys/statvfs.h>
#include <time.h>

#include "common/base/buf.h"
#include "common/base/clock.h"
#include "host/http/api.h"
#include "host/http/context.h"
#include "host/http/exchange.h"
#include "host/http/reply.h"
#include "host/job/device_life.h"
#include "host/job/keeper.h"
#include "host/job/lab.h"
#include "host/job/peers.h"
#include "host/job/queue.h"
#include "host/peer/call.h"
#include "host/plugin/plugins.h"
#include "host/spec/names.h"
#include "host/store/store.h"

enum { MAX_BYTES = 1 << 18 };

static int put_requests(const struct sl_http *http, struct sl_buf *out)
{
    int rc = sl_buf_printf(out, "# TYPE sme2lab_http_requests counter\n");
    for (int hundreds = 0; rc == 0 && hundreds <= 5; hundreds++) {
        if (hundreds == 0)
            rc = sl_buf_printf(out, "sme2lab_http_requests_total{status=\"none\"} %" PRIu64 "\n",
                               http->counts.requests[0]);
        else
            rc = sl_buf_printf(out, "sme2lab_http_requests_total{status=\"%dxx\"} %" PRIu64 "\n",
                               hundreds, http->counts.requests[hundreds]);
    }
    return rc;
}

static int put_histogram(struct sl_buf *out, const char *name, const struct sl_histogram *of)
{
    uint64_t count = 0;
    int rc =
        sl_buf_printf(out, "# TYPE sme2lab_%s histogram\n# UNIT sme2lab_%s seconds\n", name, name);
    for (size_t i = 0; rc == 0 && i <= SL_HISTOGRAM_BOUNDS; i++) {
        count += of->counts[i];
        rc = sl_buf_printf(out, "sme2lab_%s_bucket{le=\"%s\"} %" PRIu64 "\n", name,
                           sl_histogram_bound(i), count);
    }
    return rc < 0 ? rc
                  : sl_buf_printf(out, "sme2lab_%s_count %" PRIu64 "\nsme2lab_%s_sum %.6f\n", name,
                                  count, name, of->sum_seconds);
}

/* Who waits for whom: the loop, the database, the disk that streams go to. */
static int put_latencies(const struct sl_http *http, struct sl_buf *out)
{
    struct sl_histogram requests, transactions;
    const struct sl_histogram *ingest = http->devices.ingest_lag;
    sl_store_latency(sl_lab_store(http->lab), &requests, &transactions);
    int rc = put_histogram(out, "loop_turn_seconds", &http->turns);
    if (rc == 0)
        rc = put_histogram(out, "store_request_seconds", &requests);
    if (rc == 0)
        rc = put_histogram(out, "store_transaction_seconds", &transactions);
    return rc == 0 && ingest ? put_histogram(out, "ingest_lag_seconds", ingest) : rc;
}

/* Counts each change of a device's link to a cause that keeps it from its work. */
static int put_link_errors(const struct sl_http *http, struct sl_buf *out)
{
    const uint64_t *errors = http->devices.link_errors;
    int rc = errors ? sl_buf_printf(out, "# TYPE sme2lab_link_errors counter\n") : 0;
    for (int cause = 1; rc == 0 && errors && cause < SL_DEVICE_CAUSES; cause++)
        rc = sl_buf_printf(out, "sme2lab_link_errors_total{cause=\"%s\"} %" PRIu64 "\n",
                           sl_device_cause_name(cause), errors[cause]);
    return rc;
}

static int put_jobs(const struct sl_http *http, struct sl_buf *out)
{
    const struct sl_queue *queue = sl_lab_queue(http->lab);
    uint64_t since = sl_queue_oldest_ms(queue), now = sl_clock_utc_ms();
    return sl_buf_printf(out,
                         "# TYPE sme2lab_jobs gauge\n"
                         "sme2lab_jobs{state=\"queued\"} %zu\n"
                         "sme2lab_jobs{state=\"running\"} %zu\n"
                         "sme2lab_jobs{state=\"detached\"} %zu\n"
                         "# TYPE sme2lab_job_longest_wait_seconds gauge\n"
                         "# UNIT sme2lab_job_longest_wait_seconds seconds\n"
                         "sme2lab_job_longest_wait_seconds %.3f\n",
                         sl_queue_count(queue, SL_JOB_QUEUED),
                         sl_queue_count(queue, SL_JOB_RUNNING),
                         sl_queue_count(queue, SL_JOB_DETACHED),
                         since > 0 && since < now ? (double)(now - since) / 1000 : 0);
}

/* Heartbeats to the hosts that share the store: without them its jobs become another's. */
static int put_hosts(const struct sl_http *http, struct sl_buf *out)
{
    const struct sl_peers_counts *peers = &sl_lab_peers(http->lab)->counts;
    return sl_buf_printf(out,
                         "# TYPE sme2lab_host_beats counter\n"
                         "sme2lab_host_beats_total{answer=\"ok\"} %" PRIu64 "\n"
                         "sme2lab_host_beats_total{answer=\"none\"} %" PRIu64 "\n"
                         "# TYPE sme2lab_jobs_taken_over counter\n"
                         "sme2lab_jobs_taken_over_total %" PRIu64 "\n",
                         peers->beats, peers->failed_beats, peers->taken_over);
}

/* Gauges of the devices that say it, as they were without a job. */
static int put_conditions(const struct sl_device_record *devices, size_t count, struct sl_buf *out)
{
    int rc = sl_buf_printf(out, "# TYPE sme2lab_device_temperature_celsius gauge\n"
                                "# UNIT sme2lab_device_temperature_celsius celsius\n");
    for (size_t i = 0; rc == 0 && i < count; i++)
        if (devices[i].temperature_celsius > 0)
            rc = sl_buf_printf(out,
                               "sme2lab_device_temperature_celsius{device=\"%s\"} %" PRIu64 "\n",
                               devices[i].name, devices[i].temperature_celsius);
    if (rc == 0)
        rc = sl_buf_printf(out, "# TYPE sme2lab_device_battery_ratio gauge\n"
                                "# UNIT sme2lab_device_battery_ratio ratio\n");
    for (size_t i = 0; rc == 0 && i < count; i++)
        if (devices[i].battery_percent > 0)
            rc = sl_buf_printf(out, "sme2lab_device_battery_ratio{device=\"%s\"} %.2f\n",
                               devices[i].name, (double)devices[i].battery_percent / 100);
    return rc;
}

/* Files between the hosts. */
static int put_peers(const struct sl_http *http, struct sl_buf *out)
{
    static const struct sl_peer_counts none = {0};
    const struct sl_peer_counts *counts = http->peers ? sl_peer_counts(http->peers) : &none;
    return sl_buf_printf(out,
                         "# TYPE sme2lab_peer_files counter\n"
                         "sme2lab_peer_files_total{what=\"fetched\"} %" PRIu64 "\n"
                         "sme2lab_peer_files_total{what=\"missing\"} %" PRIu64 "\n"
                         "sme2lab_peer_files_total{what=\"relayed\"} %" PRIu64 "\n"
                         "sme2lab_peer_files_total{what=\"refused\"} %" PRIu64 "\n"
                         "# TYPE sme2lab_peer_fetched_bytes counter\n"
                         "# UNIT sme2lab_peer_fetched_bytes bytes\n"
                         "sme2lab_peer_fetched_bytes_total %" PRIu64 "\n",
                         counts->fetched, counts->missing, counts->relayed, counts->refused,
                         counts->fetched_bytes);
}

static int put_devices(const struct sl_http *http, struct sl_buf *out)
{
    const struct sl_device_record *devices = NULL;
    size_t count = sl_lab_devices(http->lab, &devices);
    int rc = sl_buf_printf(out, "# TYPE sme2lab_devices gauge\n");
    for (int state = SL_DEVICE_READY; rc == 0 && state < SL_DEVICE_STATES; state++) {
        size_t number = 0;
        for (size_t i = 0; i < count; i++)
            number += devices[i].state == state;
        rc = sl_buf_printf(out, "sme2lab_devices{state=\"%s\"} %zu\n", sl_device_state_name(state),
                           number);
    }
    if (rc == 0)
        rc = sl_buf_printf(out, "# TYPE sme2lab_device_works gauge\n");
    for (size_t i = 0; rc == 0 && i < count; i++) /* a name has nothing that a label must escape */
        rc = sl_buf_printf(out, "sme2lab_device_works{device=\"%s\"} %d\n", devices[i].name,
                           devices[i].state == SL_DEVICE_READY ||
                               devices[i].state == SL_DEVICE_BUSY);
    if (rc == 0)
        rc = put_conditions(devices, count, out);
    if (rc == 0)
        rc = sl_buf_printf(out, "# TYPE sme2lab_device_recovery_steps counter\n");
    for (int step = SL_STEP_RECONNECT; rc == 0 && step <= SL_STEP_QUARANTINE; step *= 2)
        rc = sl_buf_printf(out, "sme2lab_device_recovery_steps_total{step=\"%s\"} %" PRIu64 "\n",
                           sl_device_step_name(step), sl_lab_steps(http->lab, step));
    return rc;
}

static int put_server(const struct sl_http *http, struct sl_buf *out)
{
    return sl_buf_printf(out,
                         "# TYPE sme2lab_http_connections gauge\n"
                         "sme2lab_http_connections %zu\n"
                         "# TYPE sme2lab_http_streams gauge\n"
                         "sme2lab_http_streams %zu\n"
                         "# TYPE sme2lab_http_streams_cut counter\n"
                         "sme2lab_http_streams_cut_total %" PRIu64 "\n"
                         "# TYPE sme2lab_http_received_bytes counter\n"
                         "# UNIT sme2lab_http_received_bytes bytes\n"
                         "sme2lab_http_received_bytes_total %" PRIu64 "\n"
                         "# TYPE sme2lab_http_sent_bytes counter\n"
                         "# UNIT sme2lab_http_sent_bytes bytes\n"
                         "sme2lab_http_sent_bytes_total %" PRIu64 "\n",
                         http->clients.count, http->streams, http->counts.streams_cut,
                         http->clients.received_bytes, http->clients.sent_bytes);
}

/* The disk with runs and models; nothing where the system does not say. */
static int put_disk(const struct sl_http *http, struct sl_buf *out)
{
    struct statvfs disk;
    if (statvfs(sl_lab_state_dir(http->lab), &disk) < 0)
        return 0;
    uint64_t block = disk.f_frsize;
    return sl_buf_printf(out,
                         "# TYPE sme2lab_disk_bytes gauge\n"
                         "# UNIT sme2lab_disk_bytes bytes\n"
                         "sme2lab_disk_bytes %" PRIu64 "\n"
                         "# TYPE sme2lab_disk_free_bytes gauge\n"
                         "# UNIT sme2lab_disk_free_bytes bytes\n"
                         "sme2lab_disk_free_bytes %" PRIu64 "\n",
                         block * (uint64_t)disk.f_blocks, block * (uint64_t)disk.f_bavail);
}

/* The room that the keeper of the state has for more, and the runs that it removed. */
static int put_keeper(const struct sl_http *http, struct sl_buf *out)
{
    if (!http->keeper)
        return 0;
    struct sl_keeper_report report = sl_keeper_report(http->keeper);
    return sl_buf_printf(out,
                         "# TYPE sme2lab_intake_stopped gauge\n"
                         "sme2lab_intake_stopped %d\n"
                         "# TYPE sme2lab_disk_reserve_bytes gauge\n"
                         "# UNIT sme2lab_disk_reserve_bytes bytes\n"
                         "sme2lab_disk_reserve_bytes %" PRIu64 "\n"
                         "# TYPE sme2lab_state_budget_bytes gauge\n"
                         "# UNIT sme2lab_state_budget_bytes bytes\n"
                         "sme2lab_state_budget_bytes %" PRIu64 "\n"
                         "# TYPE sme2lab_state_bytes gauge\n"
                         "# UNIT sme2lab_state_bytes bytes\n"
                         "sme2lab_state_bytes %" PRIu64 "\n"
                         "# TYPE sme2lab_runs_expired counter\n"
                         "sme2lab_runs_expired_total %" PRIu64 "\n",
                         report.is_full, report.limits.reserve_bytes, report.limits.budget_bytes,
                         report.state_bytes, report.expired);
}

static int put_plugin(const struct sl_plugin_counts *plugin, struct sl_buf *failures,
                      struct sl_buf *samples, struct sl_buf *up)
{
    int rc = sl_buf_printf(up, "sme2lab_plugin_up{plugin=\"%s\"} %d\n", plugin->name, plugin->up);
    if (rc == 0)
        rc = sl_buf_printf(samples, "sme2lab_plugin_samples_total{plugin=\"%s\"} %" PRIu64 "\n",
                           plugin->name, plugin->samples);
    for (int i = 0; rc == 0 && i < SL_PLUGIN_FAILURES; i++)
        rc = sl_buf_printf(
            failures, "sme2lab_plugin_failures_total{plugin=\"%s\",failure=\"%s\"} %" PRIu64 "\n",
            plugin->name, sl_plugin_failure_name(i), plugin->failures[i]);
    return rc;
}

/* A metric's series stand together. */
static int put_plugins(const struct sl_http *http, struct sl_buf *out)
{
    struct sl_plugin_counts plugin;
    struct sl_buf parts[3];
    static const char *const heads[] = {"# TYPE sme2lab_plugin_failures counter\n",
                                        "# TYPE sme2lab_plugin_samples counter\n",
                                        "# TYPE sme2lab_plugin_up gauge\n"};
    int rc = 0;
    for (int i = 0; i < 3; i++)
        sl_buf_init(&parts[i], MAX_BYTES);
    for (size_t i = 0; rc == 0 && sl_plugins_counts(http->devices.plugins, i, &plugin); i++)
        rc = put_plugin(&plugin, &parts[0], &parts[1], &parts[2]);
    for (int i = 0; i < 3; i++) {
        if (rc == 0 && parts[i].size > 0)
            rc = sl_buf_printf(out, "%s%s", heads[i], (const char *)parts[i].data);
        sl_buf_fini(&parts[i]);
    }
    return rc;
}

/* Below zero once it has expired; nothing where nobody speaks TLS. */
static int put_certificate(const struct sl_http *http, struct sl_buf *out)
{
    if (!http->identity)
        return 0;
    return sl_buf_printf(out,
                         "# TYPE sme2lab_certificate_left_seconds gauge\n"
                         "# UNIT sme2lab_certificate_left_seconds seconds\n"
                         "sme2lab_certificate_left_seconds %" PRId64 "\n",
                         sl_tls_identity_expires_s(http->identity) - (int64_t)time(NULL));
}

void sl_api_metrics(struct sl_http_exchange *exchange)
{
    const struct sl_http *http = exchange->http;
    struct sl_buf body;
    sl_buf_init(&body, MAX_BYTES);
    int rc = sl_buf_printf(&body, "# TYPE sme2lab_build info\n"
                                  "sme2lab_build_info{version=\"" SL_VERSION "\"} 1\n");
    if (rc == 0)
        rc = put_requests(http, &body);
    if (rc == 0)
        rc = put_jobs(http, &body);
    if (rc == 0)
        rc = put_hosts(http, &body);
    if (rc == 0)
        rc = put_peers(http, &body);
    if (rc == 0)
        rc = put_devices(http, &body);
    if (rc == 0)
        rc = put_server(http, &body);
    if (rc == 0)
        rc = put_certificate(http, &body);
    if (rc == 0)
        rc = put_disk(http, &body);
    if (rc == 0)
        rc = put_keeper(http, &body);
    if (rc == 0)
        rc = put_plugins(http, &body);
    if (rc == 0)
        rc = put_latencies(http, &body);
    if (rc == 0)
        rc = put_link_errors(http, &body);
    if (rc == 0)
        rc = sl_buf_printf(&body, "# EOF\n");
    if (rc < 0) {
        sl_buf_fini(&body);
        sl_http_problem_of(exchange, rc, NULL);
        return;
    }
    sl_http_reply_buf(exchange, 200, "application/openmetrics-text; version=1.0.0; charset=utf-8",
                      &body);
}
