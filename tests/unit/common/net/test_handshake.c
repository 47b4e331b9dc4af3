/* tests/unit/common/net/test_handshake.c */
#include <stdint.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/net/frame.h"
#include "common/net/handshake.h"
#include "common/net/message.h"
#include "proto/envelope.pb-c.h"
#include "tests/support/test.h"

struct side {
    struct sl_handshake handshake;
    struct sl_buf out; /* frames for the other side */
    int rc;
};

static int take(void *user, const uint8_t *payload, size_t len)
{
    struct side *side = user;
    Sme2lab__Proto__Envelope *envelope = NULL;
    assert_int_equal(sl_message_decode(payload, len, &envelope), 0);
    side->rc = sl_handshake_take(&side->handshake, envelope, &side->out);
    sl_message_free(envelope);
    return side->rc;
}

/* Carries what `from` has written over to `to`. */
static void carry(struct side *from, struct side *to)
{
    struct sl_frame_reader reader;
    sl_frame_reader_init(&reader);
    sl_frame_reader_feed(&reader, from->out.data, from->out.size, take, to);
    sl_frame_reader_fini(&reader);
    from->out.size = 0;
}

static void side_init(struct side *side, int role, uint8_t secret_byte)
{
    uint8_t secret[SL_SECRET_BYTES], nonce[SL_NONCE_BYTES];
    memset(secret, secret_byte, sizeof(secret));
    memset(nonce, role, sizeof(nonce));
    *side = (struct side){0};
    sl_buf_init(&side->out, 1 << 16);
    sl_handshake_init(&side->handshake, role, secret, nonce);
}

static void open_both(struct side *host, struct side *agent)
{
    assert_int_equal(sl_handshake_hello(&host->handshake, "sme2labd", &host->out), 0);
    assert_int_equal(sl_handshake_hello(&agent->handshake, "sme2lab-agent", &agent->out), 0);
    for (int i = 0; i < 4; i++) {
        carry(host, agent);
        carry(agent, host);
    }
}

static void fini(struct side *host, struct side *agent)
{
    sl_buf_fini(&host->out);
    sl_buf_fini(&agent->out);
}

TEST(equal_secrets_prove_both_sides)
{
    struct side host, agent;
    side_init(&host, SL_ROLE_HOST, 7);
    side_init(&agent, SL_ROLE_AGENT, 7);
    open_both(&host, &agent);
    assert_true(host.handshake.done && agent.handshake.done);
    assert_int_equal(host.handshake.version, SL_MESSAGE_VERSION_MAX);
    fini(&host, &agent);
}

TEST(another_secret_is_refused_with_a_sentence)
{
    struct side host, agent;
    side_init(&host, SL_ROLE_HOST, 7);
    side_init(&agent, SL_ROLE_AGENT, 8);
    open_both(&host, &agent);
    assert_false(host.handshake.done || agent.handshake.done);
    assert_non_null(strstr(agent.handshake.refusal, "secret"));
    fini(&host, &agent);
}

TEST(a_proof_sent_back_to_its_sender_proves_nothing)
{
    struct side host, echo;
    side_init(&host, SL_ROLE_HOST, 7);
    side_init(&echo, SL_ROLE_AGENT, 7);
    memset(echo.handshake.nonce, 9, SL_NONCE_BYTES);
    assert_int_equal(sl_handshake_hello(&echo.handshake, "echo", &echo.out), 0);
    carry(&echo, &host); /* the host answers with its proof */
    assert_int_equal(host.rc, 0);
    carry(&host, &host);
    assert_int_equal(host.rc, SL_E_MISMATCH);
    assert_false(host.handshake.done);
    fini(&host, &echo);
}

TEST(what_one_side_wants_sealed_is_sealed_with_one_key)
{
    struct side host, agent;
    uint8_t hosts_key[SL_SECRET_BYTES], agents_key[SL_SECRET_BYTES];
    side_init(&host, SL_ROLE_HOST, 7);
    side_init(&agent, SL_ROLE_AGENT, 7);
    host.handshake.sealed = true;
    open_both(&host, &agent);
    assert_true(host.handshake.done && agent.handshake.done && agent.handshake.sealed);
    sl_handshake_session_key(&host.handshake, hosts_key);
    sl_handshake_session_key(&agent.handshake, agents_key);
    assert_memory_equal(hosts_key, agents_key, sizeof(hosts_key));
    fini(&host, &agent);
}

