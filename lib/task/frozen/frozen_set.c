// SPDX-License-Identifier: MIT
// Opens the sets of each part, and takes their labels as columns of 0 and 1.
#include "task/frozen/frozen_set.h"

#include "base/log.h"
#include "base/memory.h"
#include "language/text_batch.h"
#include "language/text_presets.h"
#include "task/windows/evaluate_set.h"

#include <math.h>
#include <stdlib.h>

static const char *const names[GW_FROZEN_PARTS] = {"train", "valid", "test"};

static gw_status take_window_labels(const gw_labelled_set *set, bool numbers, gw_probe_labels *out) {
    *out = (gw_probe_labels){
        .rows = gw_labelled_set_count(set), .labels = gw_labelled_set_labels(set), .numbers = numbers};
    out->label = gw_labelled_set_all_values(set);
    return out->label ? GW_OK : GW_ERR_MEMORY;
}

// How sets are read, all rows of them.
static gw_labelled_options reading(const gw_frozen_windows *w, const gw_eval_options *o) {
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
static gw_status open_part(gw_frozen_windows *w, const gw_eval_options *o, const gw_string_list *files, int part,
                           const char *split, bool required) {
    gw_labelled_options read = reading(w, o);
    read.split = split;
    read.split_required = required;
    return gw_labelled_set_open(files->items, files->count, &read, &w->set[part]);
}

static gw_status open_labelled(gw_frozen_windows *w, const gw_eval_options *o, const gw_string_list *files, int part,
                               bool required) {
    GW_TRY(open_part(w, o, files, part, names[part], required));
    return take_window_labels(w->set[part], o->numbers, &w->labels[part]);
}

// Validation rows of files of their own; else those of the split "valid", where the training files have one; else none.
static gw_status open_valid(gw_frozen_windows *w, const gw_eval_options *o) {
    if (o->valid.count > 0) return open_labelled(w, o, &o->valid, GW_FROZEN_VALID, false);
    const gw_labelled_options every = reading(w, o);
    gw_labelled_set *all;
    GW_TRY(gw_labelled_set_open(o->frozen.items, o->frozen.count, &every, &all));
    const bool splits = gw_labelled_set_count(all) > w->labels[GW_FROZEN_TRAIN].rows;
    gw_labelled_set_close(all);
    w->labels[GW_FROZEN_VALID].labels = w->labels[GW_FROZEN_TRAIN].labels;
    return splits ? open_labelled(w, o, &o->frozen, GW_FROZEN_VALID, true) : GW_OK;
}

static gw_status check_labels(const gw_frozen_windows *w) {
    for (int part = GW_FROZEN_VALID; part < GW_FROZEN_PARTS; part++)
        if (w->labels[part].labels != w->labels[GW_FROZEN_TRAIN].labels)
            return gw_fail(GW_ERR_MISMATCH, "the %s set has %lld labels, the training set %lld", names[part],
                           (long long)w->labels[part].labels, (long long)w->labels[GW_FROZEN_TRAIN].labels);
    return GW_OK;
}

gw_status gw_frozen_windows_open(const gw_eval_options *o, gw_frozen_windows *out) {
    *out = (gw_frozen_windows){0};
    if (o->in.fasta) GW_TRY(gw_genome_open(o->in.fasta, &out->genome));
    GW_TRY(open_labelled(out, o, &o->frozen, GW_FROZEN_TRAIN, false));
    GW_TRY(open_valid(out, o));
    GW_TRY(
        open_part(out, o, &o->in.sets, GW_FROZEN_TEST, o->split ? o->split : names[GW_FROZEN_TEST], o->split != NULL));
    GW_TRY(gw_drop_seen(out->set[GW_FROZEN_TEST], o, out->genome));
    GW_TRY(take_window_labels(out->set[GW_FROZEN_TEST], o->numbers, &out->labels[GW_FROZEN_TEST]));
    return check_labels(out);
}

void gw_frozen_windows_close(gw_frozen_windows *windows) {
    for (int part = 0; part < GW_FROZEN_PARTS; part++) {
        gw_labelled_set_close(windows->set[part]);
        gw_probe_labels_free(&windows->labels[part]);
    }
    gw_genome_close(windows->genome);
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
                           gw_frozen_texts *out) {
    GW_TRY(gw_text_set_read(files->items, files->count, model->tokenizer, texts, &out->names, &out->set[part]));
    if (out->set[part].cut > 0)
        gw_note("%s: %lld of %lld texts are cut to %lld tokens", names[part], (long long)out->set[part].cut,
                (long long)out->set[part].rows, (long long)texts->most);
    return GW_OK;
}

gw_status gw_frozen_texts_read(const gw_model *model, const gw_eval_options *o, gw_frozen_texts *out) {
    *out = (gw_frozen_texts){.names = {.open = true}};
    gw_text_options texts = gw_texts_complete(&o->in.texts, gw_text_preset_by_name(o->in.preset));
    texts.labels = o->numbers ? GW_TEXT_NUMBERS : texts.label.count > 1 ? GW_TEXT_MANY : GW_TEXT_ONE;
    GW_TRY(gw_texts_fit(&model->config, &texts));
    GW_TRY(read_part(model, &o->frozen, &texts, GW_FROZEN_TRAIN, out));
    out->names.open = false;
    if (o->valid.count > 0) GW_TRY(read_part(model, &o->valid, &texts, GW_FROZEN_VALID, out));
    GW_TRY(read_part(model, &o->in.sets, &texts, GW_FROZEN_TEST, out));
    for (int part = 0; part < GW_FROZEN_PARTS; part++)
        if (out->set[part].rows > 0) GW_TRY(take_text_labels(&out->set[part], &out->labels[part]));
    return GW_OK;
}

void gw_frozen_texts_free(gw_frozen_texts *texts) {
    for (int part = 0; part < GW_FROZEN_PARTS; part++) {
        gw_text_set_free(&texts->set[part]);
        gw_probe_labels_free(&texts->labels[part]);
    }
    gw_label_names_free(&texts->names);
}
