// SPDX-License-Identifier: MIT
// Declares tensors: names them, and finds them, or lists them by running a description over a plan without steps.
#include "model/builder.h"

#include "base/memory.h"
#include "model/family.h"
#include "model/head.h"
#include "model/mixer.h"
#include "nn/convolution.h"
#include "text/dna/vocabulary.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_DIMENSIONS = 3 };

void gw_builder_scope(gw_builder *b, const char *stem, int number) {
    b->scope[0] = 0;
    b->number = number;
    if (stem) snprintf(b->scope, sizeof b->scope, "%s.%d.", stem, number);
}

bool gw_reads_pooler(const gw_builder *b) {
    const gw_head_pooler pooler = gw_head_of(b->config->head)->pooler;
    if (b->of.transforms == GW_TRANSFORMS_ALL) return false;
    return pooler == GW_POOLER_READ || (pooler == GW_POOLER_OR_DENSE && b->of.labels == GW_LABELS_OF_POOLER);
}

// BERT's 0.02 suits rows of 768. A narrow model whose weights are that small hardly passes anything on, a product of
// several least of all: it begins near a saddle and stays there for hundreds of steps. Where the family says so, the
// variance of a product's weights is one by its inputs (LeCun et al., Efficient BackProp, 1998, section 4.6).
static double deviation_of(const gw_builder *b, const gw_parameter *p) {
    const double usual = b->config->initializer_range;
    const gw_role role = gw_role_of_tokens(p->role);
    const bool added = role == GW_ROLE_ATTENTION_OUTPUT || role == GW_ROLE_OUTPUT;
    const bool table = p->role <= GW_ROLE_SEGMENT || p->role == GW_ROLE_STEM_PLACE;
    if (b->deviation >= 0) return b->deviation;
    if (b->of.drawn_by == GW_DRAWN_BY_DEPTH && added) return usual / sqrt(2 * (double)b->config->layers);
    if ((b->of.drawn_by != GW_DRAWN_BY_INPUTS && b->of.drawn_by != GW_DRAWN_AS_TORCH) || table) return usual;
    const double inputs = (double)(p->dimensions == 3 ? p->shape[0] * p->shape[2] : p->shape[1]);
    return 1 / sqrt(b->of.drawn_by == GW_DRAWN_AS_TORCH ? 3 * inputs : inputs);
}

static gw_found_tensor declare(gw_builder *b, gw_parameter p, const char *stem, const char *kind) {
    const bool position = p.role == GW_ROLE_POSITION || p.role == GW_ROLE_DECODER_POSITION;
    for (p.count = 1; p.dimensions < MOST_DIMENSIONS && p.shape[p.dimensions] > 0; p.dimensions++)
        p.count *= p.shape[p.dimensions];
    p.layer = b->number;
    p.of_encoder = b->in_encoder;
    p.taps_last = p.dimensions == 3 && b->of.taps_last;
    p.absent = b->config->one_hot && p.role == GW_ROLE_TOKEN_EMBEDDING;
    p.fixed = p.absent || (b->of.sinusoids && position) || p.role == GW_ROLE_FREQUENCIES || p.role == GW_ROLE_CONTACTS;
    p.optional = p.fixed || (p.role == GW_ROLE_POOLER && !gw_reads_pooler(b));
    p.decay = p.dimensions > 1 && !p.bias && !p.fixed && p.begins_at == 0;

    // A lone segment is the same vector in every row. Drawn like the tokens' it would be as large as they are, and
    // after the norm what all rows have in common would drown what tells them apart: it begins at zero. The weights of
    // places add to a mean, and begin at zero too. A decoder finds its place in the source by positions, which are
    // distinguished from the first step on where they begin as sines and cosines; drawn, each would have to be met
    // often.
    const bool lone = p.role == GW_ROLE_SEGMENT && p.shape[0] == 1;
    if (p.absent) p.beginning = GW_BEGINS_ONE_HOT;
    else if (p.role == GW_ROLE_FREQUENCIES) {
        p.beginning = GW_BEGINS_FREQUENCIES;
        p.begins_at = b->config->rotary_base;
    } else if (b->config->decoder_layers > 0 && !b->of.twin && position) p.beginning = GW_BEGINS_SINUSOIDS;
    else if (p.decay && !lone && p.role != GW_ROLE_PLACES) {
        p.beginning = GW_BEGINS_DRAWN;
        p.begins_at = deviation_of(b, &p);
    }

    // A part's own name has a full stop where its stored tensor's name ends.
    const char *slash = strchr(stem, '/');
    const int whole = slash ? (int)(slash - stem) : (int)strlen(stem);
    snprintf(p.stored, sizeof p.stored, "%s%s%.*s%s", b->prefix, b->scope, whole, stem, kind);
    snprintf(p.name, sizeof p.name, "%s%s%.*s%s%s%s", b->prefix, b->scope, whole, stem, slash ? "." : "",
             slash ? slash + 1 : "", kind);
    p.parts = 1; // the list counts them
    if (b->of.twin && p.of_encoder) snprintf(p.twin, sizeof p.twin, "%s%s", b->of.twin, p.name + strlen(b->prefix));
    snprintf(b->last, sizeof b->last, "%s", p.stored);
    return b->find(b, &p);
}

