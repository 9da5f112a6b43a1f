// SPDX-License-Identifier: MIT
// The loop that runs networks: which sequences run together, what is run once, and who gets which answer.
#include "apart.h"
#include "fixtures.h"
#include "network/forward.h"

#include "base/log.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

enum { TOKENS = 24, SEQUENCES = 4, ASKED = 3, COUNT = 8, MOST = 64 };

typedef struct {
    gw_model *model;
    gw_batch batch;
    gw_forward forward;
    int runs;             // of the network
    int64_t in_run[MOST]; // sequences of each
    int answers[MOST];    // by id
    float answer[MOST];   // the first output of it
    gw_status status;     // that answers give back
} loop;

static gw_status ran(void *context, const gw_losses *losses) {
    loop *l = context;
    cr_expect_null(losses);
    l->in_run[l->runs++] = l->batch.of[GW_ROWS_TOKENS].sequences;
    return GW_OK;
}

static gw_status answer(void *context, int64_t id, const float *outputs) {
    loop *l = context;
    l->answers[id]++;
    l->answer[id] = outputs[0];
    return l->status;
}

static gw_status answer_token(void *context, int64_t id, double log_p) {
    loop *l = context;
    l->answers[id]++;
    l->answer[id] = (float)log_p;
    return l->status;
}

static const gw_network_options of_labels = {.tokens = TOKENS, .sequences = SEQUENCES, .output_rows = GW_OUTPUT_FIRST},
                                of_masked = {.tokens = TOKENS,
                                             .sequences = SEQUENCES,
                                             .masked = ASKED,
                                             .output_rows = GW_OUTPUT_MASKED};

static void make_loop(loop *l, int64_t labels) {
    *l = (loop){.model = fixture_model(labels, 0)};
    cr_assert_eq(gw_rows_make(&l->batch.of[GW_ROWS_TOKENS], TOKENS, SEQUENCES, GW_WITH_TOKEN), GW_OK);
    if (labels == 0) cr_assert_eq(gw_rows_make(&l->batch.of[GW_ROWS_MASKED], ASKED, 0, GW_WITH_ROW), GW_OK);
}

static void open_loop(loop *l, int64_t labels) {
    make_loop(l, labels);
    cr_assert_eq(gw_forward_answers(&l->forward, l->model, labels > 0 ? &of_labels : &of_masked, &l->batch,
                                    labels > 0 ? GW_ROWS_FIRST : GW_ROWS_MASKED, answer, l),
                 GW_OK, "%s", gw_message());
    l->forward.ran = ran;
}

static void open_token_loop(loop *l) {
    make_loop(l, 0);
    cr_assert_eq(gw_forward_likelihoods(&l->forward, l->model, &of_masked, &l->batch, answer_token, l), GW_OK, "%s",
                 gw_message());
    l->forward.ran = ran;
}

static void close_loop(loop *l) {
    gw_forward_free(&l->forward);
    gw_batch_free(&l->batch);
    gw_model_free(l->model);
}

// Tokens of sequence `which` (not 6): all alike but the third, or from 5 on the fourth.
static void put(loop *l, int which) {
    const gw_rows *stream = &l->batch.of[GW_ROWS_TOKENS];
    for (int i = 0; i < COUNT; i++) stream->token[stream->count + i] = i == 2 + which / 5 ? 5 + which % 5 : 6;
}

static gw_status ask(loop *l, int which, int64_t at, int64_t id) {
    GW_TRY(gw_forward_reserve(&l->forward, COUNT, 1));
    put(l, which);
    GW_TRY(gw_forward_ask(&l->forward, COUNT, at, id));
    gw_forward_end(&l->forward, COUNT);
    return GW_OK;
}

