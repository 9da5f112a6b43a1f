// SPDX-License-Identifier: MIT
// Runs batches of neighbouring rows, and passes on the head's outputs for each row.
#include "language/text_logits.h"

#include "base/log.h"
#include "base/memory.h"
#include "model/head.h"
#include "network/forward.h"

#include <math.h>
#include <stdlib.h>

struct gw_text_logits {
    const gw_model *model;
    const gw_text_set *set;
    gw_text_batch batch;
    gw_forward forward;
    int64_t width;              // logits of a token, or of a sequence
    int answered;               // row set that they are of: tokens, or the first ones
    double *shift, temperature; // [width] ln w of independent labels, else NULL
    float *divided;             // a row's logits
    int64_t divided_capacity;
    gw_text_row *take; // of the run
    void *context;
    int64_t first; // row of the batch
};

static gw_status check_head(const gw_model *model, const gw_text_set *set) {
    const gw_config *config = &model->config;
    const gw_head_row *head = gw_head_of(config->head);
    if (head->masked || head->generates || head->bare)
        return gw_fail(GW_ERR_UNSUPPORTED, "the model has no head for labels: fine-tune it first (godwit finetune)");
    const bool answers = head->own == GW_OWN_SEQUENCES;
    if (head->apart) return GW_OK; // whose texts were read as two columns
    if (answers && set->per_row < 2)
        return gw_fail(GW_ERR_MISMATCH, "a multiple choice needs the columns of its answers (--choices)");
    if (!answers && set->per_row > 1)
        return gw_fail(GW_ERR_MISMATCH, "--choices needs a model for multiple choice; the model's head is another");
    return GW_OK;
}

// Logits of question tokens are masked by -infinity or large numbers, so that only NaN is wrong there.
static gw_status take_row(gw_text_logits *l, int64_t row, const float *z, int64_t count) {
    for (int64_t i = 0; i < count; i++)
        if (isnan(z[i]) || (isinf(z[i]) && !gw_head_names_spans(l->model->config.head)))
            return gw_fail_in(gw_output_not_finite(), "row %lld", (long long)l->set->line[row]);
    if (!l->shift && l->temperature == 1) return l->take(l->context, row, z, count);
    GW_TRY(gw_reserve(&l->divided, &l->divided_capacity, count, sizeof *l->divided));
    for (int64_t i = 0; i < count; i++) // (z - ln w) / T
        l->divided[i] = (float)(((double)z[i] - (l->shift ? l->shift[i % l->width] : 0)) / l->temperature);
    return l->take(l->context, row, l->divided, count);
}

static gw_status take_rows(void *logits, const gw_losses *losses) {
    (void)losses;
    gw_text_logits *l = logits;
    const gw_rows *stream = &l->batch.batch.of[GW_ROWS_TOKENS];
    const float *z = gw_network_output(l->forward.network, l->answered);
    if (!z) return GW_ERR_IO;
    const int64_t per_row = l->answered == GW_ROWS_QUESTIONS ? 1 : l->set->per_row; // logits' rows of a row
    const bool of_tokens = l->answered == GW_ROWS_TOKENS;
    for (int64_t i = 0; i < l->batch.rows; i++) {
        const int64_t begin = of_tokens ? stream->start[i] : i * per_row,
                      end = of_tokens ? stream->start[i + 1] : begin + per_row;
        GW_TRY(take_row(l, l->first + i, z + begin * l->width, (end - begin) * l->width));
    }
    return GW_OK;
}

static gw_status make_network(gw_text_logits *l, gw_model *model, int64_t tokens) {
    const gw_config *config = &model->config;
    const gw_text_set *set = l->set;
    const bool of_tokens = l->answered == GW_ROWS_TOKENS;
    const int64_t most = GW_FORWARD_SEQUENCES / set->per_row * set->per_row;
    const int64_t fit = gw_forward_tokens(tokens, set->longest * set->per_row);
    const gw_network_options network = {.tokens = fit,
                                        .sequences = most,
                                        .globals = gw_text_most_globals(model, fit, set->per_row),
                                        .output_rows = of_tokens ? GW_OUTPUT_ALL : GW_OUTPUT_FIRST};
    GW_TRY(gw_text_batch_make(&l->batch, model, set, fit, most, set->per_row));
    GW_TRY(gw_forward_make(&l->forward, model, &network, &l->batch.batch, l));
    l->forward.ran = take_rows;
    l->width = gw_network_output_width(l->forward.network, l->answered);
    l->temperature = gw_config_temperature(config);
    if (!gw_head_of(config->head)->problem || config->problem != GW_PROBLEM_MULTI_LABEL) return GW_OK;
    l->shift = gw_alloc(l->width, sizeof *l->shift);
    for (int64_t i = 0; l->shift && i < l->width; i++) l->shift[i] = log(gw_config_positive_weight(config, i));
    return l->shift ? GW_OK : GW_ERR_MEMORY;
}

gw_status gw_text_logits_new(gw_model *model, const gw_text_set *set, int64_t tokens, gw_text_logits **out) {
    *out = NULL;
    GW_TRY(check_head(model, set));
    gw_text_logits *l = gw_alloc(1, sizeof *l);
    if (!l) return GW_ERR_MEMORY;
    const gw_head_row *head = gw_head_of(model->config.head);
    *l = (gw_text_logits){.model = model,
                          .set = set,
                          .answered = head->tokens  ? GW_ROWS_TOKENS
                                      : head->apart ? GW_ROWS_QUESTIONS
                                                    : GW_ROWS_FIRST};
    const gw_status status = make_network(l, model, tokens);
    if (status == GW_OK) *out = l;
    else gw_text_logits_free(l);
    return status;
}

void gw_text_logits_free(gw_text_logits *logits) {
    if (!logits) return;
    gw_forward_free(&logits->forward);
    gw_text_batch_free(&logits->batch);
    free(logits->shift);
    free(logits->divided);
    free(logits);
}

gw_status gw_text_logits_run(gw_text_logits *l, const char *shown, gw_text_row *take, void *context) {
    l->first = 0;
    l->take = take;
    l->context = context;
    gw_batch_clear(&l->batch.batch);
    for (int64_t row = 0; row < l->set->rows; row++) {
        bool full;
        GW_TRY(gw_text_batch_add(&l->batch, row, &full));
        if (!full) continue;
        GW_TRY(gw_forward_run(&l->forward));
        l->first = row;
        if (shown) gw_progress(shown, row, l->set->rows, "texts", NULL);
        GW_TRY(gw_text_batch_add(&l->batch, row, &full));
        if (full) return gw_fail(GW_ERR_RANGE, "a row does not fit a batch");
    }
    GW_TRY(gw_forward_run(&l->forward));
    if (shown) gw_progress_end();
    return GW_OK;
}
