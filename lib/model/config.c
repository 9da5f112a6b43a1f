// SPDX-License-Identifier: MIT
// Configs in memory: presets, defaults of each family, copies, patterns.
#include "model/config.h"

#include "base/memory.h"
#include "base/parse.h"
#include "base/string.h"
#include "model/config_reader.h"
#include "model/family.h"
#include "model/head.h"
#include "model/mixer.h"
#include "model/model_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const gw_problem_names[3] = {"multi_label_classification", "single_label_classification", "regression"};
const char *const gw_pooling_names[GW_SEQUENCE_POOLINGS] = {"first", "mean", "places", "attention", "flatten"};
const char *const gw_activation_names[6] = {"linear", "gelu_new", "gelu", "relu", "tanh", "silu"};

const char *gw_config_activation(gw_activation activation) {
    return gw_activation_names[activation];
}

void gw_architecture_name(gw_family family, gw_head head, char name[64]) {
    const char *suffix = gw_family_nests(family) ? "" : gw_head_of(head)->suffix;
    snprintf(name, 64, "%s%s", gw_family_of(family)->prefix, suffix);
}

bool gw_family_nests(gw_family family) {
    return gw_family_network(family).twin;
}

gw_problem gw_problem_by_labels(int64_t labels) {
    return labels == 1 ? GW_PROBLEM_REGRESSION : GW_PROBLEM_SINGLE_LABEL;
}

bool gw_config_predicts_masked(const gw_config *config) {
    return gw_head_of(config->head)->masked;
}

int64_t gw_config_pooled_rows(const gw_config *config) {
    return gw_stem_rows(&config->stem, gw_stem_end_level(&config->stem), config->positions);
}

int gw_config_levels(const gw_config *config, int factor[GW_STEM_LEVELS]) {
    const gw_family_row *family = gw_family_of(config->family);
    if (family->levels) return family->levels(config, factor);
    for (int level = 0; level < GW_STEM_LEVELS; level++) factor[level] = config->stem.factor[level];
    factor[0] = 1;
    return config->stem.levels;
}

bool gw_config_has_tracks(const gw_config *config) {
    return gw_family_of(config->family)->tracks != NULL;
}

int64_t gw_position_after_pad(const gw_config *config) {
    return config->rotary == 0 ? config->pad + 1 : 0;
}

int64_t gw_config_first_position(const gw_config *config) {
    const gw_family_row *family = gw_family_of(config->family);
    return family->first_position ? family->first_position(config) : 0;
}

int64_t gw_config_longest(const gw_config *config) {
    return config->positions - gw_config_first_position(config);
}

int64_t gw_config_source_begin(const gw_config *config) {
    return gw_family_network(config->family).twin ? config->decoder_start : -1;
}

bool gw_config_has_layout(const gw_config *config) {
    return config->layout && !config->pattern.full && !gw_mixer_of(config->mixer)->words;
}

gw_config gw_config_defaults(gw_family family) {
    const gw_family_row *row = gw_family_of(family);
    gw_config config = {
        .family = family,
        .head = GW_HEAD_PRETRAINING,
        .vocabulary = 30522,
        .width = 768,
        .layers = 12,
        .heads = 12,
        .feed_forward = 3072,
        .activation = GW_ACTIVATION_GELU_EXACT,
        .positions = 512,
        .segments = 2,
        .epsilon = 1e-12,
        .dropout = 0.1,
        .classifier_dropout = 0.1,
        .initializer_range = 0.02,
        .pattern = {.block = 64, .full = true},
        .bias = true,
        .norm_bias = true,
        .feed_forward_bias = true,
        .head_bias = true,
        .decoder_bias = true,
        .tied = true,
        .embedding_norm = true,
        .mask = -1,
        .rotary_base = 10000,
        .local_rotary_base = 10000,
        .separator = -1,
        .begin = -1,
        .positive_weight = 1,
        .tss_offset = -1,
    };
    for (int i = 0; row->numbers && row->numbers[i].key; i++) config.number[i] = row->numbers[i].usual;
    if (row->set_defaults) row->set_defaults(&config);
    return config;
}

gw_transformer gw_family_network(gw_family family) {
    const gw_config config = gw_config_defaults(family);
    gw_builder b = {.config = &config};
    gw_family_of(family)->describe(&b);
    return b.of;
}

// Families whose own pretraining goes without sentence pairs, as RoBERTa's, have no class for them.
bool gw_family_has_head(gw_family family, gw_head head) {
    const gw_config config = gw_config_defaults(family);
    const gw_head_row *asked = gw_head_of(head);
    if (asked->generates != (config.decoder_layers > 0)) return false;
    if (asked->tracks != gw_config_has_tracks(&config)) return false;
    if (asked->answers && !gw_family_network(family).questions) return false;
    return !asked->pairs || gw_head_of(config.head)->pairs;
}

