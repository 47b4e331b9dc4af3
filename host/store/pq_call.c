/* host/store/pq_call.c */
#include "host/store/pq_call.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libpq-fe.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "common/base/utf8.h"
#include "host/store/database.h"
#include "host/store/dialect.h"
#include "host/store/pq.h"

/* The server takes well-formed UTF-8 alone: other bytes become '?'. */
static int set_text(struct sl_pq_parameter *parameter, const char *text)
{
    size_t len = strlen(text);
    parameter->type = SL_PQ_TEXT;
    parameter->text = text;
    if (sl_utf8_first_bad((struct sl_bytes){(const uint8_t *)text, len}) == len)
        return 0;
    parameter->cleaned = sl_strndup(text, len);
    if (!parameter->cleaned)
        return -ENOMEM;
    for (unsigned char *at = (unsigned char *)parameter->cleaned; *at;) {
        size_t step = sl_utf8_length(at);
        if (step == 0)
            *at = '?';
        at += step == 0 ? 1 : step;
    }
    parameter->text = parameter->cleaned;
    return 0;
}

static int set_value(struct sl_pq_parameter *parameter, const struct sl_value *value)
{
    sl_free(parameter->cleaned);
    *parameter = (struct sl_pq_parameter){.type = 0};
    if (value->kind == SL_VALUE_TEXT)
        return set_text(parameter, value->text);
    if (value->kind == SL_VALUE_NULL)
        return 0;
    parameter->text = parameter->number;
    parameter->type = value->kind == SL_VALUE_INTEGER ? SL_PQ_INT8 : SL_PQ_FLOAT8;
    if (value->kind == SL_VALUE_INTEGER)
        snprintf(parameter->number, SL_PQ_NUMBER_BYTES, "%" PRIi64, value->integer);
    else
        snprintf(parameter->number, SL_PQ_NUMBER_BYTES, "%.17g", value->real);
    return 0;
}

int sl_pq_call_bind(struct sl_pq_call *call, int at, const struct sl_value *value)
{
    if (at < 1 || at > SL_PQ_MAX_PARAMETERS)
        return SL_E_LIMIT;
    while (call->count < at) /* what is left out is not used */
        call->parameters[call->count++].type = SL_PQ_TEXT;
    return set_value(&call->parameters[at - 1], value);
}

void sl_pq_call_fini(struct sl_pq_call *call)
{
    for (int i = 0; i < call->count; i++)
        sl_free(call->parameters[i].cleaned);
    call->count = 0;
}

void sl_pq_call_shape(const struct sl_pq_call *call, struct sl_pq_shape *out)
{
    out->sql = call->sql;
    out->count = call->count;
    for (int i = 0; i < call->count; i++)
        out->types[i] = call->parameters[i].type;
}

bool sl_pq_call_has_shape(const struct sl_pq_call *call, const struct sl_pq_shape *shape)
{
    if (shape->count != call->count || strcmp(shape->sql, call->sql) != 0)
        return false;
    for (int i = 0; i < call->count; i++)
        if (shape->types[i] != call->parameters[i].type)
            return false;
    return true;
}

static const char *array_type(unsigned type)
{
    switch (type) {
    case SL_PQ_INT8:
        return "bigint[]";
    case SL_PQ_FLOAT8:
        return "double precision[]";
    case SL_PQ_TEXT:
        return "text[]";
    default:
        return NULL;
    }
}

int sl_pq_call_sql(const struct sl_pq_call *call, bool of_many, char out[SL_PQ_MAX_SQL_BYTES])
{
    const char *arrays[SL_PQ_MAX_PARAMETERS];
    for (int i = 0; i < call->count; i++)
        arrays[i] = array_type(call->parameters[i].type);
    return of_many ? sl_dialect_rows(call->sql, arrays, call->count, out, SL_PQ_MAX_SQL_BYTES)
                   : sl_dialect_statement(call->sql, out, SL_PQ_MAX_SQL_BYTES);
}

size_t sl_pq_call_bytes(const struct sl_pq_call *call)
{
    size_t bytes = 0;
    for (int i = 0; i < call->count; i++)
        bytes += call->parameters[i].text ? strlen(call->parameters[i].text) : 0;
    return bytes;
}

