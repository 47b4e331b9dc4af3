/* host/http/router.c */
#include "host/http/router.h"

#include <string.h>

#include "host/http/api.h"
#include "host/http/pages.h"

static const struct sl_http_route routes[] = {
    {SL_HTTP_GET, "/", SL_SCOPE_READ, SL_HTTP_BODY_NONE, sl_page_lab},
    {SL_HTTP_GET, "/jobs", SL_SCOPE_READ, SL_HTTP_BODY_NONE, sl_page_jobs},
    {SL_HTTP_GET, "/jobs/{}", SL_SCOPE_READ, SL_HTTP_BODY_NONE, sl_page_job},
    {SL_HTTP_GET, "/runs", SL_SCOPE_READ, SL_HTTP_BODY_NONE, sl_page_runs},
    {SL_HTTP_GET, "/runs/{}", SL_SCOPE_READ, SL_HTTP_BODY_NONE, sl_page_run},
    {SL_HTTP_GET, "/combined", SL_SCOPE_READ, SL_HTTP_BODY_NONE, sl_page_combined},
    {SL_HTTP_GET, "/series", SL_SCOPE_READ, SL_HTTP_BODY_NONE, sl_page_all_series},
    {SL_HTTP_GET, "/series/{}", SL_SCOPE_READ, SL_HTTP_BODY_NONE, sl_page_series},
    {SL_HTTP_GET, "/healthz", 0, SL_HTTP_BODY_NONE, sl_api_healthz},
    {SL_HTTP_GET, "/readyz", SL_SCOPE_READ, SL_HTTP_BODY_NONE, sl_api_readyz},
    {SL_HTTP_GET, "/metrics", SL_SCOPE_READ, SL_HTTP_BODY_NONE, sl_api_metrics},
    {SL_HTTP_GET, "/api/v1/openapi.yaml", SL_SCOPE_READ, SL_HTTP_BODY_NONE, sl_api_openapi},
    {SL_HTTP_PUT, "/api/v1/blobs/{}", SL_SCOPE_SUBMIT, SL_HTTP_BODY_STREAM, sl_api_blob_put},
    {SL_HTTP_HEAD, "/api/v1/blobs/{}", SL_SCOPE_READ, SL_HTTP_BODY_NONE, sl_api_blob_head},
    {SL_HTTP_GET, "/api/v1/blobs/{}", SL_SCOPE_ADMIN | SL_SCOPE_HOST, SL_HTTP_BODY_NONE,
     sl_api_blob_get},
    {SL_HTTP_POST, "/api/v1/jobs", SL_SCOPE_SUBMIT, SL_HTTP_BODY_JSON, sl_api_job_post},
    {SL_HTTP_GET, "/api/v1/jobs", SL_SCOPE_READ, SL_HTTP_BODY_NONE, sl_api_job_list},
    {SL_HTTP_GET, "/api/v1/jobs/{}", SL_SCOPE_READ, SL_HTTP_BODY_NONE, sl_api_job_get},
    {SL_HTTP_DELETE, "/api/v1/jobs/{}", SL_SCOPE_SUBMIT | SL_SCOPE_CANCEL_ANY, SL_HTTP_BODY_NONE,
     sl_api_job_delete},
    {SL_HTTP_GET, "/api/v1/jobs/{}/events", SL_SCOPE_READ, SL_HTTP_BODY_NONE, sl_api_job_events},
    {SL_HTTP_GET, "/api/v1/jobs/{}/attempts/{}/log", SL_SCOPE_READ, SL_HTTP_BODY_NONE,
     sl_api_attempt_log},
    {SL_HTTP_GET, "/api/v1/jobs/{}/result", SL_SCOPE_READ, SL_HTTP_BODY_NONE, sl_api_job_result},
    {SL_HTTP_GET, "/api/v1/events", SL_SCOPE_READ, SL_HTTP_BODY_NONE, sl_api_events},
    {SL_HTTP_POST, "/api/v1/groups", SL_SCOPE_SUBMIT, SL_HTTP_BODY_JSON, sl_api_group_post},
    {SL_HTTP_GET, "/api/v1/groups", SL_SCOPE_READ, SL_HTTP_BODY_NONE, sl_api_group_list},
    {SL_HTTP_GET, "/api/v1/groups/{}", SL_SCOPE_READ, SL_HTTP_BODY_NONE, sl_api_group_get},
    {SL_HTTP_DELETE, "/api/v1/groups/{}", SL_SCOPE_SUBMIT | SL_SCOPE_CANCEL_ANY, SL_HTTP_BODY_NONE,
     sl_api_group_delete},
    {SL_HTTP_GET, "/api/v1/runs", SL_SCOPE_READ, SL_HTTP_BODY_NONE, sl_api_run_list},
    {SL_HTTP_POST, "/api/v1/runs", SL_SCOPE_ADMIN, SL_HTTP_BODY_JSON, sl_api_run_post},
    {SL_HTTP_GET, "/api/v1/runs/{}", SL_SCOPE_READ, SL_HTTP_BODY_NONE, sl_api_run_get},
    {SL_HTTP_DELETE, "/api/v1/runs/{}", SL_SCOPE_ADMIN, SL_HTTP_BODY_NONE, sl_api_run_delete},
    {SL_HTTP_GET, "/api/v1/runs/{}/files", SL_SCOPE_READ, SL_HTTP_BODY_NONE, sl_api_run_files},
    {SL_HTTP_GET, "/api/v1/runs/{}/labels", SL_SCOPE_READ, SL_HTTP_BODY_NONE, sl_api_run_labels},
    {SL_HTTP_POST, "/api/v1/runs/{}/labels", SL_SCOPE_SUBMIT | SL_SCOPE_ADMIN, SL_HTTP_BODY_JSON,
     sl_api_run_label},
    {SL_HTTP_GET, "/api/v1/runs/{}/trace.perfetto", SL_SCOPE_READ, SL_HTTP_BODY_NONE,
     sl_api_run_trace},
    {SL_HTTP_GET, "/api/v1/runs/{}/{*}", SL_SCOPE_READ, SL_HTTP_BODY_NONE, sl_api_run_file},
    {SL_HTTP_GET, "/api/v1/series", SL_SCOPE_READ, SL_HTTP_BODY_NONE, sl_api_series_list},
    {SL_HTTP_GET, "/api/v1/series/{}/points", SL_SCOPE_READ, SL_HTTP_BODY_NONE,
     sl_api_series_points},
    {SL_HTTP_GET, "/api/v1/compare", SL_SCOPE_READ, SL_HTTP_BODY_NONE, sl_api_compare},
    {SL_HTTP_GET, "/api/v1/combined", SL_SCOPE_READ, SL_HTTP_BODY_NONE, sl_api_combined},
    {SL_HTTP_GET, "/api/v1/hosts", SL_SCOPE_READ, SL_HTTP_BODY_NONE, sl_api_host_list},
    {SL_HTTP_GET, "/api/v1/devices", SL_SCOPE_READ, SL_HTTP_BODY_NONE, sl_api_device_list},
    {SL_HTTP_POST, "/api/v1/devices", SL_SCOPE_DEVICES, SL_HTTP_BODY_JSON, sl_api_device_add},
    {SL_HTTP_GET, "/api/v1/devices/{}", SL_SCOPE_READ, SL_HTTP_BODY_NONE, sl_api_device_get},
    {SL_HTTP_DELETE, "/api/v1/devices/{}", SL_SCOPE_DEVICES, SL_HTTP_BODY_NONE,
     sl_api_device_remove},
    {SL_HTTP_GET, "/api/v1/devices/{}/results", SL_SCOPE_DEVICES, SL_HTTP_BODY_NONE,
     sl_api_result_list},
    {SL_HTTP_POST, "/api/v1/devices/{}/results/{}", SL_SCOPE_DEVICES, SL_HTTP_BODY_NONE,
     sl_api_result_collect},
    {SL_HTTP_DELETE, "/api/v1/devices/{}/results/{}", SL_SCOPE_DEVICES, SL_HTTP_BODY_NONE,
     sl_api_result_forget},
    {SL_HTTP_POST, "/api/v1/devices/{}/clean", SL_SCOPE_DEVICES, SL_HTTP_BODY_NONE,
     sl_api_device_clean},
    {SL_HTTP_POST, "/api/v1/devices/{}/calibrate", SL_SCOPE_DEVICES, SL_HTTP_BODY_JSON,
     sl_api_device_calibrate},
    {SL_HTTP_POST, "/api/v1/devices/{}/{}", SL_SCOPE_DEVICES, SL_HTTP_BODY_JSON, sl_api_device_act},
    {SL_HTTP_POST, "/api/v1/query", SL_SCOPE_READ, SL_HTTP_BODY_JSON, sl_api_query},
    {SL_HTTP_GET, "/api/v1/store/check", SL_SCOPE_ADMIN, SL_HTTP_BODY_NONE, sl_api_store_look},
    {SL_HTTP_POST, "/api/v1/store/check", SL_SCOPE_ADMIN, SL_HTTP_BODY_JSON, sl_api_store_mend},
    {SL_HTTP_GET, "/api/v1/store/data", SL_SCOPE_ADMIN, SL_HTTP_BODY_NONE, sl_api_data_look},
    {SL_HTTP_POST, "/api/v1/store/data", SL_SCOPE_ADMIN, SL_HTTP_BODY_JSON, sl_api_data_mend},
    {SL_HTTP_GET, "/api/v1/tokens", SL_SCOPE_ADMIN, SL_HTTP_BODY_NONE, sl_api_token_list},
    {SL_HTTP_POST, "/api/v1/tokens", SL_SCOPE_ADMIN, SL_HTTP_BODY_JSON, sl_api_token_post},
    {SL_HTTP_DELETE, "/api/v1/tokens/{}", SL_SCOPE_ADMIN, SL_HTTP_BODY_NONE, sl_api_token_delete},
};