// Four residual units and a skip, as SpliceAI has them.
#define UNITS(taps, dilation) "+leaky-unit:" taps "@" dilation "," dilation "," dilation "," dilation "+skip"

gw_status gw_config_preset(const char *size, gw_config *out) {
    static const struct {
        const char *name;
        int64_t layers, width, heads, positions;
        const char *stem;
    } presets[] = {
        {"modern-tiny", 6, 128, 2, 1024, NULL},
        {"modern-base", 22, 768, 12, 8192, NULL},
        {"pegasus-mini", 2, 64, 4, 1024, NULL},
        {"pegasus-tiny", 2, 128, 4, 1024, NULL},
        {"pegasus-small", 4, 256, 8, 4096, NULL},
        {"pegasus-base", 12, 768, 12, 4096, NULL},
        {"pegasus-large", 16, 1024, 16, 4096, NULL},
        {"tiny", 4, 128, 2, 1024, NULL},
        {"small", 6, 384, 6, 4096, NULL},
        {"base", 12, 768, 12, 4096, NULL},
        {"large", 24, 1024, 16, 4096, NULL},
        {"dna-mini", 2, 64, 4, 1024, "conv:15+res:9@1"},
        {"dna-tiny", 2, 128, 4, 1024, "res:9@1,2,4,8,16,32,1,2"},
        {"dna-small", 4, 256, 8, 4096, "res:9@1,2,4,8,16,32,1,2,4,8"},
        {"dna-base", 6, 640, 10, 8192, "res:9@1,2,4,8,16,32,1,2,4,8,16,32"},
        {"splice-80", 0, 32, 1, 1 << 20, "letters:32+skip" UNITS("11", "1")},
        {"splice-400", 0, 32, 1, 1 << 20, "letters:32+skip" UNITS("11", "1") UNITS("11", "4")},
        {"splice-2000", 0, 32, 1, 1 << 20, "letters:32+skip" UNITS("11", "1") UNITS("11", "4") UNITS("21", "10")},
        {"splice-10000", 0, 32, 1, 1 << 20,
         "letters:32+skip" UNITS("11", "1") UNITS("11", "4") UNITS("21", "10") UNITS("41", "25")},
    };
    for (size_t i = 0; i < sizeof presets / sizeof *presets; i++) {
        if (strcmp(presets[i].name, size) != 0) continue;
        const bool decodes = gw_has_prefix(size, "pegasus"), modern = gw_has_prefix(size, "modern");
        *out = gw_config_defaults(gw_has_prefix(size, "splice") ? GW_FAMILY_SPLICE
                                  : presets[i].stem             ? GW_FAMILY_DNA
                                  : decodes                     ? GW_FAMILY_BIGBIRD_PEGASUS
                                  : modern                      ? GW_FAMILY_MODERNBERT
                                                                : GW_FAMILY_BIGBIRD);
        out->vocabulary = 0; // the tokenizer's
        out->pad = out->separator = out->begin = GW_CONFIG_OPEN;
        out->layers = presets[i].layers;
        out->width = presets[i].width;
        out->heads = presets[i].heads;
        out->positions = presets[i].positions;
        out->feed_forward = 4 * presets[i].width;
        // weights of 0.02 hardly pass anything on in rows that are narrow (builder.c says more of that)
        if ((decodes || modern) && out->width < 512) out->initializer_range = 1 / sqrt((double)out->width);
        if (decodes) { // as deep and as wide as the encoder
            out->decoder_layers = out->layers;
            out->decoder_heads = out->heads;
            out->decoder_feed_forward = out->feed_forward;
            out->decoder_start = out->end = GW_CONFIG_OPEN;
        }
        if (modern) out->feed_forward = 3 * out->width / 2;
        if (modern) out->rotary = out->width / out->heads;
        if (!presets[i].stem) return GW_OK;
        out->rotary = out->width / out->heads;
        out->dropout = out->classifier_dropout = 0;
        return gw_stem_parse(presets[i].stem, out->width, &out->stem);
    }
    return gw_fail(
        GW_ERR_RANGE,
        "unknown model size '%s': tiny, small, base or large; as ModernBERT modern-tiny or modern-base; of single "
        "bases dna-mini, dna-tiny, dna-small or dna-base, or splice-80, splice-400, splice-2000 or splice-10000 of "
        "convolutions alone; with a decoder pegasus-mini, pegasus-tiny, pegasus-small, "
        "pegasus-base or pegasus-large",
        size);
}

