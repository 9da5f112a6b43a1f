// SPDX-License-Identifier: MIT
// A table: one row a key, with the model it belongs to and where its value comes from.
#include "score/score_keys.h"

#include "base/memory.h"
#include "seq/tss.h"

#include <ctype.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef enum { KEY_PROFILES, KEY_RAW, KEY_SITES, KEY_GENES, KEY_PRETRAINED, KEY_ALL } key_models;
typedef enum { FROM_FLOAT, FROM_TOP, FROM_TOP_NAME, FROM_SITE, FROM_GENES, FROM_STATUS } key_source;

static const struct {
    const char *name;
    key_models models;
    gw_info_kind kind;
    key_source source;
    size_t offset; // FROM_FLOAT: of the field
    const char *description;
} TABLE[] = {
    {"DIFF", KEY_PROFILES, GW_INFO_FLOAT, FROM_FLOAT, offsetof(gw_allele, difference),
     "p(ALT) - p(REF) of the profile where it is largest in size"},
    {"LOGIT", KEY_PROFILES, GW_INFO_FLOAT, FROM_FLOAT, offsetof(gw_allele, logit),
     "logit p(ALT) - logit p(REF) of that profile, natural logarithm, p clipped to 1e-7 and 1 - 1e-7"},
    {"TOPI", KEY_PROFILES, GW_INFO_INTEGER, FROM_TOP, 0, "0-based index of that profile"},
    {"TOP", KEY_PROFILES, GW_INFO_STRING, FROM_TOP_NAME, 0, "Name of that profile, percent-encoded"},
    {"MEAN", KEY_PROFILES, GW_INFO_FLOAT, FROM_FLOAT, offsetof(gw_allele, mean),
     "Mean of the size of p(ALT) - p(REF) over all profiles"},
    {"PREF", KEY_RAW, GW_INFO_FLOAT, FROM_FLOAT, offsetof(gw_allele, ref_value), "p(REF) of that profile"},
    {"PALT", KEY_RAW, GW_INFO_FLOAT, FROM_FLOAT, offsetof(gw_allele, alt_value), "p(ALT) of that profile"},
    {"SITE", KEY_SITES, GW_INFO_STRING, FROM_SITE, 0,
     "Start site whose window gave the value: its name, percent-encoded, or contig:position:strand"},
    {"LLR", KEY_PRETRAINED, GW_INFO_FLOAT, FROM_FLOAT, offsetof(gw_allele, bits),
     "Log-likelihood ratio of ALT to REF under the masked language model, bits"},
    {"GENE", KEY_GENES, GW_INFO_STRING, FROM_GENES, 0,
     "Genes that the trimmed REF overlaps, percent-encoded, joined by &"},
    {"STATUS", KEY_ALL, GW_INFO_STRING, FROM_STATUS, 0, "PASS, or why the allele has no score"},
};
enum { ROWS = sizeof TABLE / sizeof TABLE[0] };

typedef union {
    float real;
    int32_t integer;
} number;
_Static_assert(sizeof(number) == 4, "floats and integers share one array");

struct gw_score_keys {
    int count, rows[ROWS]; // keys in use, and their rows of the table
    gw_info_key keys[ROWS];
    gw_info_values values[ROWS];
    number *numbers;      // [count][alleles]
    const char **strings; // [count][alleles]
    int64_t number_capacity, string_capacity;
    char **top_names; // [labels], percent-encoded
    int64_t labels;
    char **site_names; // [sites], the same
    int64_t sites;
    const gw_genes *genes; // or NULL
    gw_string gene_names;  // of the record's alleles, each ended by a zero byte
    int64_t *gene_start;   // [alleles] in gene_names; -1: none
    int64_t gene_capacity;
};

static bool is_tag(const char *tag) {
    if (!isalpha((unsigned char)tag[0]) && tag[0] != '_') return false;
    for (const char *c = tag; *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '_' && *c != '.') return false;
    return true;
}

// A model of one label whose column had no name of its own: its task says more.
static bool is_nameless(const gw_config *config) {
    const char *name = config->label_names ? config->label_names[0] : "label";
    return config->task != GW_TASK_PRETRAIN && (strcmp(name, "label") == 0 || strcmp(name, "LABEL_0") == 0);
}

static gw_status name_profiles(gw_score_keys *keys, const gw_config *config) {
    keys->labels = config->labels;
    keys->top_names = gw_alloc(config->labels, sizeof *keys->top_names);
    if (!keys->top_names) return GW_ERR_MEMORY;
    for (int64_t i = 0; i < config->labels; i++) {
        gw_string name = {0};
        if (config->labels == 1 && is_nameless(config)) gw_percent_encode(&name, gw_task_name(config->task));
        else if (config->label_names) gw_percent_encode(&name, config->label_names[i]);
        else gw_string_printf(&name, "profile%lld", (long long)i);
        if (name.length == 0) gw_string_printf(&name, "%%00"); // an empty name must not end the value
        keys->top_names[i] = name.data;
        GW_TRY(gw_string_status(&name));
    }
    return GW_OK;
}

void gw_site_name(gw_string *name, const gw_region *site, const gw_genome *genome) {
    if (site->name && site->name[0] && strcmp(site->name, ".") != 0) gw_percent_encode(name, site->name);
    else
        gw_string_printf(name, "%s:%lld:%c", gw_genome_name(genome, site->contig), (long long)gw_tss_position(site) + 1,
                         site->strand);
}