Test(forward, a_full_batch_runs_and_equal_sequences_run_once) {
    static const int which[] = {0, 1, 0, 2, 3, 1, 3};
    loop l;
    open_loop(&l, FIXTURE_LABELS);
    for (int i = 0; i < 7; i++) cr_assert_eq(ask(&l, which[i], 0, i), GW_OK, "%s", gw_message());
    cr_assert_eq(gw_forward_run(&l.forward), GW_OK);
    cr_expect_eq(l.runs, 2, "24 tokens hold three of the four sequences: %d runs", l.runs);
    cr_expect(l.in_run[0] == 3 && l.in_run[1] == 1);
    for (int i = 0; i < 7; i++) cr_expect_eq(l.answers[i], 1, "question %d has %d answers", i, l.answers[i]);
    cr_expect(l.answer[0] == l.answer[2] && l.answer[1] == l.answer[5] && l.answer[4] == l.answer[6]);
    cr_expect(l.answer[0] != l.answer[1] && l.answer[0] != l.answer[3] && l.answer[3] != l.answer[4]);
    cr_assert_eq(gw_forward_run(&l.forward), GW_OK);
    cr_expect_eq(l.runs, 2, "nothing is there to be run");
    gw_forward_reset(&l.forward);
    cr_assert_eq(ask(&l, 0, 0, 7), GW_OK);
    cr_assert_eq(gw_forward_run(&l.forward), GW_OK);
    cr_expect(l.runs == 3 && l.answer[7] == l.answer[0], "a reset forgets outputs");
    close_loop(&l);
}

// Several rows of one sequence are asked for; one that is known, and a sequence whose rows all are, is not run.
Test(forward, rows_of_a_sequence) {
    loop l;
    open_loop(&l, 0);
    cr_assert_eq(gw_forward_reserve(&l.forward, COUNT, 2), GW_OK);
    put(&l, 0);
    cr_assert_eq(gw_forward_ask(&l.forward, COUNT, 1, 0), GW_OK);
    cr_assert_eq(gw_forward_ask(&l.forward, COUNT, 4, 1), GW_OK);
    gw_forward_end(&l.forward, COUNT);
    cr_expect_eq(l.batch.of[GW_ROWS_MASKED].count, 2);
    cr_assert_eq(ask(&l, 0, 4, 2), GW_OK);
    cr_expect_eq(l.batch.of[GW_ROWS_TOKENS].sequences, 1, "it waits for the same row");
    cr_assert_eq(ask(&l, 1, 4, 3), GW_OK);
    cr_assert_eq(ask(&l, 2, 4, 4), GW_OK); // a fourth row
    cr_expect_eq(l.runs, 1);
    cr_assert_eq(gw_forward_run(&l.forward), GW_OK);
    cr_assert_eq(ask(&l, 0, 1, 5), GW_OK);
    cr_assert_eq(gw_forward_run(&l.forward), GW_OK);
    cr_expect(l.runs == 2 && l.answers[5] == 1 && l.answer[5] == l.answer[0], "known rows are answered at once");
    cr_expect(l.answer[1] == l.answer[2] && l.answer[0] != l.answer[1] && l.answer[3] != l.answer[1]);
    close_loop(&l);
}

// A device computes a batch while the next one is filled: some questions then wait for a row of the batch before.
Test(forward, a_device_answers_as_the_host) {
    static const int which[] = {0, 1, 2, 0, 3, 1, 4, 5, 3, 8, 4, 0, 7, 7};
    enum { QUESTIONS = sizeof which / sizeof which[0] };
    float host[QUESTIONS];
    for (int apart = 0; apart < 2; apart++) {
        loop l;
        if (apart) apart_use();
        open_loop(&l, FIXTURE_LABELS);
        for (int round = 0; round < 2; round++) {
            for (int i = 0; i < QUESTIONS; i++) cr_assert_eq(ask(&l, which[i], 0, i), GW_OK, "%s", gw_message());
            cr_expect_eq(l.answers[QUESTIONS - 1], 2 * round, "the last one waits, until it is known");
            cr_assert_eq(gw_forward_run(&l.forward), GW_OK, "%s", gw_message());
            cr_expect_eq(l.runs, 3, "%d runs", l.runs);
            for (int i = 0; i < QUESTIONS; i++) cr_expect_eq(l.answers[i], 1 + round, "question %d", i);
        }
        if (apart) cr_expect(memcmp(host, l.answer, sizeof host) == 0);
        else memcpy(host, l.answer, sizeof host);
        close_loop(&l);
    }
    gw_use_device(NULL);
}

// ---- probabilities of tokens

typedef struct {
    int which;
    int64_t at;
    int32_t token;
} token_question;

