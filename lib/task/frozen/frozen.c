// SPDX-License-Identifier: MIT
// Opens the training, validation and test rows, of windows or texts, with their labels as columns; computes features of
// them with one model after another; and writes the results of the probes over the seeds, one line a model.
#include "task/frozen/frozen.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/string.h"
#include "file/table_writer.h"
#include "language/text_batch.h"
#include "language/text_presets.h"
#include "measure/sparse_rows.h"
#include "network/forward.h"
#include "seq/genome/genome.h"
#include "task/frozen/probe.h"
#include "task/windows/evaluate_set.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- rows and labels

enum { TRAIN, VALID, TEST, PARTS };

// Of windows, whose sets are the same for all models; without validation windows that part is NULL.
typedef struct {
    gw_genome *genome;
    gw_labelled_set *set[PARTS];
    gw_probe_labels labels[PARTS];
} frozen_windows;
// Of texts, as a model's tokenizer cuts them.
typedef struct {
    gw_label_names names;
    gw_text_set set[PARTS];
    gw_probe_labels labels[PARTS];
} frozen_texts;
static const char *const names[PARTS] = {"train", "valid", "test"};

static gw_status take_window_labels(const gw_labelled_set *set, bool numbers, gw_probe_labels *out) {
    *out = (gw_probe_labels){
        .rows = gw_labelled_set_count(set), .labels = gw_labelled_set_labels(set), .numbers = numbers};
    out->label = gw_labelled_set_all_values(set);
    return out->label ? GW_OK : GW_ERR_MEMORY;
}

// How sets are read, all rows of them.
static gw_labelled_options reading(const frozen_windows *w, const gw_eval_options *o) {
    gw_labelled_options read = {.genome = w->genome};
    if (!o->numbers) return read;
    read.numbers = true;
    read.missing = o->missing;
    read.tracks = o->tracks.items;
    read.track_count = o->tracks.count;
    read.labels = o->in.texts.label.items;
    read.label_count = o->tracks.count > 0 ? 0 : o->in.texts.label.count;
    return read;
}

// The rows of a part, those of its split; `required`: files without that split are an error.
static gw_status open_part(frozen_windows *w, const gw_eval_options *o, const gw_string_list *files, int part,
                           const char *split, bool required) {
    gw_labelled_options read = reading(w, o);
    read.split = split;
    read.split_required = required;
    return gw_labelled_set_open(files->items, files->count, &read, &w->set[part]);
}

static gw_status open_labelled(frozen_windows *w, const gw_eval_options *o, const gw_string_list *files, int part,
                               bool required) {
    GW_TRY(open_part(w, o, files, part, names[part], required));
    return take_window_labels(w->set[part], o->numbers, &w->labels[part]);
}

// Validation rows of files of their own; else those of the split "valid", where the training files have one; else none.
static gw_status open_valid(frozen_windows *w, const gw_eval_options *o) {
    if (o->valid.count > 0) return open_labelled(w, o, &o->valid, VALID, false);
    const gw_labelled_options every = reading(w, o);
    gw_labelled_set *all;
    GW_TRY(gw_labelled_set_open(o->frozen.items, o->frozen.count, &every, &all));
    const bool splits = gw_labelled_set_count(all) > w->labels[TRAIN].rows;
    gw_labelled_set_close(all);
    w->labels[VALID].labels = w->labels[TRAIN].labels;
    return splits ? open_labelled(w, o, &o->frozen, VALID, true) : GW_OK;
}

// Training windows are options->frozen, those of their split "train" where they have splits; validation windows
// options->valid, or the split "valid" of the same files; test windows options->in.sets. Free it, also on failure.
static gw_status open_windows(const gw_eval_options *o, frozen_windows *out) {
    *out = (frozen_windows){0};
    if (o->in.fasta) GW_TRY(gw_genome_open(o->in.fasta, &out->genome));
    GW_TRY(open_labelled(out, o, &o->frozen, TRAIN, false));
    GW_TRY(open_valid(out, o));
    GW_TRY(open_part(out, o, &o->in.sets, TEST, o->split ? o->split : names[TEST], o->split != NULL));
    GW_TRY(gw_drop_seen(out->set[TEST], o, out->genome));
    GW_TRY(take_window_labels(out->set[TEST], o->numbers, &out->labels[TEST]));
    for (int part = VALID; part < PARTS; part++)
        if (out->labels[part].labels != out->labels[TRAIN].labels)
            return gw_fail(GW_ERR_MISMATCH, "the %s set has %lld labels, the training set %lld", names[part],
                           (long long)out->labels[part].labels, (long long)out->labels[TRAIN].labels);
    return GW_OK;
}