/* Somebody on the way takes the wish out of the hello: the proofs then differ. */
TEST(a_wish_that_was_taken_out_is_missed)
{
    struct side host, agent;
    side_init(&host, SL_ROLE_HOST, 7);
    side_init(&agent, SL_ROLE_AGENT, 7);
    assert_int_equal(sl_handshake_hello(&host.handshake, "sme2labd", &host.out), 0);
    assert_int_equal(sl_handshake_hello(&agent.handshake, "sme2lab-agent", &agent.out), 0);
    host.handshake.sealed = true; /* the hello above said false */
    for (int i = 0; i < 4; i++) {
        carry(&host, &agent);
        carry(&agent, &host);
    }
    assert_false(host.handshake.done || agent.handshake.done);
    fini(&host, &agent);
}

/* Each side says why, and which of the two is to be updated. */
static void expect_refusal(struct side *host, struct side *agent, const char *words)
{
    open_both(host, agent);
    assert_false(host->handshake.done || agent->handshake.done);
    assert_int_equal(host->rc, SL_E_UNSUPPORTED);
    assert_non_null(strstr(host->handshake.refusal, words));
    assert_non_null(strstr(agent->handshake.refusal, words));
    fini(host, agent);
}

TEST(versions_that_do_not_meet_are_refused_with_both_named)
{
    struct side host, agent;
    side_init(&host, SL_ROLE_HOST, 7);
    side_init(&agent, SL_ROLE_AGENT, 7);
    agent.handshake.version_min = agent.handshake.version_max = 9;
    expect_refusal(&host, &agent, ": update the daemon");
    assert_non_null(strstr(host.handshake.refusal,
                           "the agent (sme2lab-agent) speaks protocol 9 to 9, this daemon 4 to 4"));
}

/* An agent of version 3 would skip the upper half of a run's number. */
TEST(an_agent_of_numbers_of_64_bits_is_refused)
{
    struct side host, agent;
    side_init(&host, SL_ROLE_HOST, 7);
    side_init(&agent, SL_ROLE_AGENT, 7);
    agent.handshake.version_min = 1;
    agent.handshake.version_max = 3;
    expect_refusal(&host, &agent, ": update the agent");
    side_init(&host, SL_ROLE_HOST, 7);
    side_init(&agent, SL_ROLE_AGENT, 7);
    host.handshake.version_min = 1;
    host.handshake.version_max = 3;
    expect_refusal(&host, &agent, ": update the daemon");
}

TEST(a_message_before_the_proof_ends_the_connection)
{
    struct side host;
    Sme2lab__Proto__Cancel cancel = SME2LAB__PROTO__CANCEL__INIT;
    Sme2lab__Proto__Envelope envelope = SME2LAB__PROTO__ENVELOPE__INIT;
    side_init(&host, SL_ROLE_HOST, 7);
    envelope.body_case = SME2LAB__PROTO__ENVELOPE__BODY_CANCEL;
    envelope.cancel = &cancel;
    assert_int_equal(sl_handshake_take(&host.handshake, &envelope, &host.out), SL_E_STATE);
    sl_buf_fini(&host.out);
}

TEST(payloads_of_empty_elements_stay_within_the_budget)
{
    /* Envelope{resume: {have: [{} {} {} ...]}}: two bytes an element on the wire, a struct each in
     * memory. */
    static uint8_t payload[1 << 19];
    Sme2lab__Proto__Envelope *envelope = NULL;
    size_t inner = sizeof(payload) - 5, at = 0;
    payload[at++] = 12 << 3 | 2;
    while (inner >= 128) {
        payload[at++] = (uint8_t)(inner | 128);
        inner >>= 7;
    }
    payload[at++] = (uint8_t)inner;
    for (; at + 1 < sizeof(payload); at += 2)
        payload[at] = 1 << 3 | 2;
    int rc = sl_message_decode(payload, at, &envelope);
    assert_true(rc == SL_E_FORMAT ||
                rc == 0); /* and no more memory than the header says, under ASan's eye */
    sl_message_free(rc == 0 ? envelope : NULL);
}

TEST(what_a_stranger_says_has_nothing_that_moves_a_terminal)
{
    struct side host;
    Sme2lab__Proto__Refusal refusal = SME2LAB__PROTO__REFUSAL__INIT;
    Sme2lab__Proto__Envelope envelope = SME2LAB__PROTO__ENVELOPE__INIT;
    side_init(&host, SL_ROLE_HOST, 7);
    refusal.reason = (char *)(uintptr_t)"no\x1b[2J\nlevel=error \"x\"";
    envelope.body_case = SME2LAB__PROTO__ENVELOPE__BODY_REFUSAL;
    envelope.refusal = &refusal;
    assert_int_equal(sl_handshake_take(&host.handshake, &envelope, &host.out), SL_E_MISMATCH);
    assert_string_equal(host.handshake.refusal, "the peer refused: no?[2J?level=error ?x?");
    sl_buf_fini(&host.out);
}
