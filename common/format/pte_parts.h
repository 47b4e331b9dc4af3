/* common/format/pte_parts.h: what the files of the .pte reader share; nobody else's. */
#pragma once

#include "common/format/flatbuf_layout.h"
#include "common/format/pte.h"

struct sl_pte_segment {
    uint64_t offset; /* from the start of the file */
    struct sl_bytes bytes;
};

struct sl_pte_reader {
    struct sl_flatbuf fb; /* the program's part of the file */
    struct sl_pte *pte;   /* being filled */
    uint32_t segment_count;
    const struct sl_pte_segment *segments;
    struct sl_flatbuf_vector inline_blobs; /* backend_delegate_data */
    struct sl_pte_tensor *tensors;         /* of the pool: room for `tensor_room` */
    uint32_t tensor_room, tensor_count;    /* those of this plan */
    /* Of each kind of table that there are many of. */
    struct sl_flatbuf_layouts of_value, of_tensor, of_place, of_extra, of_number, of_bool, of_list;
    struct sl_flatbuf_layouts of_instruction, of_call, of_free;
    bool inline_constants; /* legacy constant_buffer has entries */
};

/* Fills `plan` from table ExecutionPlan; failures stick in reader->fb. */
void sl_pte_read_plan(struct sl_pte_reader *reader, const struct sl_flatbuf_table *table,
                      struct sl_pte_plan *plan);

/* Fills plan->values; plan->buffer_bytes is read already, and so are the constants. */
void sl_pte_read_values(struct sl_pte_reader *reader, const struct sl_flatbuf_table *table,
                        struct sl_pte_plan *plan);