// A column for the second of two classes, or one for each class, or those of independent labels.
static gw_status take_text_labels(const gw_text_set *set, gw_probe_labels *out) {
    const bool two = set->labels == GW_TEXT_ONE && set->classes == 2;
    *out = (gw_probe_labels){.rows = set->rows,
                             .labels = two ? 1 : set->classes,
                             .exclusive = set->labels == GW_TEXT_ONE && !two,
                             .numbers = set->labels == GW_TEXT_NUMBERS};
    out->label = gw_alloc(out->rows * out->labels, sizeof *out->label);
    if (!out->label) return GW_ERR_MEMORY;
    for (int64_t i = 0; i < out->rows; i++)
        for (int64_t l = 0; l < out->labels; l++)
            out->label[i * out->labels + l] = set->number ? set->number[i * out->labels + l]
                                              : two       ? (float)(set->label[i] == 1)
                                                          : (float)(set->label[i] == l);
    return GW_OK;
}

static gw_status read_part(const gw_model *model, const gw_string_list *files, const gw_text_options *texts, int part,
                           frozen_texts *out) {
    GW_TRY(gw_text_set_read(files->items, files->count, model->tokenizer, texts, &out->names, &out->set[part]));
    if (out->set[part].cut > 0)
        gw_note("%s: %lld of %lld texts are cut to %lld tokens", names[part], (long long)out->set[part].cut,
                (long long)out->set[part].rows, (long long)texts->most);
    return GW_OK;
}

// Free it, also on failure.
static gw_status read_texts(const gw_model *model, const gw_eval_options *o, frozen_texts *out) {
    *out = (frozen_texts){.names = {.open = true}};
    gw_text_options texts = gw_texts_complete(&o->in.texts, gw_text_preset_by_name(o->in.preset));
    texts.labels = o->numbers ? GW_TEXT_NUMBERS : texts.label.count > 1 ? GW_TEXT_MANY : GW_TEXT_ONE;
    GW_TRY(gw_texts_fit(&model->config, &texts));
    GW_TRY(read_part(model, &o->frozen, &texts, TRAIN, out));
    out->names.open = false;
    if (o->valid.count > 0) GW_TRY(read_part(model, &o->valid, &texts, VALID, out));
    GW_TRY(read_part(model, &o->in.sets, &texts, TEST, out));
    for (int part = 0; part < PARTS; part++)
        if (out->set[part].rows > 0) GW_TRY(take_text_labels(&out->set[part], &out->labels[part]));
    return GW_OK;
}

// --- features

// What a model makes of sequences without being trained on them: for each row of a set the mean of its
// tokens' last hidden states.
//
//   x_i = sum over sequences s of row i, share_s / |T_s| sum over t in T_s of h_t
//
// T_s are the tokens of s that are not special, but for unknown ones, which stand for what the text has. The shares of
// a row's sequences add up to 1: pieces of a long window count by their tokens, strands count alike.
//
// Sequences wait in a batch; a batch that is full is run, and its hidden states are added to the rows they belong to.

typedef struct {
    const gw_model *model;
    gw_batch batch;
    gw_frame frame;
    gw_encoder *encoder;
    gw_forward forward;
    int64_t rows;  // of the set
    int64_t *row;  // [sequences of a batch] whose it is
    double *share; // [sequences of a batch]
    double *sum;   // [width]
    float *value;  // [rows][width]
    char *turned;  // a window's other strand
    int64_t turned_capacity;
} collector;

static gw_status add_mean(collector *c, int64_t sequence, const float *hidden) {
    const gw_rows *stream = &c->batch.of[GW_ROWS_TOKENS];
    const gw_tokenizer *tokenizer = c->model->tokenizer;
    const int32_t unknown = gw_tokenizer_special(tokenizer, GW_SPECIAL_UNK);
    const int64_t width = c->model->config.width;
    int64_t tokens = 0;
    memset(c->sum, 0, (size_t)width * sizeof *c->sum);
    for (int64_t t = stream->start[sequence]; t < stream->start[sequence + 1]; t++) {
        const int32_t token = stream->token[t];
        if (gw_tokenizer_is_special(tokenizer, token) && token != unknown) continue; // unknown text is text
        for (int64_t i = 0; i < width; i++) c->sum[i] += (double)hidden[t * width + i];
        tokens++;
    }
    float *value = c->value + c->row[sequence] * width;
    for (int64_t i = 0; tokens > 0 && i < width; i++) {
        value[i] += (float)(c->share[sequence] / (double)tokens * c->sum[i]);
        if (!isfinite(value[i])) return gw_output_not_finite();
    }
    return GW_OK;
}