double gw_config_positive_weight(const gw_config *config, int64_t label) {
    return config->positive_weights ? config->positive_weights[label] : config->positive_weight;
}

bool gw_config_has_numbers(const gw_config *config) {
    return config->labels > 0 && gw_head_of(config->head)->problem && config->problem == GW_PROBLEM_REGRESSION;
}

bool gw_config_has_classes(const gw_config *config) {
    return config->labels > 0 && gw_head_of(config->head)->labels && !gw_config_has_numbers(config);
}

int64_t gw_config_logits(const gw_config *config) {
    return config->labels * (gw_config_has_numbers(config) ? gw_number_logits(config->numbers.loss) : 1);
}

double gw_config_temperature(const gw_config *config) {
    return config->temperature > 0 && gw_config_has_classes(config) ? config->temperature : 1;
}

gw_status gw_config_use_temperature(gw_config *config, double temperature) {
    if (!gw_config_has_classes(config))
        return gw_fail(GW_ERR_UNSUPPORTED, "the model has no labels that have probabilities");
    if (!(temperature >= 1 / GW_MOST_TEMPERATURE && temperature <= GW_MOST_TEMPERATURE))
        return gw_fail(GW_ERR_RANGE, "%g, expected %g to %g", temperature, 1 / GW_MOST_TEMPERATURE,
                       GW_MOST_TEMPERATURE);
    config->temperature = temperature;
    return GW_OK;
}

gw_status gw_config_use_pooling(gw_config *config, const char *name) {
    for (int i = 0; i < GW_SEQUENCE_POOLINGS; i++)
        if (strcmp(name, gw_pooling_names[i]) == 0) {
            config->pooling = (gw_sequence_pooling)i;
            return GW_OK;
        }
    return gw_fail(GW_ERR_UNSUPPORTED, "\"pooling\" is \"%s\", expected %s, %s, %s, %s or %s", name,
                   gw_pooling_names[0], gw_pooling_names[1], gw_pooling_names[2], gw_pooling_names[3],
                   gw_pooling_names[4]);
}

gw_status gw_config_use_positions(gw_config *config, int64_t positions) {
    const bool head = config->pooling == GW_SEQUENCE_PLACES || config->pooling == GW_SEQUENCE_FLATTEN;
    bool learned = config->rotary == 0 || gw_mixer_of(config->mixer)->by_place || (config->labels > 0 && head);
    for (int i = 0; i < config->stem.count; i++) learned |= config->stem.part[i].kind == GW_STEM_POSITIONS;
    if (learned)
        return gw_fail(
            GW_ERR_UNSUPPORTED,
            "%lld positions: the model has learned weights for each of its %lld positions; only rotary positions can "
            "change in number, with a head that has no weights for positions",
            (long long)positions, (long long)config->positions);
    if (!config->pattern.full && positions % config->pattern.block != 0 && !gw_family_network(config->family).parts)
        return gw_fail(GW_ERR_RANGE, "%lld positions: expected a multiple of the pattern's blocks of %d",
                       (long long)positions, config->pattern.block);
    config->positions = positions;
    return GW_OK;
}

gw_status gw_config_use_stem(gw_config *config, const char *text) {
    if (!gw_family_network(config->family).parts)
        return gw_fail(GW_ERR_UNSUPPORTED, "stem '%s': only models of single bases have a stem; choose a dna- size",
                       text);
    return gw_stem_parse(text, config->width, &config->stem);
}

void gw_config_forget_labels(gw_config *config) {
    for (int64_t i = 0; config->label_names && i < config->labels; i++) free(config->label_names[i]);
    free(config->label_names);
    free(config->positive_weights);
    gw_numbers_free(&config->numbers);
    config->label_names = NULL;
    config->positive_weights = NULL;
    config->temperature = 0;
    config->both_strands = config->overlap = false;
    config->labels = 0;
}

bool gw_config_same_classifier(const gw_config *a, const gw_config *b) {
    if (a->labels != b->labels || a->head != b->head || a->overlap != b->overlap) return false;
    if (gw_head_of(a->head)->problem && a->problem != b->problem) return false;
    if (gw_config_logits(a) != gw_config_logits(b) || a->numbers.shared != b->numbers.shared) return false;
    if (!a->label_names != !b->label_names) return false;
    for (int64_t i = 0; a->label_names && i < a->labels; i++)
        if (strcmp(a->label_names[i], b->label_names[i]) != 0) return false;
    return true;
}

