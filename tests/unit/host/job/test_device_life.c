/* tests/unit/host/job/test_device_life.c */
#include "host/job/device_life.h"

#include <string.h>

#include "host/records.h"
#include "host/spec/names.h"
#include "tests/support/random.h"
#include "tests/support/test.h"

enum {
    EVERYTHING = SL_STEP_PROBE | SL_STEP_ADB_RECONNECT | SL_STEP_USB_RESET | SL_STEP_HOOK,
    MOST_STEPS = 16,
    YEAR_MS = 365 * 24 * 3600 * 1000U / 8 /* fits */
};

/* The steps of a device for which nothing helps, until none is due; the times between them. */
static size_t climb(struct sl_device_life *life, uint64_t *now_ms, int out[MOST_STEPS])
{
    size_t count = 0;
    uint64_t before = *now_ms, pause = 0;
    while (sl_device_life_due_ms(life) != UINT64_MAX && count < MOST_STEPS) {
        *now_ms = sl_device_life_due_ms(life);
        assert_int_equal(sl_device_life_step(life, *now_ms - 1), 0);
        assert_true(*now_ms - before >= pause / 2); /* jitter, but a back-off */
        pause = *now_ms - before;
        before = *now_ms;
        out[count++] = sl_device_life_step(life, *now_ms);
    }
    return count;
}

static void expect(const int *steps, size_t count, const int *wanted, size_t wanted_count)
{
    assert_int_equal(count, wanted_count);
    for (size_t i = 0; i < count; i++)
        assert_string_equal(sl_device_step_name(steps[i]), sl_device_step_name(wanted[i]));
}

TEST(an_unreachable_agent_is_tried_by_ever_harder_means_and_then_quarantined)
{
    static const int wanted[] = {SL_STEP_RECONNECT,     SL_STEP_RECONNECT,     SL_STEP_PROBE,
                                 SL_STEP_ADB_RECONNECT, SL_STEP_ADB_RECONNECT, SL_STEP_USB_RESET,
                                 SL_STEP_HOOK,          SL_STEP_HOOK,          SL_STEP_QUARANTINE};
    struct sl_device_life life;
    int steps[MOST_STEPS];
    uint64_t now = 1000;
    sl_device_life_init(&life, EVERYTHING, 7);
    assert_int_equal(sl_device_life_cause(&life), SL_CAUSE_DEVICE_WELL);
    sl_device_life_link(&life, SL_CAUSE_DEVICE_CONNECTING, now);
    assert_int_equal(sl_device_life_due_ms(&life) == UINT64_MAX, 1);
    sl_device_life_link(&life, SL_CAUSE_DEVICE_UNREACHABLE, now);
    expect(steps, climb(&life, &now, steps), wanted, 9);
    assert_true(now < 15 * 60 * 1000);
    sl_device_life_again(&life, now); /* released: from the foot */
    expect(steps, climb(&life, &now, steps), wanted, 9);
}

TEST(steps_that_a_device_has_not_are_left_out)
{
    static const int wanted[] = {SL_STEP_RECONNECT, SL_STEP_RECONNECT, SL_STEP_QUARANTINE};
    struct sl_device_life life;
    int steps[MOST_STEPS];
    uint64_t now = 0;
    sl_device_life_init(&life, 0, 1);
    sl_device_life_link(&life, SL_CAUSE_DEVICE_UNREACHABLE, now);
    expect(steps, climb(&life, &now, steps), wanted, 3);
}

TEST(a_device_that_comes_back_for_moments_is_quarantined_when_it_has_stayed_away_for_ten_minutes)
{
    struct sl_device_life life;
    uint64_t now = 1000;
    sl_device_life_init(&life, 0, 1);
    for (int minute = 0; minute < 30; minute++) {
        sl_device_life_link(&life, SL_CAUSE_DEVICE_UNREACHABLE, now);
        for (uint64_t end = now + 55000; now < end; now += 1000)
            assert_int_not_equal(sl_device_life_step(&life, now), SL_STEP_QUARANTINE);
        sl_device_life_link(&life, SL_CAUSE_DEVICE_WELL, now);
        now += 5000;
    }
    sl_device_life_link(&life, SL_CAUSE_DEVICE_CONNECTING, now);
    sl_device_life_link(&life, SL_CAUSE_DEVICE_UNREACHABLE, now + 2000);
    uint64_t since = now;
    while (sl_device_life_step(&life, now) != SL_STEP_QUARANTINE)
        now += 1000;
    assert_int_equal((now - since) / 60000, 10);
}

TEST(a_device_that_boots_for_minutes_and_comes_back_by_itself_is_not_quarantined)
{
    struct sl_device_life life;
    uint64_t now = 5000;
    sl_device_life_init(&life, 0, 1);
    sl_device_life_link(&life, SL_CAUSE_DEVICE_UNREACHABLE, now);
    for (int tries = 0; tries < 2; tries++) {
        now = sl_device_life_due_ms(&life);
        assert_int_equal(sl_device_life_step(&life, now), SL_STEP_RECONNECT);
    }
    now = 5000 + 9 * 60 * 1000;
    assert_int_equal(sl_device_life_step(&life, now), 0);
    sl_device_life_link(&life, SL_CAUSE_DEVICE_WELL, now);
    assert_true(sl_device_life_due_ms(&life) == UINT64_MAX);
    sl_device_life_link(&life, SL_CAUSE_DEVICE_UNREACHABLE, now); /* away again at once */
    assert_true(sl_device_life_due_ms(&life) >= 5000 + 10 * 60 * 1000);
}