static gw_status take_batch(void *context, const gw_losses *losses) {
    (void)losses;
    collector *c = context;
    const gw_rows *stream = &c->batch.of[GW_ROWS_TOKENS];
    const float *hidden = gw_network_hidden(c->forward.network);
    if (!hidden) return GW_ERR_IO;
    for (int64_t s = 0; s < stream->sequences; s++) GW_TRY(add_mean(c, s, hidden));
    if (stream->sequences > 0) gw_progress("features", c->row[stream->sequences - 1], c->rows, "rows", NULL);
    return GW_OK;
}

static gw_status make(collector *c, gw_model *model, int64_t rows, int64_t longest) {
    const int64_t width = model->config.width, positions = gw_config_longest(&model->config);
    const gw_network_options network = {
        .tokens = gw_forward_tokens(0, gw_min(longest, positions)),
        .sequences = GW_FORWARD_SEQUENCES,
        .output_rows = GW_OUTPUT_ALL,
        .layers = model->config.layers > 0 ? (int)model->config.layers : -1, // of a stem alone: all there is
    };
    *c = (collector){.model = model, .rows = rows};
    c->row = gw_alloc(GW_FORWARD_SEQUENCES, sizeof *c->row);
    c->share = gw_alloc(GW_FORWARD_SEQUENCES, sizeof *c->share);
    c->sum = gw_alloc(width, sizeof *c->sum);
    c->value = gw_alloc(rows * width, sizeof *c->value);
    if (!c->row || !c->share || !c->sum || !c->value) return GW_ERR_MEMORY;
    GW_TRY(gw_tokenizer_frame(model->tokenizer, &c->frame));
    GW_TRY(gw_encoder_new(model->tokenizer, &c->encoder));
    GW_TRY(gw_rows_make(&c->batch.of[GW_ROWS_TOKENS], network.tokens, GW_FORWARD_SEQUENCES,
                        GW_WITH_TOKEN | GW_WITH_SEGMENT));
    GW_TRY(gw_forward_make(&c->forward, model, &network, &c->batch, c));
    c->forward.ran = take_batch;
    return GW_OK;
}

static void release(collector *c) {
    gw_forward_free(&c->forward);
    gw_encoder_free(c->encoder);
    gw_batch_free(&c->batch);
    free(c->row);
    free(c->share);
    free(c->sum);
    free(c->value);
    free(c->turned);
}

// A sequence with its special tokens; segments NULL: all 0.
static gw_status add_sequence(collector *c, int64_t row, double share, const int32_t *tokens, const int32_t *segments,
                              int64_t count) {
    gw_rows *stream = &c->batch.of[GW_ROWS_TOKENS];
    const int32_t last_segment = (int32_t)c->model->config.segments - 1;
    GW_TRY(gw_forward_reserve(&c->forward, count, 0));
    c->row[stream->sequences] = row;
    c->share[stream->sequences] = share;
    for (int64_t i = 0; i < count; i++) {
        stream->segment[stream->count] = (int32_t)gw_min(segments ? segments[i] : 0, last_segment);
        stream->token[stream->count++] = tokens[i];
    }
    gw_rows_end_sequence(stream);
    return GW_OK;
}

// The rows as the regression takes them: all features of each.
static gw_status finish(collector *c, gw_sparse_rows *out) {
    const int64_t width = c->model->config.width, values = c->rows * width;
    GW_TRY(gw_forward_run(&c->forward));
    gw_progress_end();
    *out = (gw_sparse_rows){.rows = c->rows, .features = width};
    out->start = gw_alloc(c->rows + 1, sizeof *out->start);
    out->feature = gw_alloc(values, sizeof *out->feature);
    out->value = gw_alloc(values, sizeof *out->value);
    if (!out->start || !out->feature || !out->value) return GW_ERR_MEMORY;
    for (int64_t i = 0; i <= c->rows; i++) out->start[i] = i * width;
    for (int64_t i = 0; i < values; i++) out->feature[i] = (uint16_t)(i % width);
    memcpy(out->value, c->value, (size_t)values * sizeof *c->value);
    return GW_OK;
}

