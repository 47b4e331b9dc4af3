/* host/job/news.h: what happens to jobs and devices, as events for those who listen. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct sl_device_record;
struct sl_events;
struct sl_job_record;

void sl_news_job(struct sl_events *events, const struct sl_job_record *job);
void sl_news_device(struct sl_events *events, const struct sl_device_record *device);
/* The device keeps so many results of runs that this daemon does not know. */
void sl_news_results(struct sl_events *events, const char *device, size_t results, uint64_t bytes);