static gw_status ask_token(loop *l, token_question q, int64_t id) {
    GW_TRY(gw_forward_reserve(&l->forward, COUNT, 1));
    put(l, q.which);
    GW_TRY(gw_forward_ask_token(&l->forward, COUNT, q.at, q.token, id));
    gw_forward_end(&l->forward, COUNT);
    return GW_OK;
}

// By the logits of a network that has read this sequence alone.
static double expected_log_p(gw_model *model, token_question q) {
    gw_network *network = fixture_network(model, false);
    loop l;
    make_loop(&l, 0);
    put(&l, q.which);
    gw_rows *of = l.batch.of;
    of[GW_ROWS_TOKENS].count = COUNT;
    gw_rows_end_sequence(&of[GW_ROWS_TOKENS]);
    of[GW_ROWS_MASKED].row[of[GW_ROWS_MASKED].count++] = (int32_t)q.at;
    cr_assert_eq(gw_network_forward(network, &l.batch, NULL), GW_OK, "%s", gw_message());
    const float *logits = gw_network_output(network, GW_ROWS_MASKED);
    double sum = 0;
    for (int64_t v = 0; v < model->config.vocabulary; v++) sum += exp((double)logits[v]);
    const double log_p = (double)logits[q.token] - log(sum);
    gw_network_free(network);
    close_loop(&l);
    return log_p;
}

// Four tokens of a row are one entry, a fifth one is another; of an entry that is complete a further token is not
// known.
Test(forward, probabilities_of_tokens) {
    static const token_question of[] = {{0, 4, 5}, {0, 4, 6}, {0, 4, 5}, {0, 4, 7}, {0, 4, 8}, {0, 4, 9}, {1, 2, 5},
                                        {2, 2, 5}, {1, 2, 6}, {0, 4, 9}, {2, 2, 5}, {2, 2, 7}, {1, 2, 5}};
    enum { QUESTIONS = sizeof of / sizeof of[0], FIRST = 7 }; // those of the first batch
    for (int apart = 0; apart < 2; apart++) {
        loop l;
        if (apart) apart_use();
        open_token_loop(&l);
        for (int i = 0; i < FIRST; i++) cr_assert_eq(ask_token(&l, of[i], i), GW_OK, "%s", gw_message());
        cr_expect_eq(l.batch.of[GW_ROWS_TOKENS].sequences, 3);
        for (int i = FIRST; i < QUESTIONS; i++) cr_assert_eq(ask_token(&l, of[i], i), GW_OK, "%s", gw_message());
        cr_assert_eq(gw_forward_run(&l.forward), GW_OK, "%s", gw_message());
        for (int i = 0; i < QUESTIONS; i++) {
            const double expected = expected_log_p(l.model, of[i]);
            cr_expect_eq(l.answers[i], 1, "question %d has %d answers", i, l.answers[i]);
            cr_expect_float_eq(l.answer[i], expected, 1e-5, "question %d: %g, not %g", i, (double)l.answer[i],
                               expected);
        }
        // The second batch has the rows {2, 2} and, where the first one was complete when {1, 2, 6} came, {1, 2}.
        cr_expect_eq(l.runs, 2, "%d runs", l.runs);
        cr_expect(l.in_run[0] == 3 && l.in_run[1] == (apart ? 1 : 2), "%d", (int)l.in_run[1]);
        close_loop(&l);
    }
    gw_use_device(NULL);
}

Test(forward, failures_come_back_and_leave_nothing) {
    loop l;
    open_loop(&l, FIXTURE_LABELS);
    cr_assert_eq(ask(&l, 0, 0, 0), GW_OK);
    l.status = gw_fail(GW_ERR_RANGE, "not this one");
    cr_expect_eq(gw_forward_run(&l.forward), GW_ERR_RANGE);
    cr_expect_str_eq(gw_message(), "not this one");
    gw_forward_reset(&l.forward);
    l.status = GW_OK;
    cr_assert_eq(ask(&l, 1, 0, 1), GW_OK);
    cr_assert_eq(gw_forward_run(&l.forward), GW_OK);
    cr_expect(l.answers[0] == 1 && l.answers[1] == 1, "question 0 waits no longer");
    close_loop(&l);
}