// A window's tokens in as many pieces as the positions ask for, each in its frame.
static gw_status add_window(collector *c, int64_t row, double share, const char *bases, int64_t length,
                            int32_t *framed) {
    const int64_t most = gw_config_longest(&c->model->config) - gw_frame_tokens(&c->frame);
    const int32_t *tokens;
    int64_t count;
    GW_TRY(gw_encode(c->encoder, bases, length, &tokens, &count));
    for (int64_t begin = 0; begin < count; begin += most) {
        const int64_t piece = gw_min(count - begin, most);
        const int64_t all = gw_frame_put(&c->frame, tokens + begin, piece, framed);
        GW_TRY(add_sequence(c, row, share * (double)piece / (double)count, framed, NULL, all));
    }
    return GW_OK;
}

static gw_status add_windows(collector *c, gw_labelled_set *set, bool both_strands, int32_t *framed) {
    for (int64_t i = 0; i < c->rows; i++) {
        const char *bases;
        int64_t length;
        GW_TRY(gw_check_interrupt());
        GW_TRY(gw_labelled_set_bases(set, i, &bases, &length));
        GW_TRY(add_window(c, i, both_strands ? 0.5 : 1, bases, length, framed));
        if (!both_strands) continue;
        GW_TRY(gw_reserve(&c->turned, &c->turned_capacity, length, 1));
        gw_reverse_complement(bases, length, c->turned);
        GW_TRY(add_window(c, i, 0.5, c->turned, length, framed));
    }
    return GW_OK;
}

// Features [rows][width of the model] of a set's windows, all of them, as rows of features; of both strands the mean of
// the two. A window longer than the model's positions is read in pieces. Free them with gw_sparse_rows_free(), also on
// failure.
static gw_status window_features(gw_model *model, gw_labelled_set *set, bool both_strands, gw_sparse_rows *out) {
    const int64_t positions = gw_config_longest(&model->config);
    collector c;
    *out = (gw_sparse_rows){0};
    int32_t *framed = gw_alloc(positions, sizeof *framed);
    gw_status status = make(&c, model, gw_labelled_set_count(set), positions);
    if (status == GW_OK) status = framed ? add_windows(&c, set, both_strands, framed) : GW_ERR_MEMORY;
    if (status == GW_OK) status = finish(&c, out);
    release(&c);
    free(framed);
    return status;
}

// The same of texts, or pairs, as they are cut for the model.
static gw_status text_features(gw_model *model, const gw_text_set *set, gw_sparse_rows *out) {
    collector c;
    *out = (gw_sparse_rows){0};
    gw_status status = make(&c, model, set->rows, set->longest);
    for (int64_t i = 0; status == GW_OK && i < set->rows; i++) {
        const int64_t begin = set->start[i];
        status = add_sequence(&c, i, 1, set->token + begin, set->segment + begin, set->start[i + 1] - begin);
    }
    if (status == GW_OK) status = finish(&c, out);
    release(&c);
    return status;
}

// --- the table

// A ridge regression has the square of its features.
enum { FIRST_K = 3, LAST_K = 6, LAST_K_OF_NUMBERS = 5 };

typedef struct {
    const gw_eval_options *options;
    gw_table_writer *out;
    gw_probe_result *results; // [seeds]
    const char *const *names; // of the metrics
    int metrics;
} evaluation;

typedef struct {
    gw_sparse_rows rows[PARTS];
    const gw_probe_labels *labels; // [parts]
} parts;

static void free_rows(parts *of) {
    for (int part = 0; part < PARTS; part++) gw_sparse_rows_free(&of->rows[part]);
}

static gw_status probe(const parts *of, uint64_t seed, gw_probe_result *out) {
    gw_probe_part part[PARTS];
    for (int i = 0; i < PARTS; i++) part[i] = (gw_probe_part){&of->rows[i], &of->labels[i]};
    return gw_probe(&part[TRAIN], &part[VALID], &part[TEST], seed, out);
}

static int by_strength(const void *a, const void *b) {
    const double x = ((const gw_probe_result *)a)->strength, y = ((const gw_probe_result *)b)->strength;
    return (x > y) - (x < y);
}