/* Copies one parameter; one that is empty or too long does not match. */
static bool take(char *out, const char *text, size_t len)
{
    if (len == 0 || len >= SL_HTTP_PARAM_BYTES)
        return false;
    memcpy(out, text, len);
    out[len] = '\0';
    return true;
}

static bool match(const char *pattern, const char *path, char param[2][SL_HTTP_PARAM_BYTES])
{
    size_t count = 0;
    param[0][0] = param[1][0] = '\0';
    while (*pattern) {
        if (*pattern != '{') {
            if (*pattern++ != *path++)
                return false;
            continue;
        }
        bool rest = pattern[1] == '*';
        size_t len = rest ? strlen(path) : strcspn(path, "/");
        if (count == 2 || !take(param[count++], path, len))
            return false;
        path += len;
        pattern += rest ? 3 : 2;
    }
    return *path == '\0';
}

const struct sl_http_route *sl_http_route(const struct sl_http_route *table, size_t count,
                                          int method, const char *path,
                                          char param[2][SL_HTTP_PARAM_BYTES], int *out_methods)
{
    const char *found = NULL; /* the first that fits; what a later one takes is no method of it */
    *out_methods = 0;
    for (size_t i = 0; i < count; i++) {
        if ((found && strcmp(found, table[i].pattern) != 0) ||
            !match(table[i].pattern, path, param))
            continue;
        found = table[i].pattern;
        int methods = table[i].method;
        if (methods == SL_HTTP_GET)
            methods |= SL_HTTP_HEAD;
        if (methods & method)
            return &table[i];
        *out_methods |= methods;
    }
    return NULL;
}

const struct sl_http_route *sl_http_find_route(int method, const char *path,
                                               char param[2][SL_HTTP_PARAM_BYTES], int *out_methods)
{
    return sl_http_route(routes, sizeof(routes) / sizeof(routes[0]), method, path, param,
                         out_methods);
}