TEST(what_only_a_person_can_mend_is_left_to_him)
{
    static const int causes[] = {SL_CAUSE_DEVICE_UNTRIED,      SL_CAUSE_DEVICE_AUTHORISING,
                                 SL_CAUSE_DEVICE_UNAUTHORISED, SL_CAUSE_DEVICE_NO_PERMISSIONS,
                                 SL_CAUSE_DEVICE_UNPLUGGED,    SL_CAUSE_DEVICE_NO_SERVER,
                                 SL_CAUSE_DEVICE_NO_ANDROID};
    for (size_t i = 0; i < sizeof(causes) / sizeof(causes[0]); i++) {
        struct sl_device_life life;
        sl_device_life_init(&life, EVERYTHING, 1);
        sl_device_life_listed(&life, causes[i], 5);
        assert_true(sl_device_life_due_ms(&life) == UINT64_MAX);
        assert_int_equal(sl_device_life_step(&life, YEAR_MS), 0);
        assert_true(sl_device_cause_state(causes[i]) != SL_DEVICE_READY);
    }
}

TEST(what_cannot_be_opened_is_tried_for_ever_and_not_quarantined)
{
    struct sl_device_life life;
    int steps[MOST_STEPS];
    uint64_t now = 0;
    sl_device_life_init(&life, EVERYTHING, 3);
    sl_device_life_link(&life, SL_CAUSE_DEVICE_CANNOT_OPEN, now);
    assert_int_equal(climb(&life, &now, steps), MOST_STEPS);
    for (int i = 0; i < MOST_STEPS; i++)
        assert_int_equal(steps[i], SL_STEP_RECONNECT);
}

TEST(a_device_that_falls_again_at_once_goes_on_where_the_ladder_was)
{
    struct sl_device_life life;
    sl_device_life_init(&life, EVERYTHING, 3);
    sl_device_life_link(&life, SL_CAUSE_DEVICE_UNREACHABLE, 0);
    for (int i = 0; i < 3; i++)
        sl_device_life_step(&life, sl_device_life_due_ms(&life));
    sl_device_life_link(&life, SL_CAUSE_DEVICE_WELL, 100000);
    assert_true(sl_device_life_due_ms(&life) == UINT64_MAX);
    sl_device_life_link(&life, SL_CAUSE_DEVICE_CONNECTING, 100500);
    sl_device_life_link(&life, SL_CAUSE_DEVICE_UNREACHABLE, 101000);
    assert_int_equal(sl_device_life_step(&life, sl_device_life_due_ms(&life)),
                     SL_STEP_ADB_RECONNECT);
    sl_device_life_link(&life, SL_CAUSE_DEVICE_WELL, 300000);
    sl_device_life_link(&life, SL_CAUSE_DEVICE_UNREACHABLE, 300000 + SL_LIFE_SETTLED_MS + 1);
    assert_int_equal(sl_device_life_step(&life, sl_device_life_due_ms(&life)), SL_STEP_RECONNECT);
}

/* Whatever happens to a device: one that is well is left alone; steps keep their distance; each is
 * one that the device has; one that stays unreachable is quarantined, once. */
TEST(a_million_random_steps_hurt_no_device_that_is_well)
{
    uint64_t random = 20261125, now = 1;
    struct sl_device_life life;
    sl_device_life_init(&life, SL_STEP_PROBE | SL_STEP_HOOK, 11);
    uint64_t last_step = 0;
    bool quarantined = false;
    unsigned steps = 0, quarantines = 0;
    for (int i = 0; i < 1000000; i++) {
        now += sl_random_below(&random, 30000);
        int what = (int)sl_random_below(&random, 12);
        if (what == 0)
            sl_device_life_listed(&life, (int)sl_random_below(&random, SL_DEVICE_CAUSES), now);
        else if (what == 1)
            sl_device_life_link(&life, (int)sl_random_below(&random, SL_DEVICE_CAUSES), now);
        else if (what == 2 && quarantined) {
            quarantined = false;
            sl_device_life_again(&life, now);
        }
        int cause = sl_device_life_cause(&life);
        int step = sl_device_life_step(&life, now);
        if (step == 0)
            continue;
        steps++;
        assert_true(cause == SL_CAUSE_DEVICE_UNREACHABLE || cause == SL_CAUSE_DEVICE_NO_ANSWER ||
                    cause == SL_CAUSE_DEVICE_CANNOT_OPEN);
        assert_true(step != SL_STEP_USB_RESET && step != SL_STEP_ADB_RECONNECT);
        assert_true(last_step == 0 || now >= last_step + SL_LIFE_PAUSE_MS);
        assert_true(sl_device_life_due_ms(&life) > now);
        last_step = now;
        if (step == SL_STEP_QUARANTINE) {
            quarantines++;
            quarantined = true;
            assert_true(sl_device_life_due_ms(&life) == UINT64_MAX);
        }
    }
    assert_true(steps > 1000 && quarantines > 10);
}
