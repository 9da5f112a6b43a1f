// SPDX-License-Identifier: MIT
// Runs the examples in batches, and writes the table row by row in their order.
#include "task/windows/predict.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/string.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK = 256 }; // examples whose bases are held at a time

gw_status gw_check_set_windows(const gw_model *model, const gw_labelled_set *set) {
    const int64_t shortest = gw_labelled_set_shortest(set), longest = gw_labelled_set_longest(set);
    GW_TRY(gw_check_window(model, longest));
    const int64_t trained = model->config.window;
    if (trained > 0 && longest > 0 && (shortest != trained || longest != trained))
        gw_warn("the set's windows are %lld to %lld bp, the model was trained on %lld bp", (long long)shortest,
                (long long)longest, (long long)trained);
    return GW_OK;
}

bool gw_reads_both_strands(gw_strands strands, const gw_model *model) {
    return strands == GW_STRANDS_BY_TASK ? gw_both_strands_by_default(model) : strands == GW_STRANDS_BOTH;
}

static bool same_names(const gw_config *a, const gw_config *b) {
    if (a->labels != b->labels) return false;
    for (int64_t l = 0; a->label_names && b->label_names && l < a->labels; l++)
        if (strcmp(a->label_names[l], b->label_names[l]) != 0) return false;
    return true;
}

// Folders name the models in messages.
static gw_status check_ensemble(gw_model *const *models, const char *const *folders, int count) {
    const gw_config *first = &models[0]->config;
    for (int m = 1; m < count; m++) {
        const gw_config *config = &models[m]->config;
        if (!same_names(first, config))
            return gw_fail(GW_ERR_MISMATCH, "%s has other labels than %s: their probabilities have no mean", folders[m],
                           folders[0]);
        if (config->window != first->window || config->tss_offset != first->tss_offset)
            return gw_fail(GW_ERR_MISMATCH, "%s was trained on other windows than %s", folders[m], folders[0]);
    }
    return GW_OK;
}

gw_status gw_ensemble_open(gw_model *const *models, int count, const gw_task_input *in, gw_ensemble *out) {
    *out = (gw_ensemble){.count = count};
    GW_TRY(check_ensemble(models, in->models.items, count));
    out->items = gw_alloc(count, sizeof *out->items);
    if (!out->items) return GW_ERR_MEMORY;
    for (int m = 0; m < count; m++) {
        const gw_label_predictor_options one = {.tokens = in->tokens,
                                                .both_strands = gw_reads_both_strands(in->strands, models[m])};
        GW_TRY(gw_label_predictor_new(models[m], &one, &out->items[m]));
    }
    return GW_OK;
}

void gw_ensemble_close(gw_ensemble *ensemble) {
    for (int m = 0; ensemble->items && m < ensemble->count; m++) gw_label_predictor_free(ensemble->items[m]);
    free(ensemble->items);
}

gw_status gw_ensemble_run(const gw_ensemble *ensemble, const char *const *bases, const int64_t *lengths, int64_t count,
                          float *scratch, float *mean) {
    const int64_t values = count * gw_label_predictor_labels(ensemble->items[0]);
    GW_TRY(gw_label_predictor_run(ensemble->items[0], bases, lengths, count, mean, NULL));
    for (int m = 1; m < ensemble->count; m++) {
        GW_TRY(gw_label_predictor_run(ensemble->items[m], bases, lengths, count, scratch, NULL));
        for (int64_t i = 0; i < values; i++) mean[i] += scratch[i];
    }
    for (int64_t i = 0; ensemble->count > 1 && i < values; i++) mean[i] /= (float)ensemble->count;
    return GW_OK;
}

// Examples [first, first + count) into probabilities [count][labels].
static gw_status predict_examples(const gw_ensemble *ensemble, gw_labelled_set *set, int64_t first, int64_t count,
                                  float *probabilities) {
    const int64_t longest = gw_labelled_set_longest(set);
    char *held = gw_alloc(count, longest);
    const char **bases = gw_alloc(count, sizeof *bases);
    int64_t *lengths = gw_alloc(count, sizeof *lengths);
    float *scratch = gw_alloc(count * gw_label_predictor_labels(ensemble->items[0]), sizeof *scratch);
    gw_status status = held && bases && lengths && scratch ? GW_OK : GW_ERR_MEMORY;
    for (int64_t i = 0; status == GW_OK && i < count; i++) {
        const char *window;
        status = gw_labelled_set_bases(set, first + i, &window, &lengths[i]);
        bases[i] = held + i * longest;
        if (status == GW_OK) memcpy(held + i * longest, window, (size_t)lengths[i]);
    }
    if (status == GW_OK) {
        status = gw_ensemble_run(ensemble, bases, lengths, count, scratch, probabilities);
        if (status != GW_OK) status = gw_fail_in(status, "examples from %lld on", (long long)first + 1);
    }
    free(held);
    free(bases);
    free(lengths);
    free(scratch);
    return status;
}