void gw_declare_alias(gw_builder *b, const char *name, const char *kind) {
    gw_parameter_alias alias;
    if (!b->alias) return;
    snprintf(alias.name, sizeof alias.name, "%s%s", name, kind);
    snprintf(alias.stored, sizeof alias.stored, "%s", b->last);
    b->alias(b, &alias);
}

gw_weight gw_declare_weight(gw_builder *b, gw_role role, const char *stem, int64_t rows, int64_t columns) {
    return declare(b, (gw_parameter){.role = role, .shape = {rows, columns}}, stem, ".weight").weight;
}

gw_weight gw_declare_bias(gw_builder *b, gw_role role, const char *stem, int64_t count) {
    return declare(b, (gw_parameter){.role = role, .bias = true, .shape = {count}}, stem, ".bias").weight;
}

gw_weight gw_declare_convolution(gw_builder *b, gw_role role, const char *stem, int64_t taps, int64_t width,
                                 int64_t in) {
    return declare(b, (gw_parameter){.role = role, .shape = {taps, width, in}}, stem, ".weight").weight;
}

gw_weight gw_declare_buffer(gw_builder *b, gw_role role, const char *stem, bool bias, int64_t rows, int64_t columns) {
    return declare(b, (gw_parameter){.role = role, .bias = bias, .shape = {rows, columns}}, stem, "").weight;
}

static gw_linear declare_linear(gw_builder *b, gw_parameter weight, const char *stem, bool bias) {
    const gw_found_tensor found = declare(b, weight, stem, ".weight");
    const gw_weight none = {NULL, NULL};
    return (gw_linear){found.weight, bias ? gw_declare_bias(b, weight.role, stem, weight.shape[0]) : none, found.packed,
                       b->precision};
}

gw_linear gw_declare_linear(gw_builder *b, gw_role role, const char *stem, int64_t out, int64_t in, bool bias) {
    return declare_linear(b, (gw_parameter){.role = role, .shape = {out, in}, .multiplied = true}, stem, bias);
}

gw_linear gw_declare_slopes(gw_builder *b, gw_role role, const char *stem, int64_t out, bool bias) {
    const gw_parameter slopes = {.role = role, .shape = {out, 1}, .begins_at = 1, .multiplied = true};
    return declare_linear(b, slopes, stem, bias);
}

gw_norm gw_declare_norm(gw_builder *b, gw_role role, const char *stem, int64_t width) {
    const gw_parameter weight = {.role = role, .shape = {width}, .begins_at = 1};
    const gw_weight zeros = {b->zeros, NULL}; // no bias at all would be another norm (nn/layers.h)
    const gw_weight found = declare(b, weight, stem, ".weight").weight;
    return (gw_norm){found, b->config->norm_bias ? gw_declare_bias(b, role, stem, width) : zeros};
}

gw_tensor gw_build_letters(gw_builder *b) {
    enum { LETTERS = 4 };
    const gw_parameter table = {
        .role = GW_ROLE_TOKEN_EMBEDDING, .shape = {b->config->vocabulary, LETTERS}, .begins_at = GW_SPECIAL_TOKENS};
    const gw_embedding letters = {
        .token = declare(b, table, "letters", ".weight").weight, .token_scale = 1, .vocabulary = b->config->vocabulary};
    return gw_plan_embedding(b->plan, letters, LETTERS, b->rows.tokens);
}