// A metric's mean over the seeds, and its standard deviation.
static void write_metric(const evaluation *e, int metric) {
    const int64_t seeds = e->options->seeds;
    double mean = 0, squares = 0;
    for (int64_t s = 0; s < seeds; s++) mean += e->results[s].of[metric] / (double)seeds;
    for (int64_t s = 0; s < seeds; s++)
        squares += (e->results[s].of[metric] - mean) * (e->results[s].of[metric] - mean);
    gw_cell_real(e->out, mean);
    gw_cell_real(e->out, seeds < 2 ? (double)NAN : sqrt(squares / (double)(seeds - 1)));
}

static gw_status write_line(const evaluation *e, const char *predictor, int64_t features,
                            const gw_probe_labels *labels) {
    const int64_t seeds = e->options->seeds;
    gw_cell_text(e->out, predictor);
    gw_cell_integer(e->out, features);
    gw_cell_integer(e->out, labels[TRAIN].rows);
    gw_cell_integer(e->out, labels[VALID].rows);
    gw_cell_integer(e->out, labels[TEST].rows);
    gw_cell_integer(e->out, labels[TRAIN].labels);
    qsort(e->results, (size_t)seeds, sizeof *e->results, by_strength);
    gw_cell_real(e->out, e->results[seeds / 2].strength);
    for (int m = 0; m < e->metrics; m++) write_metric(e, m);
    return gw_row_end(e->out);
}

static gw_status rate(const evaluation *e, const char *predictor, const parts *of) {
    for (int64_t s = 0; s < e->options->seeds; s++) GW_TRY(probe(of, e->options->seed + (uint64_t)s, &e->results[s]));
    return write_line(e, predictor, of->rows[TRAIN].features, of->labels);
}

static gw_status open_table(evaluation *e) {
    static const char *const counts[] = {"features", "train", "valid", "test", "labels"};
    gw_columns columns = {0};
    gw_columns_add(&columns, GW_COLUMN_TEXT, NULL, "predictor");
    for (int i = 0; i < 5; i++) gw_columns_add(&columns, GW_COLUMN_INTEGER, NULL, "%s", counts[i]);
    gw_columns_add(&columns, GW_COLUMN_DOUBLE, NULL, "strength");
    for (int m = 0; m < e->metrics; m++) {
        gw_columns_add(&columns, GW_COLUMN_DOUBLE, "%.6f", "%s", e->names[m]);
        gw_columns_add(&columns, GW_COLUMN_DOUBLE, "%.6f", "%s_sd", e->names[m]);
    }
    return gw_table_writer_open(e->options->in.output, &columns, "NA", &e->out);
}

// --- windows ---------------------------------------------------------------------------------------------------------

static gw_status count_kmers(gw_labelled_set *set, int k, bool both_strands, gw_sparse_rows *out) {
    gw_kmer_rows kmers;
    gw_status status = gw_kmer_rows_make(&kmers, k, both_strands);
    for (int64_t i = 0; status == GW_OK && i < gw_labelled_set_count(set); i++) {
        const char *bases;
        int64_t length;
        status = gw_labelled_set_bases(set, i, &bases, &length);
        if (status == GW_OK) status = gw_kmer_rows_add(&kmers, bases, length);
    }
    *out = kmers.rows;
    kmers.rows = (gw_sparse_rows){0};
    gw_kmer_rows_free(&kmers);
    return status;
}

// The k of the least mean loss on validation rows over the seeds.
static gw_status rate_kmers(const evaluation *e, frozen_windows *w) {
    gw_probe_result *best = gw_alloc(e->options->seeds, sizeof *best);
    double least = INFINITY;
    int64_t features = 0;
    int chosen = 0;
    gw_status status = best ? GW_OK : GW_ERR_MEMORY;
    const int last = e->options->numbers ? LAST_K_OF_NUMBERS : LAST_K;
    for (int k = FIRST_K; status == GW_OK && k <= last; k++) {
        parts of = {.labels = w->labels};
        double loss = 0;
        for (int part = 0; status == GW_OK && part < PARTS; part++)
            if (w->set[part])
                status = count_kmers(w->set[part], k, e->options->in.strands == GW_STRANDS_BOTH, &of.rows[part]);
        for (int64_t s = 0; status == GW_OK && s < e->options->seeds; s++) {
            status = probe(&of, e->options->seed + (uint64_t)s, &e->results[s]);
            loss += e->results[s].valid_loss;
        }
        if (status == GW_OK && loss < least) {
            least = loss;
            chosen = k;
            features = of.rows[TRAIN].features;
            for (int64_t s = 0; s < e->options->seeds; s++) best[s] = e->results[s];
        }
        free_rows(&of);
    }
    for (int64_t s = 0; status == GW_OK && s < e->options->seeds; s++) e->results[s] = best[s];
    char name[16];
    snprintf(name, sizeof name, "%d-mers", chosen);
    if (status == GW_OK) status = write_line(e, name, features, w->labels);
    free(best);
    return status;
}

