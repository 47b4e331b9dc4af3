/* tests/support/peer_case.h: another host's daemon as a test has it: a port that gives each request
 * one answer and hangs up, on a thread of its own. */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <uv.h>

#include "tests/support/test.h"

struct peer_case {
    uv_loop_t loop;
    uv_thread_t thread;
    uv_async_t ends;
    uv_tcp_t server;
    char url[64], request[4096]; /* the last, as it came */
    unsigned requests;
    const char *answer;
    size_t answer_bytes;
    const char *then; /* the answer from the second request on; NULL: the same */
};

struct peer_case_client {
    uv_tcp_t tcp;
    uv_write_t write;
    struct peer_case *peer;
    size_t size;
    char text[4096];
};

static inline void peer_case_gone(uv_handle_t *handle)
{
    free(handle->data);
}

static inline void peer_case_sent(uv_write_t *write, int status)
{
    (void)status;
    uv_close((uv_handle_t *)write->handle, peer_case_gone);
}

static inline void peer_case_room(uv_handle_t *handle, size_t suggested, uv_buf_t *out)
{
    struct peer_case_client *client = handle->data;
    (void)suggested;
    *out = uv_buf_init(client->text + client->size,
                       (unsigned)(sizeof(client->text) - 1 - client->size));
}

static inline void peer_case_read(uv_stream_t *stream, ssize_t got, const uv_buf_t *buf)
{
    struct peer_case_client *client = stream->data;
    struct peer_case *peer = client->peer;
    (void)buf;
    if (got < 0) {
        uv_close((uv_handle_t *)stream, peer_case_gone);
        return;
    }
    client->size += (size_t)got;
    if (!strstr(client->text, "\r\n\r\n"))
        return;
    memcpy(peer->request, client->text, sizeof(peer->request));
    peer->requests++;
    if (!peer->answer)
        return;
    uv_read_stop(stream);
    if (peer->requests > 1 && peer->then) {
        peer->answer = peer->then;
        peer->answer_bytes = strlen(peer->then);
    }
    uv_buf_t answer = uv_buf_init((char *)(uintptr_t)peer->answer, (unsigned)peer->answer_bytes);
    assert_int_equal(uv_write(&client->write, stream, &answer, 1, peer_case_sent), 0);
}

static inline void peer_case_comes(uv_stream_t *server, int status)
{
    struct peer_case_client *client = calloc(1, sizeof(*client));
    assert_non_null(client);
    assert_int_equal(status, 0);
    client->peer = server->data;
    uv_tcp_init(server->loop, &client->tcp);
    client->tcp.data = client;
    assert_int_equal(uv_accept(server, (uv_stream_t *)&client->tcp), 0);
    uv_read_start((uv_stream_t *)&client->tcp, peer_case_room, peer_case_read);
}

static inline void peer_case_on_end(uv_async_t *async)
{
    struct peer_case *peer = async->data;
    uv_close((uv_handle_t *)async, NULL);
    uv_close((uv_handle_t *)&peer->server, NULL);
}

static inline void peer_case_serve(void *user)
{
    struct peer_case *peer = user;
    uv_run(&peer->loop, UV_RUN_DEFAULT);
}

/* `answer` is whole, with its head; NULL: none ever comes. */
static inline void peer_case_open(struct peer_case *peer, const char *answer)
{
    struct sockaddr_in address;
    int size = sizeof(address);
    memset(peer, 0, sizeof(*peer));
    peer->answer = answer;
    peer->answer_bytes = answer ? strlen(answer) : 0;
    uv_ip4_addr("127.0.0.1", 0, &address);
    assert_int_equal(uv_loop_init(&peer->loop), 0);
    uv_async_init(&peer->loop, &peer->ends, peer_case_on_end);
    uv_tcp_init(&peer->loop, &peer->server);
    peer->server.data = peer->ends.data = peer;
    assert_int_equal(uv_tcp_bind(&peer->server, (const struct sockaddr *)&address, 0), 0);
    assert_int_equal(uv_listen((uv_stream_t *)&peer->server, 128, peer_case_comes), 0);
    assert_int_equal(uv_tcp_getsockname(&peer->server, (struct sockaddr *)&address, &size), 0);
    snprintf(peer->url, sizeof(peer->url), "http://127.0.0.1:%d", ntohs(address.sin_port));
    assert_int_equal(uv_thread_create(&peer->thread, peer_case_serve, peer), 0);
}

/* Waits until its clients have gone. */
static inline void peer_case_close(struct peer_case *peer)
{
    uv_async_send(&peer->ends);
    uv_thread_join(&peer->thread);
    assert_int_equal(uv_loop_close(&peer->loop), 0);
}