// Examples of the chunk that starts at `first`.
static int64_t chunk_size(const gw_labelled_set *set, int64_t first) {
    const int64_t left = gw_labelled_set_count(set) - first;
    return left < CHUNK ? left : CHUNK;
}

gw_status gw_predict_set(const gw_ensemble *ensemble, gw_labelled_set *set, const char *shown, float *probabilities) {
    const int64_t count = gw_labelled_set_count(set), labels = gw_label_predictor_labels(ensemble->items[0]);
    for (int64_t first = 0; first < count; first += CHUNK) {
        const int64_t size = chunk_size(set, first);
        GW_TRY(gw_check_interrupt());
        GW_TRY(predict_examples(ensemble, set, first, size, probabilities + first * labels));
        if (shown) gw_progress(shown, first + size, count, "windows", NULL);
    }
    if (shown) gw_progress_end();
    return GW_OK;
}

gw_status gw_predict_set_outputs(gw_label_predictor *predictor, gw_labelled_set *set, float *outputs) {
    const int64_t count = gw_labelled_set_count(set), labels = gw_label_predictor_labels(predictor),
                  width = labels * gw_label_predictor_strands(predictor);
    const gw_ensemble one = {&predictor, 1};
    float *probabilities = gw_alloc(CHUNK * labels, sizeof *probabilities);
    gw_status status = probabilities ? GW_OK : GW_ERR_MEMORY;
    for (int64_t first = 0; status == GW_OK && first < count; first += CHUNK) {
        const int64_t size = chunk_size(set, first);
        status = gw_check_interrupt();
        if (status == GW_OK) status = predict_examples(&one, set, first, size, probabilities);
        if (status == GW_OK)
            memcpy(outputs + first * width, gw_label_predictor_outputs(predictor),
                   (size_t)(size * width) * sizeof *outputs);
    }
    free(probabilities);
    return status;
}

static gw_status write_header(const gw_model *model, const gw_labelled_set *set, bool genes, gw_text_writer *out) {
    gw_string line = {0};
    gw_string_puts(&line, gw_labelled_set_title(set));
    if (gw_labelled_set_has_names(set)) gw_string_puts(&line, "\tname\tstrand");
    if (genes) gw_string_puts(&line, "\tgene");
    for (int64_t l = 0; l < model->config.labels; l++) {
        gw_string_putc(&line, '\t');
        if (model->config.label_names) gw_string_put_field(&line, model->config.label_names[l]);
        else gw_string_printf(&line, "label_%lld", (long long)l);
    }
    gw_string_putc(&line, '\n');
    gw_status status = gw_string_status(&line);
    if (status == GW_OK) status = gw_writer_write(out, line.data, line.length);
    gw_string_free(&line);
    return status;
}

static void add_genes(const gw_labelled_set *set, int64_t i, const gw_genes *genes, gw_string *text) {
    const gw_region window = gw_labelled_set_region(set, i);
    gw_string_putc(text, '\t');
    if (!gw_genes_at(genes, window.contig, window.begin, window.end, text)) gw_string_putc(text, '.');
}

static gw_status write_rows(const gw_labelled_set *set, int64_t first, int64_t count, const float *probabilities,
                            int64_t labels, const gw_genes *genes, gw_string *text, gw_text_writer *out) {
    gw_string_clear(text);
    for (int64_t i = 0; i < count; i++) {
        gw_labelled_set_describe(set, first + i, text);
        if (genes) add_genes(set, first + i, genes, text);
        for (int64_t l = 0; l < labels; l++) gw_string_printf(text, "\t%.7g", (double)probabilities[i * labels + l]);
        gw_string_putc(text, '\n');
    }
    GW_TRY(gw_string_status(text));
    return gw_writer_write(out, text->data, text->length);
}

gw_status gw_predict_write(const gw_ensemble *ensemble, const gw_model *model, gw_labelled_set *set,
                           const gw_genes *genes, gw_text_writer *out) {
    const int64_t count = gw_labelled_set_count(set), labels = gw_label_predictor_labels(ensemble->items[0]);
    float *probabilities = gw_alloc(CHUNK * labels, sizeof *probabilities);
    gw_string text = {0};
    gw_status status = probabilities ? write_header(model, set, genes != NULL, out) : GW_ERR_MEMORY;
    for (int64_t first = 0; status == GW_OK && first < count; first += CHUNK) {
        const int64_t size = chunk_size(set, first);
        status = gw_check_interrupt();
        if (status == GW_OK) status = predict_examples(ensemble, set, first, size, probabilities);
        if (status == GW_OK) status = write_rows(set, first, size, probabilities, labels, genes, &text, out);
        gw_progress("predict", first + size, count, "windows", NULL);
    }
    gw_progress_end();
    gw_string_free(&text);
    free(probabilities);
    return status;
}
