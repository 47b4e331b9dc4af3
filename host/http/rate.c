/* host/http/rate.c */
#include "host/http/rate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static struct sl_http_rate_bucket *bucket_of(struct sl_http_rate *rate, const char *name,
                                             uint64_t now_ms)
{
    struct sl_http_rate_bucket *oldest = rate->buckets;
    for (size_t i = 0; i < rate->count; i++) {
        if (strcmp(rate->buckets[i].name, name) == 0)
            return &rate->buckets[i];
        if (rate->buckets[i].at_ms < oldest->at_ms)
            oldest = &rate->buckets[i];
    }
    if (rate->count < SL_HTTP_RATE_NAMES)
        oldest = &rate->buckets[rate->count++];
    snprintf(oldest->name, sizeof(oldest->name), "%s", name);
    oldest->left = rate->per_second;
    oldest->at_ms = now_ms;
    return oldest;
}

uint64_t sl_http_rate_wait(struct sl_http_rate *rate, const char *name, uint64_t now_ms)
{
    if (rate->per_second == 0)
        return 0;
    struct sl_http_rate_bucket *bucket = bucket_of(rate, name, now_ms);
    double per_ms = rate->per_second / 1000.0;
    double left = bucket->left + per_ms * (double)(now_ms - bucket->at_ms);
    bucket->left = left < rate->per_second ? left : rate->per_second;
    bucket->at_ms = now_ms;
    if (bucket->left < 1)
        return (uint64_t)ceil((1 - bucket->left) / per_ms);
    bucket->left -= 1;
    return 0;
}
