/* host/cli/kernels_list.c */
#include "host/cli/kernels_list.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "common/base/buf.h"
#include "host/report/text.h"
#include "host/spec/json_value.h"

enum { KERNEL_COLUMNS = 54, NEEDS_COLUMNS = 13, POLICY_COLUMNS = 15 };

struct page {
    struct sl_buf *out;
    size_t width;
    int error;
};

__attribute__((format(printf, 2, 3))) static void say(struct page *page, const char *format, ...);

/* One line, cut where it is wider than the terminal. */
static void say(struct page *page, const char *format, ...)
{
    char line[SL_TEXT_SIZE], clean[SL_TEXT_SIZE];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof(line), format, args);
    va_end(args);
    sl_text_copy(clean, line, strlen(line));
    sl_text_fit(clean, page->width);
    if (page->error == 0)
        page->error = sl_buf_printf(page->out, "%s\n", clean);
}

static void put_kernels(struct page *page, const cJSON *kernels)
{
    const char *family = "", *purpose = "";
    const cJSON *kernel;
    cJSON_ArrayForEach(kernel, kernels)
    {
        const char *its_family = sl_value_text(kernel, "family", "");
        const char *its_purpose = sl_value_text(kernel, "for", "");
        bool met = cJSON_IsTrue(sl_value(kernel, "met"));
        if (strcmp(family, its_family) != 0 || strcmp(purpose, its_purpose) != 0) {
            say(page, "%s", "");
            say(page, "%s: %s", its_family, its_purpose);
        }
        family = its_family;
        purpose = its_purpose;
        say(page, "  %-*s%-*s%s", KERNEL_COLUMNS, sl_value_text(kernel, "kernel", ""),
            met ? 0 : NEEDS_COLUMNS, sl_value_text(kernel, "needs", ""), met ? "" : " not here");
    }
}

static void put_policy(struct page *page, const cJSON *policy)
{
    const cJSON *family;
    say(page, "%s", "");
    say(page, "Families, and whether they run in streaming mode by default (--policy):");
    cJSON_ArrayForEach(family, policy)
    {
        bool streams = cJSON_IsTrue(sl_value(family, "streams"));
        say(page, "  %-*s%-11s%s", POLICY_COLUMNS, sl_value_text(family, "family", ""),
            streams ? "streams" : "stays out", sl_value_text(family, "about", ""));
    }
}

int sl_kernels_list_text(struct sl_buf *out, const cJSON *list, const char *cpu, int width)
{
    struct page page = {.out = out, .width = width > 0 ? (size_t)width : 1};
    say(&page, "The agent's kernels, and what a CPU needs for them. Of each family the");
    say(&page, "first that fits is taken; what does not run on %s says \"not here\".",
        cpu ? "the emulated CPU" : "this machine");
    if (cpu)
        say(&page, "The emulated CPU is -cpu %s.", cpu);
    put_kernels(&page, sl_value(list, "kernels"));
    put_policy(&page, sl_value(list, "policy"));
    return page.error;
}
