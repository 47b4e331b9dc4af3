/* host/report/record_join.c */
#include "host/report/record_join.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/base/json.h"
#include "host/report/analysis.h"
#include "host/report/doc.h"
#include "host/report/etrecord.h"
#include "host/report/table.h"
#include "host/report/text.h"

enum { PLACE_SIZE = 256 };

/* One event and what the record says of it. */
struct joined {
    char name[SL_TEXT_SIZE];
    int32_t instruction;
    struct sl_etrecord_match match;
};

typedef int (*joined_fn)(void *context, const struct joined *joined);

/* Calls `each` for the events of the first run that the record knows; calls of operators are left
 * out, for the event inside says the same. */
static int for_each(const struct sl_analysis *analysis, const struct sl_etrecord *record,
                    joined_fn each, void *context)
{
    const struct sl_attribution *a = &analysis->attribution;
    const struct sl_etdump_run *run;
    int rc = 0;
    if (a->run_count == 0)
        return 0;
    run = &analysis->etdump->runs[a->runs[0].block];
    for (uint32_t i = 0; rc == 0 && i < run->event_count; i++) {
        struct sl_etdump_event room;
        const struct sl_etdump_event *e = sl_etdump_event_read(run, i, &room);
        struct joined joined = {.instruction = e->instruction_id};
        const char *name = e->delegate_id ? e->delegate_id : e->name;
        if (e->kind != SL_ETDUMP_PROFILE || !name)
            continue;
        sl_text_copy(joined.name, name, e->delegate_id ? e->delegate_id_len : e->name_len);
        if (strcmp(joined.name, "OPERATOR_CALL") == 0)
            continue;
        rc = sl_etrecord_find(record, e->instruction_id, joined.name, strlen(joined.name),
                              e->delegate_id != NULL, &joined.match);
        if (rc == 0 && joined.match.node_count > 0)
            rc = each(context, &joined);
        sl_etrecord_match_fini(&joined.match);
    }
    return rc;
}

static int put_json(void *context, const struct joined *joined)
{
    struct sl_json *json = context;
    char place[PLACE_SIZE];
    sl_json_open_object(json, NULL);
    sl_json_i64(json, "instruction", joined->instruction);
    sl_json_text(json, "event", joined->name);
    sl_json_text(json, "backend", joined->match.backend);
    sl_json_open_array(json, "operators");
    for (size_t i = 0; i < joined->match.node_count; i++) {
        const struct sl_etrecord_node *node = joined->match.nodes[i];
        sl_etrecord_place(node, place, sizeof(place));
        sl_json_open_object(json, NULL);
        sl_json_text(json, "type", node->type);
        sl_json_text(json, "node", node->name);
        sl_json_text(json, "source", place[0] ? place : NULL);
        sl_json_text(json, "stack_trace", node->stack);
        sl_json_text(json, "modules", node->modules);
        sl_json_close_object(json);
    }
    sl_json_close_array(json);
    sl_json_close_object(json);
    return json->error;
}

int sl_record_json(struct sl_json *json, const struct sl_analysis *analysis,
                   const struct sl_etrecord *record)
{
    sl_json_open_array(json, "instructions");
    int rc = for_each(analysis, record, put_json, json);
    sl_json_close_array(json);
    return rc;
}

static int put_rows(void *context, const struct joined *joined)
{
    struct sl_table *table = context;
    for (size_t i = 0; i < joined->match.node_count; i++) {
        const struct sl_etrecord_node *node = joined->match.nodes[i];
        char place[PLACE_SIZE];
        sl_etrecord_place(node, place, sizeof(place));
        if (i == 0)
            sl_table_printf(table, "%" PRId32, joined->instruction);
        else
            sl_table_text(table, "");
        sl_table_text(table, i == 0 ? joined->name : "");
        sl_table_printf(table, "%s  %s", node->type, place);
    }
    return table->error;
}

void sl_record_doc(struct sl_doc *doc, const struct sl_analysis *analysis,
                   const struct sl_etrecord *record)
{
    static const char *const heads[] = {">instr", "event", "operators of the model", NULL};
    struct sl_table table;
    sl_table_init(&table, "instructions", "Operators of the model", heads);
    sl_table_widths(&table, (const struct sl_table_column[]){{6, 0}, {26, 2}, {0, 2}});
    int rc = for_each(analysis, record, put_rows, &table);
    table.error = table.error ? table.error : rc;
    sl_doc_begin(doc, SL_DOC_LINE, NULL);
    sl_doc_table(doc, &table);
}