static gw_status name_sites(gw_score_keys *keys, const gw_score_key_options *options) {
    keys->sites = options->sites->count;
    keys->site_names = gw_alloc(keys->sites, sizeof *keys->site_names);
    if (!keys->site_names) return GW_ERR_MEMORY;
    for (int64_t i = 0; i < keys->sites; i++) {
        gw_string name = {0};
        gw_site_name(&name, &options->sites->items[i], options->genome);
        keys->site_names[i] = name.data;
        GW_TRY(gw_string_status(&name));
    }
    return GW_OK;
}

static bool is_used(key_models models, bool classifier, const gw_score_key_options *options) {
    if (models == KEY_ALL) return true;
    if (models == KEY_GENES) return options->genes != NULL;
    if (models == KEY_PRETRAINED) return !classifier;
    if (models == KEY_SITES) return classifier && options->sites;
    return classifier && (models == KEY_PROFILES || options->raw);
}

gw_status gw_score_keys_new(const gw_config *config, const gw_score_key_options *options, gw_score_keys **out) {
    const char *tag = options->tag;
    *out = NULL;
    if (!is_tag(tag))
        return gw_fail(GW_ERR_FORMAT, "'%s' cannot be the prefix of INFO keys: letters, digits, _ and . only", tag);
    gw_score_keys *keys = gw_alloc(1, sizeof *keys);
    if (!keys) return GW_ERR_MEMORY;
    gw_status status = GW_OK;
    keys->genes = options->genes;
    for (int row = 0; row < ROWS && status == GW_OK; row++) {
        if (!is_used(TABLE[row].models, config->labels > 0, options)) continue;
        char *key = gw_strprintf("%s_%s", tag, TABLE[row].name);
        if (!key) status = GW_ERR_MEMORY;
        keys->keys[keys->count] = (gw_info_key){key, TABLE[row].kind, TABLE[row].description};
        keys->rows[keys->count++] = row;
    }
    if (status == GW_OK && config->labels > 0) status = name_profiles(keys, config);
    if (status == GW_OK && options->sites) status = name_sites(keys, options);
    if (status == GW_OK) *out = keys;
    else gw_score_keys_free(keys);
    return status;
}

void gw_score_keys_free(gw_score_keys *keys) {
    if (!keys) return;
    for (int i = 0; i < keys->count; i++) free((void *)keys->keys[i].key);
    for (int64_t i = 0; keys->top_names && i < keys->labels; i++) free(keys->top_names[i]);
    for (int64_t i = 0; keys->site_names && i < keys->sites; i++) free(keys->site_names[i]);
    free(keys->top_names);
    free(keys->site_names);
    gw_string_free(&keys->gene_names);
    free(keys->gene_start);
    free(keys->numbers);
    free(keys->strings);
    free(keys);
}

const gw_info_key *gw_score_keys_list(const gw_score_keys *keys, int *count) {
    *count = keys->count;
    return keys->keys;
}

// Genes are those of the reference, so that an allele need not be scored to have them.
static gw_status find_genes(gw_score_keys *keys, const gw_allele *alleles, int count) {
    gw_string *names = &keys->gene_names;
    gw_string_clear(names);
    GW_TRY(gw_reserve(&keys->gene_start, &keys->gene_capacity, count, sizeof *keys->gene_start));
    for (int i = 0; i < count; i++) {
        const gw_variant *v = &alleles[i].variant;
        const int64_t start = names->length;
        const bool any = v->ref && gw_genes_at(keys->genes, v->contig, v->position, v->position + v->ref_length, names);
        keys->gene_start[i] = any ? start : -1;
        if (any) gw_string_putc(names, 0);
    }
    return gw_string_status(names);
}

static void set_value(const gw_score_keys *keys, int row, const gw_allele *alleles, int index, number *as_number,
                      const char **string) {
    const gw_allele *allele = &alleles[index];
    const bool scored = gw_allele_is_scored(allele->status);
    switch (TABLE[row].source) {
    case FROM_FLOAT:
        as_number->real = NAN;
        if (scored) memcpy(&as_number->real, (const char *)allele + TABLE[row].offset, sizeof(float));
        break;
    case FROM_TOP: as_number->integer = scored ? allele->top : INT32_MIN; break;
    case FROM_TOP_NAME: *string = scored ? keys->top_names[allele->top] : NULL; break;
    case FROM_SITE: *string = scored && allele->site >= 0 ? keys->site_names[allele->site] : NULL; break;
    case FROM_GENES:
        *string = keys->gene_start[index] >= 0 ? keys->gene_names.data + keys->gene_start[index] : NULL;
        break;
    case FROM_STATUS: *string = gw_allele_status_name(allele->status); break;
    }
}

gw_status gw_score_keys_values(gw_score_keys *keys, const gw_allele *alleles, int count,
                               const gw_info_values **values) {
    const int64_t cells = (int64_t)keys->count * count;
    GW_TRY(gw_reserve(&keys->numbers, &keys->number_capacity, cells, sizeof *keys->numbers));
    GW_TRY(gw_reserve(&keys->strings, &keys->string_capacity, cells, sizeof *keys->strings));
    if (keys->genes) GW_TRY(find_genes(keys, alleles, count));
    for (int k = 0; k < keys->count; k++) {
        number *numbers = keys->numbers + (int64_t)k * count;
        const char **strings = keys->strings + (int64_t)k * count;
        for (int i = 0; i < count; i++) set_value(keys, keys->rows[k], alleles, i, &numbers[i], &strings[i]);
        keys->values[k] = (gw_info_values){&keys->keys[k], (const float *)(const void *)numbers,
                                           (const int32_t *)(const void *)numbers, strings};
    }
    *values = keys->values;
    return GW_OK;
}