void gw_config_free(gw_config *config) {
    gw_config_forget_labels(config);
    free(config->reference_md5);
    free(config->command);
    free(config->other);
    config->reference_md5 = config->command = config->other = NULL;
}

// A copy of text that may be NULL; *failed is set where memory is short.
static char *copy_text(const char *text, bool *failed) {
    char *copy = text ? gw_strdup(text) : NULL;
    if (text && !copy) *failed = true;
    return copy;
}

gw_status gw_config_copy(const gw_config *config, gw_config *out) {
    bool failed = false;
    *out = *config;
    out->reference_md5 = copy_text(config->reference_md5, &failed);
    out->command = copy_text(config->command, &failed);
    out->other = copy_text(config->other, &failed);
    failed |= gw_numbers_copy(&config->numbers, config->labels, &out->numbers) != GW_OK;
    out->label_names = config->label_names ? gw_alloc(config->labels, sizeof(char *)) : NULL;
    if (config->label_names && !out->label_names) failed = true;
    if (config->positive_weights) {
        out->positive_weights = gw_alloc(config->labels, sizeof(double));
        if (out->positive_weights)
            memcpy(out->positive_weights, config->positive_weights, (size_t)config->labels * sizeof(double));
        else failed = true;
    }
    for (int64_t i = 0; out->label_names && i < config->labels; i++)
        out->label_names[i] = copy_text(config->label_names[i], &failed);
    if (!failed) return GW_OK;
    gw_config_free(out);
    return GW_ERR_MEMORY;
}

// The text of a config's pattern <-> its mixer with that one's numbers, or the block graphs of attention.

enum { USUAL_BLOCK = 64 };

typedef struct {
    const gw_mixer_word *words;
    int64_t *number;
    uint64_t given; // a bit for each word
} reading;

static gw_status parse_choice(const reading *r, const gw_mixer_word *word, const char *text, int64_t *out) {
    const size_t length = strlen(text);
    int64_t index = 0;
    for (const char *at = word->choices; at; at = gw_next_item(at, '|'), index++) {
        if (strncmp(at, text, length) == 0 && (at[length] == '|' || at[length] == 0)) {
            *out = index;
            return GW_OK;
        }
    }
    return gw_fail(GW_ERR_FORMAT, "unknown %s '%s' of %s: expected one of %s", word->name, text, r->words[0].name,
                   word->choices);
}

static gw_status parse_number(const reading *r, const gw_mixer_word *word, const char *text, int64_t *out) {
    if (word->choices) return parse_choice(r, word, text, out);
    const gw_status status = gw_parse_int(text, word->low, word->high, out);
    return status == GW_OK ? GW_OK : gw_fail_in(status, "%s", word->name);
}

static gw_status foreign_part(const reading *r, const char *text) {
    gw_string list = {0};
    for (const gw_mixer_word *word = r->words + 1; word->name; word++)
        if (!word->mark) gw_string_printf(&list, "%s%s", list.length > 0 ? ", " : "", word->name);
    const gw_status status = gw_string_status(&list);
    if (status == GW_OK)
        gw_fail(GW_ERR_FORMAT, "'%.*s' cannot be combined with %s%s%s", (int)strcspn(text, ":/"), text,
                r->words[0].name, list.length > 0 ? "; allowed: " : "", list.data ? list.data : "");
    gw_string_free(&list);
    return gw_first_failure(status, GW_ERR_FORMAT);
}

// One `name[:number][mark number]`, cut from its spec.
static gw_status parse_part(char *text, reading *r) {
    const gw_mixer_word *word = r->words;
    char mark = 0; // of the number that follows the word's; 0: none does
    for (; word->name; word++) {
        const size_t length = strlen(word->name);
        mark = word[1].name ? word[1].mark : 0;
        if (word->mark || strncmp(text, word->name, length) != 0) continue;
        if (text[length] == 0 || text[length] == ':' || text[length] == mark) break;
    }
    if (!word->name) return foreign_part(r, text);
    const int64_t w = word - r->words;
    char *number = text + strlen(word->name), *second = mark ? strchr(number, mark) : NULL;
    if (second) *second++ = 0;
    if (r->given & UINT64_C(1) << w) return gw_fail(GW_ERR_FORMAT, "'%s' occurs twice", word->name);
    r->given |= UINT64_C(1) << w;
    r->number[w] = word->high > 0 ? word->usual : 1;
    if (mark) r->number[w + 1] = word[1].usual;
    if (*number == ':' && word->high == 0) return gw_fail(GW_ERR_FORMAT, "'%s' takes no number", word->name);
    if (*number == ':') GW_TRY(parse_number(r, word, number + 1, &r->number[w]));
    else if (word->usual < 0) return gw_fail(GW_ERR_FORMAT, "'%s' needs a number", word->name);
    return second ? parse_number(r, word + 1, second, &r->number[w + 1]) : GW_OK;
}

