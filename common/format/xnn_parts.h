/* common/format/xnn_parts.h: what the files of the XNNPACK blob reader share; nobody else's. */
#pragma once

#include "common/format/flatbuf_layout.h"
#include "common/format/xnngraph.h"

struct sl_xnn_reader {
    struct sl_flatbuf fb; /* the flatbuffer's part of the blob */
    struct sl_xnn_graph *graph;
    struct sl_bytes constants; /* the blob's constant region */
    struct sl_flatbuf_vector constant_data, constant_buffer;
    uint32_t extern_count;
    struct sl_flatbuf_layouts of_value, of_tensor, of_data; /* of which there are many */
};

/* Fill the graph's arrays from table XNNGraph; failures stick in reader->fb. Values go first. */
void sl_xnn_read_values(struct sl_xnn_reader *reader, const struct sl_flatbuf_table *table);
void sl_xnn_read_nodes(struct sl_xnn_reader *reader, const struct sl_flatbuf_table *table);