gw_tensor gw_build_linear(gw_builder *b, gw_tensor x, gw_role role, const char *stem, int64_t out, bool bias) {
    return gw_plan_linear(b->plan, x, gw_declare_linear(b, role, stem, out, x.width, bias), out);
}

gw_tensor gw_build_norm(gw_builder *b, gw_tensor x, gw_role role, const char *stem) {
    return gw_plan_norm(b->plan, x, gw_declare_norm(b, role, stem, x.width), b->config->epsilon);
}

gw_tensor gw_build_convolution(gw_builder *b, gw_tensor x, const char *stem, int64_t width, int taps, int dilation,
                               bool bias) {
    gw_convolution convolution = {.weight =
                                      gw_declare_convolution(b, GW_ROLE_STEM_CONVOLUTION, stem, taps, width, x.width),
                                  .taps = taps,
                                  .dilation = dilation,
                                  .groups = 1,
                                  .precision = b->precision};
    if (bias) convolution.bias = gw_declare_bias(b, GW_ROLE_STEM_CONVOLUTION, stem, width);
    return gw_plan_convolution(b->plan, x, convolution, width);
}

bool gw_begin_tracks(gw_builder *b) {
    b->of = (gw_transformer){.prefix = "", .taps_last = true, .drawn_by = GW_DRAWN_AS_TORCH};
    return b->plan != NULL;
}

typedef struct {
    gw_parameters *list;
    int64_t capacity, alias_capacity;
    gw_status status;
} listing;

// A table that a product reads too is declared twice.
static gw_found_tensor list_tensor(gw_builder *b, const gw_parameter *declared) {
    listing *l = b->tensors;
    gw_parameters *parameters = l->list;
    const gw_found_tensor nothing = {0};
    for (int i = 0; i < parameters->count; i++)
        if (strcmp(parameters->list[i].name, declared->name) == 0) {
            parameters->list[i].multiplied |= declared->multiplied;
            return nothing;
        }
    if (l->status == GW_OK)
        l->status = gw_reserve(&parameters->list, &l->capacity, parameters->count + 1, sizeof *parameters->list);
    if (l->status != GW_OK) return nothing;
    gw_parameter *last = &parameters->list[parameters->count++];
    *last = *declared;
    last->part = 0;
    for (gw_parameter *p = parameters->list; p < last; p++) last->part += strcmp(p->stored, last->stored) == 0;
    for (gw_parameter *p = parameters->list; p <= last; p++)
        if (strcmp(p->stored, last->stored) == 0) p->parts = last->part + 1;
    return nothing;
}

static void list_alias(gw_builder *b, const gw_parameter_alias *alias) {
    listing *l = b->tensors;
    gw_parameters *parameters = l->list;
    if (l->status == GW_OK)
        l->status = gw_reserve(&parameters->alias, &l->alias_capacity, parameters->alias_count + 1, sizeof *alias);
    if (l->status == GW_OK) parameters->alias[parameters->alias_count++] = *alias;
}

// What a mixer makes of a layer is as wide as its values.
static gw_tensor list_mixer(gw_builder *b, int layer, gw_tensor query, gw_tensor key, gw_tensor value) {
    gw_mixer_of(b->config->mixer)->describe(b, layer, query, key, value);
    return value;
}

static void list_head(gw_builder *b, gw_tensor hidden, gw_tensor beside) {
    (void)beside;
    gw_head_of(b->config->head)->describe(b, hidden);
}

gw_status gw_parameters_make(const gw_config *config, gw_parameters *out) {
    *out = (gw_parameters){0};
    gw_plan no_steps = {.status = GW_ERR_MEMORY}; // describing goes on after a failure, and appends nothing
    for (int i = 0; i < GW_BATCH_ROWS; i++) no_steps.rows[i].each_sequence = true; // of the one stream of tokens
    listing list = {.list = out};
    gw_builder b = {.config = config,
                    .plan = &no_steps,
                    .layers = (int)config->layers,
                    .mix = list_mixer,
                    .end = list_head,
                    .find = list_tensor,
                    .alias = list_alias,
                    .lists = true,
                    .tensors = &list,
                    .prefix = "",
                    .deviation = -1};
    gw_family_of(config->family)->describe(&b);
    out->bare = gw_head_of(config->head)->bare;
    snprintf(out->prefix, sizeof out->prefix, "%s", b.of.prefix);
    gw_parameters_set_offsets(out);
    if (list.status != GW_OK) gw_parameters_free(out);
    return list.status;
}