gw_status gw_config_use_pattern(gw_config *config, const char *spec) {
    const gw_mixer mixer = gw_mixer_of_pattern(spec);
    const gw_mixer_word *words = gw_mixer_of(mixer)->words;
    gw_pattern pattern = {.block = USUAL_BLOCK};
    int64_t number[GW_MIXER_NUMBERS] = {0};
    // a family whose files hold the query's layer together with others cannot be without it
    const gw_transformer of = gw_family_network(config->family);
    if (gw_mixer_of(mixer)->shares_query && (of.twin || strchr(of.attention.query, '/')))
        return gw_fail(GW_ERR_UNSUPPORTED, "%s has no query's layer, which %s models hold together with others",
                       words[0].name, gw_family_of(config->family)->prefix);
    if (words) {
        reading r = {words, number, 0};
        gw_status status = GW_OK;
        char *copy = gw_strdup(spec);
        if (!copy) return GW_ERR_MEMORY;
        for (char *at = copy, *next; status == GW_OK && at; at = next) {
            next = strchr(at, '+');
            if (next) *next++ = 0;
            status = parse_part(at, &r);
        }
        free(copy);
        if (status != GW_OK) return gw_fail_in(status, "pattern '%s'", spec);
    } else GW_TRY(gw_mixer_parse_blocks(spec, &pattern));
    config->mixer = mixer;
    config->pattern = pattern;
    memcpy(config->mixer_number, number, sizeof number);
    return GW_OK;
}

// The spec; with `every` also what it draws by where nothing says it.
static char *write_words(const gw_mixer_word *words, const int64_t *number, bool every) {
    gw_string text = {0};
    for (int w = 0; words[w].name; w++) {
        const gw_mixer_word *word = &words[w];
        if (word->choices) {
            const char *at = word->choices;
            for (int64_t index = number[w]; index > 0; index--) at = strchr(at, '|') + 1;
            if (every || number[w] != word->usual)
                gw_string_printf(&text, "%c%.*s", word->mark, (int)strcspn(at, "|"), at);
        } else if (word->mark) {
            gw_string_printf(&text, "%c%lld", word->mark, (long long)number[w]);
        } else if (number[w] != 0 || (every && word->drawn)) {
            gw_string_printf(&text, "%s%s", text.length > 0 ? "+" : "", word->name);
            if (word->high > 0) gw_string_printf(&text, ":%lld", (long long)number[w]);
        }
    }
    if (gw_string_status(&text) == GW_OK) return text.data;
    gw_string_free(&text);
    return NULL;
}

char *gw_config_pattern(const gw_config *config) {
    const gw_mixer_word *words = gw_mixer_of(config->mixer)->words;
    return words ? write_words(words, config->mixer_number, false) : gw_pattern_text(&config->pattern);
}

char *gw_config_provenance(const gw_config *config) {
    const gw_mixer_word *words = gw_mixer_of(config->mixer)->words;
    return words ? write_words(words, config->mixer_number, true) : gw_pattern_provenance(&config->pattern);
}

bool gw_config_has_modes(const gw_config *config) {
    return !gw_mixer_of(config->mixer)->words && config->pattern.tables != GW_TABLES_OWN;
}

// A mode is one of BigBird's, or full attention, which a mixer's queries, keys and values can be read by.
gw_status gw_config_use_mode(gw_config *config, const char *mode) {
    if (!gw_mixer_of(config->mixer)->words) return gw_pattern_use_mode(&config->pattern, mode);
    gw_pattern pattern;
    GW_TRY(gw_pattern_parse("itc", &pattern));
    GW_TRY(gw_pattern_use_mode(&pattern, mode));
    if (pattern.full && gw_mixer_of(config->mixer)->shares_query)
        return gw_fail(GW_ERR_UNSUPPORTED, "attention mode full needs queries, and %s has only keys",
                       gw_mixer_of(config->mixer)->words[0].name);
    if (pattern.full) {
        config->mixer = GW_MIXER_ATTENTION;
        config->pattern = pattern;
        return GW_OK;
    }
    char *own = gw_config_pattern(config);
    if (own) gw_fail(GW_ERR_UNSUPPORTED, "attention mode %s is BigBird's; the model's own pattern is %s", mode, own);
    free(own);
    return own ? GW_ERR_UNSUPPORTED : GW_ERR_MEMORY;
}
