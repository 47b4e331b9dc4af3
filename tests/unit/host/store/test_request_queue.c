/* tests/unit/host/store/test_request_queue.c */
#include "host/store/request_queue.h"

#include "host/store/request.h"
#include "tests/support/test.h"

#define NS_A_MS UINT64_C(1000000)

enum { NOW_MS = 1000, MOST = 2 * SL_NOTES_ENOUGH };

static struct sl_request requests[MOST];

/* Appends the requests of `kinds`, a for an addition and n for a note; the first one came
 * `oldest_ms` ago. */
static void fill(struct sl_request_queue *queue, const char *kinds, uint64_t oldest_ms)
{
    sl_request_queue_init(queue);
    for (int i = 0; kinds[i]; i++) {
        requests[i] = (struct sl_request){
            .kind = kinds[i] == 'n' ? SL_REQUEST_NOTE_AUDIT : SL_REQUEST_ADD_JOB,
            .id = (uint64_t)i,
            .queued_ns = (NOW_MS - (i == 0 ? oldest_ms : 0)) * NS_A_MS,
        };
        sl_request_queue_append(queue, &requests[i]);
    }
}

static void assert_ids(const struct sl_request *request, const char *ids)
{
    for (; *ids; ids++, request = request->next) {
        assert_non_null(request);
        assert_int_equal(request->id, *ids - '0');
    }
    assert_null(request);
}

static void take(const char *kinds, uint64_t oldest_ms, const char *taken, const char *left)
{
    struct sl_request_queue queue;
    fill(&queue, kinds, oldest_ms);
    assert_ids(sl_request_queue_take_batch(&queue, false, NOW_MS * NS_A_MS), taken);
    assert_ids(queue.first, left);
    struct sl_request more = {.id = 9};
    sl_request_queue_append(&queue, &more); /* behind what was left */
    const struct sl_request *last = sl_request_queue_take_all(&queue);
    while (last->next)
        last = last->next;
    assert_int_equal(last->id, 9);
    assert_null(sl_request_queue_take_all(&queue));
}

TEST(notes_wait_for_more_of_their_kind)
{
    take("naan", 0, "12", "03");
    take("aa", 0, "01", "");
    take("", 0, "", "");
}

TEST(old_notes_and_notes_alone_go_behind_the_urgent_ones)
{
    take("naan", SL_NOTES_WAIT_MS, "1203", "");
    take("nn", 0, "01", "");
}

TEST(one_of_several_urgent_ones_is_taken_alone_and_the_notes_stay_or_come_with_it)
{
    struct sl_request_queue queue;
    fill(&queue, "naana", 0);
    assert_ids(sl_request_queue_take_batch(&queue, true, NOW_MS * NS_A_MS), "1");
    assert_ids(queue.first, "0324");
    fill(&queue, "naa", SL_NOTES_WAIT_MS);
    assert_ids(sl_request_queue_take_batch(&queue, true, NOW_MS * NS_A_MS), "10");
    assert_ids(queue.first, "2");
    struct sl_request more = {.id = 9};
    sl_request_queue_append(&queue, &more);
    assert_ids(queue.first, "29");
    fill(&queue, "a", 0);
    assert_ids(sl_request_queue_take_batch(&queue, true, NOW_MS * NS_A_MS), "0");
    sl_request_queue_append(&queue, &more);
    assert_ids(queue.first, "9");
}

TEST(the_first_ones_are_taken_in_their_order)
{
    struct sl_request_queue queue;
    size_t count = 9;
    fill(&queue, "ana", 0);
    assert_ids(sl_request_queue_take_first(&queue, 2, &count), "01");
    assert_int_equal(count, 2);
    assert_ids(queue.first, "2");
    assert_ids(sl_request_queue_take_first(&queue, 2, &count), "2");
    assert_int_equal(count, 1);
    assert_ids(sl_request_queue_take_first(&queue, 2, &count), "");
    assert_int_equal(count, 0);
    struct sl_request more = {.id = 9};
    sl_request_queue_append(&queue, &more);
    assert_ids(queue.first, "9");
}

TEST(many_notes_wait_no_longer)
{
    struct sl_request_queue queue;
    char kinds[SL_NOTES_ENOUGH + 2] = "a";
    for (int i = 1; i <= SL_NOTES_ENOUGH; i++)
        kinds[i] = 'n';
    fill(&queue, kinds, 0);
    size_t count = 0;
    for (const struct sl_request *request =
             sl_request_queue_take_batch(&queue, false, NOW_MS * NS_A_MS);
         request; request = request->next)
        count++;
    assert_int_equal(count, SL_NOTES_ENOUGH + 1);
    kinds[SL_NOTES_ENOUGH] = '\0';
    fill(&queue, kinds, 0);
    assert_ids(sl_request_queue_take_batch(&queue, false, NOW_MS * NS_A_MS), "0");
    assert_non_null(queue.first);
}