/* Within quotes, where only these two bytes mean something else. */
static int add_quoted(struct sl_buf *text, const char *at)
{
    int rc = sl_buf_append(text, "\"", 1);
    while (rc == 0 && *at) {
        size_t plain = strcspn(at, "\"\\");
        rc = sl_buf_append(text, at, plain);
        at += plain;
        if (rc == 0 && *at)
            rc = sl_buf_printf(text, "\\%c", *at++);
    }
    return rc < 0 ? rc : sl_buf_append(text, "\"", 1);
}

/* A place that was left out has the type of text, and is "" here: it is not used. */
static int add_value(struct sl_buf *text, const struct sl_pq_parameter *parameter)
{
    const char *value = parameter->text ? parameter->text : "";
    return parameter->type == SL_PQ_TEXT ? add_quoted(text, value)
                                         : sl_buf_append(text, value, strlen(value));
}

/* Writes a column's values of all rows as an array in text, with a terminator. */
static int put_array(const struct sl_pq_call *first, int column, struct sl_buf *text)
{
    int rc = 0;
    for (const struct sl_pq_call *row = first; row && rc == 0; row = row->next) {
        rc = sl_buf_append(text, row == first ? "{" : ",", 1);
        rc = rc < 0 ? rc : add_value(text, &row->parameters[column]);
    }
    return rc < 0 ? rc : sl_buf_append(text, "}", sizeof("}"));
}

static int send_values(PGconn *connection, const char *name, int count, const char *const *values)
{
    return PQsendQueryPrepared(connection, name, count, values, NULL, NULL, 0) ? 0 : -EIO;
}

static int send_arrays(const struct sl_pq_call *first, PGconn *connection, const char *name)
{
    const char *values[SL_PQ_MAX_PARAMETERS];
    size_t places[SL_PQ_MAX_PARAMETERS];
    struct sl_buf text;
    int rc = 0, count = 0;
    sl_buf_init(&text, 4 * SL_PQ_MAX_ROWS_BYTES); /* a byte may need two */
    for (int i = 0; i < first->count && rc == 0; i++) {
        if (first->parameters[i].type == 0)
            continue;
        places[count++] = text.size;
        rc = put_array(first, i, &text);
    }
    for (int i = 0; i < count && rc == 0; i++)
        values[i] = (const char *)text.data + places[i];
    if (rc == 0)
        rc = send_values(connection, name, count, values);
    sl_buf_fini(&text);
    return rc;
}

int sl_pq_call_send(const struct sl_pq_call *first, PGconn *connection, const char *name)
{
    const char *values[SL_PQ_MAX_PARAMETERS];
    if (first->next)
        return send_arrays(first, connection, name);
    for (int i = 0; i < first->count; i++)
        values[i] = first->parameters[i].text;
    return send_values(connection, name, first->count, values);
}

static int by_number(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static PGresult *one_number(const PGresult *whole, int64_t number)
{
    char text[SL_PQ_NUMBER_BYTES];
    PGresult *one = PQcopyResult(whole, PG_COPYRES_ATTRS);
    int len = snprintf(text, sizeof(text), "%" PRIi64, number);
    if (one && PQsetvalue(one, 0, 0, text, len))
        return one;
    PQclear(one);
    return NULL;
}

int sl_pq_split_numbers(const PGresult *whole, int count, PGresult **out)
{
    int done = 0;
    if (count < 1 || PQntuples(whole) != count || PQnfields(whole) != 1)
        return -EIO;
    int64_t *numbers = sl_calloc((size_t)count, sizeof(*numbers));
    if (!numbers)
        return -ENOMEM;
    for (int i = 0; i < count; i++)
        numbers[i] = strtoll(PQgetvalue(whole, i, 0), NULL, 10);
    qsort(numbers, (size_t)count, sizeof(*numbers), by_number);
    while (done < count && (out[done] = one_number(whole, numbers[done])))
        done++;
    sl_free(numbers);
    for (int i = 0; i < done && done < count; i++)
        PQclear(out[i]);
    return done == count ? 0 : -ENOMEM;
}