static gw_status rate_windows(const evaluation *e, gw_model *model, const char *name, frozen_windows *w) {
    parts of = {.labels = w->labels};
    gw_status status = GW_OK;
    for (int part = 0; status == GW_OK && part < PARTS; part++)
        if (w->set[part])
            status = window_features(model, w->set[part], e->options->in.strands == GW_STRANDS_BOTH, &of.rows[part]);
    if (status == GW_OK) status = rate(e, name, &of);
    free_rows(&of);
    return status;
}

static gw_status evaluate_windows(const evaluation *e, gw_model *const *models, int count) {
    frozen_windows windows;
    gw_status status = open_windows(e->options, &windows);
    for (int m = 0; status == GW_OK && m < count; m++)
        status = rate_windows(e, models[m], e->options->in.models.items[m], &windows);
    if (status == GW_OK) status = rate_kmers(e, &windows);
    for (int part = 0; part < PARTS; part++) {
        gw_labelled_set_close(windows.set[part]);
        gw_probe_labels_free(&windows.labels[part]);
    }
    gw_genome_close(windows.genome);
    return status;
}

// --- texts -----------------------------------------------------------------------------------------------------------

static gw_status rate_texts(const evaluation *e, gw_model *model, const char *name) {
    frozen_texts texts;
    gw_status status = read_texts(model, e->options, &texts);
    parts of = {.labels = texts.labels};
    for (int part = 0; status == GW_OK && part < PARTS; part++)
        if (texts.set[part].rows > 0) status = text_features(model, &texts.set[part], &of.rows[part]);
    if (status == GW_OK) status = rate(e, name, &of);
    free_rows(&of);
    for (int part = 0; part < PARTS; part++) {
        gw_text_set_free(&texts.set[part]);
        gw_probe_labels_free(&texts.labels[part]);
    }
    gw_label_names_free(&texts.names);
    return status;
}

static gw_status evaluate_texts(const evaluation *e, gw_model *const *models, int count) {
    if (e->options->split || e->options->without.count > 0 || e->options->in.strands != GW_STRANDS_BY_TASK)
        return gw_fail(GW_ERR_USAGE, "--split, --without and strands are for windows; the models read texts");
    if (e->options->tracks.count > 0 || e->options->missing)
        return gw_fail(
            GW_ERR_USAGE,
            "--track and --missing are for windows: NA and empty fields of texts always count as missing; the models "
            "read texts");
    for (int m = 0; m < count; m++) GW_TRY(rate_texts(e, models[m], e->options->in.models.items[m]));
    return GW_OK;
}

gw_status gw_eval_frozen(gw_model *const *models, int count, const gw_eval_options *options) {
    const bool dna = gw_tokenizer_is_dna(models[0]->tokenizer);
    evaluation e = {.options = options};
    for (int m = 0; m < count; m++) {
        if (models[m]->members)
            return gw_fail(GW_ERR_UNSUPPORTED, "a model of several networks has no hidden states of its own");
        if (gw_tokenizer_is_dna(models[m]->tokenizer) != dna)
            return gw_fail(GW_ERR_MISMATCH,
                           "some of the models read bases and some read texts: give models of one kind");
    }
    e.metrics = gw_probe_metric_names(options->numbers, &e.names);
    e.results = gw_alloc(options->seeds, sizeof *e.results);
    gw_status status = e.results ? open_table(&e) : GW_ERR_MEMORY;
    if (status == GW_OK) {
        status = dna ? evaluate_windows(&e, models, count) : evaluate_texts(&e, models, count);
        status = gw_table_writer_end(status, e.out);
    }
    free(e.results);
    return status;
}
