// SPDX-License-Identifier: MIT
// tokenizer.json of Hugging Face's `tokenizers` for godwit's own vocabularies. DNA has its own kind; every other file
// is a pipeline.
//
// The DNA kind: a BPE model without pre-tokenizer, so that a sentence or contig is one word; a normalizer that converts
// a c g t n to upper case, U to T and other IUPAC letters to N; [CLS] A [SEP] B [SEP] around it; tokens joined without
// spaces. "mean_bases_per_token" is inside "model", where the package ignores unknown keys (at the top level they are
// errors). "truncation" and "padding" are settings of a run there, and are not read here.
#include "text/json/own_json.h"

#include "base/json.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "text/dna/vocabulary.h"
#include "text/json/pieces.h"
#include "text/json/pipeline.h"

#include <stdlib.h>
#include <string.h>

// Literals have single quotes. The settings of the BPE model beside its vocabulary, and [CLS] A [SEP] B [SEP]:

static const char *const own_model =
    "{'type': 'BPE', 'dropout': null, 'unk_token': '[UNK]', 'continuing_subword_prefix': null,"
    " 'end_of_word_suffix': null, 'fuse_unk': false, 'byte_fallback': false, 'ignore_merges': false}";

static const char *const own_specials =
    "{'post_processor': {'type': 'TemplateProcessing',"
    "  'single': [{'SpecialToken': {'id': '[CLS]', 'type_id': 0}}, {'Sequence': {'id': 'A', 'type_id': 0}},"
    "             {'SpecialToken': {'id': '[SEP]', 'type_id': 0}}],"
    "  'pair': [{'SpecialToken': {'id': '[CLS]', 'type_id': 0}}, {'Sequence': {'id': 'A', 'type_id': 0}},"
    "           {'SpecialToken': {'id': '[SEP]', 'type_id': 0}}, {'Sequence': {'id': 'B', 'type_id': 1}},"
    "           {'SpecialToken': {'id': '[SEP]', 'type_id': 1}}],"
    "  'special_tokens': {'[CLS]': {'id': '[CLS]', 'ids': [2], 'tokens': ['[CLS]']},"
    "                     '[SEP]': {'id': '[SEP]', 'ids': [3], 'tokens': ['[SEP]']}}}}";

// NULL with a message where memory is short.
static json_t *json_literal(const char *literal) {
    char *text = gw_strdup(literal);
    if (!text) return NULL;
    for (char *c = text; *c; c++)
        if (*c == '\'') *c = '"';
    json_t *json = json_loads(text, 0, NULL);
    free(text);
    if (!json) gw_fail(GW_ERR_MEMORY, "out of memory: JSON of a tokenizer");
    return json;
}

static json_t *own_added_token(int32_t id) {
    return json_pack("{s:i, s:s, s:b, s:b, s:b, s:b, s:b}", "id", id, "content", gw_fixed_tokens[id], "single_word", 0,
                     "lstrip", 0, "rstrip", 0, "normalized", 0, "special", 1);
}

// The file: `differing` is a literal of the parts that differ; vocabulary and merges are owned at once. A mean of 0 is
// not written.
static gw_status own_json(const char *differing, json_t *vocabulary, json_t *merges, double mean_bases, json_t **out) {
    json_t *added = json_array(), *parts = json_literal(differing), *specials = json_literal(own_specials);
    json_t *model = json_literal(own_model);
    for (int32_t i = 0; i < GW_SPECIAL_TOKENS; i++) json_array_append_new(added, own_added_token(i));
    if (mean_bases > 0) json_object_set_new(model, "mean_bases_per_token", json_real(mean_bases));
    json_object_set(model, "vocab", vocabulary);
    json_object_set(model, "merges", merges);
    const bool whole = vocabulary && merges && added && parts && specials && model;
    *out = whole ? json_pack("{s:s, s:n, s:n, s:O}", "version", "1.0", "truncation", "padding", "added_tokens", added)
                 : NULL;
    json_object_update(*out, parts);
    json_object_update(*out, specials);
    json_object_set(*out, "model", model);
    json_t *const owned[] = {vocabulary, merges, added, parts, specials, model};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) json_decref(owned[i]);
    return *out ? GW_OK : gw_fail(GW_ERR_MEMORY, "out of memory: JSON of a tokenizer");
}

static const char *const components = // everything but special tokens and the model
    "{'normalizer': {'type': 'Sequence', 'normalizers': ["
    "  {'type': 'Replace', 'pattern': {'String': 'a'}, 'content': 'A'},"
    "  {'type': 'Replace', 'pattern': {'String': 'c'}, 'content': 'C'},"
    "  {'type': 'Replace', 'pattern': {'String': 'g'}, 'content': 'G'},"
    "  {'type': 'Replace', 'pattern': {'String': 't'}, 'content': 'T'},"
    "  {'type': 'Replace', 'pattern': {'String': 'n'}, 'content': 'N'},"
    "  {'type': 'Replace', 'pattern': {'Regex': '[Uu]'}, 'content': 'T'},"
    "  {'type': 'Replace', 'pattern': {'Regex': '[BDHKMRSVWYbdhkmrsvwy]'}, 'content': 'N'}]},"
    " 'pre_tokenizer': null,"
    " 'decoder': {'type': 'Fuse'}}";

// --- writing -------------------------------------------------------------------------------------------------------

gw_status gw_dna_save(const gw_tokenizer *tokenizer, const char *path) {
    json_t *root, *vocabulary = json_object(), *merges = json_array();
    for (int32_t i = 0; i < tokenizer->size; i++) json_object_set_new(vocabulary, tokenizer->texts[i], json_integer(i));
    for (int32_t i = GW_FIRST_MERGE; i < tokenizer->size; i++) { // as "A C": every release of the package reads that
        const int32_t *parts = ((const gw_dna_vocabulary *)tokenizer->state)->parts[i];
        json_array_append_new(merges, json_sprintf("%s %s", tokenizer->texts[parts[0]], tokenizer->texts[parts[1]]));
    }
    GW_TRY(own_json(components, vocabulary, merges, tokenizer->mean_bases, &root));
    const gw_status status = gw_json_save(path, root);
    json_decref(root);
    return status;
}

// --- reading -------------------------------------------------------------------------------------------------------

// Whether `found` has all that stands in `literal`; what is null or false there may be absent.
static bool matches(const json_t *found, const char *literal) {
    json_t *expected = json_literal(literal);
    bool same = expected;
    const char *key;
    json_t *value;
    json_object_foreach(expected, key, value) {
        const json_t *other = json_object_get(found, key);
        same = same && (json_equal(value, other) || (!other && (json_is_null(value) || json_is_false(value))));
    }
    json_decref(expected);
    return same;
}

// Whether `godwit bpe` wrote it, whatever the package added since.
static bool is_own(const json_t *root) {
    const json_t *model = json_object_get(root, "model"), *added = json_object_get(root, "added_tokens"),
                 *vocabulary = json_object_get(model, "vocab");
    bool same = matches(model, own_model) && matches(root, components) && matches(root, own_specials) &&
                json_array_size(added) == GW_SPECIAL_TOKENS;
    for (int32_t i = 0; i < GW_SPECIAL_TOKENS && same; i++) {
        json_t *expected = own_added_token(i);
        same = json_equal(json_array_get(added, (size_t)i), expected);
        json_decref(expected);
    }
    for (int32_t i = 0; i < GW_FIRST_MERGE && same; i++) {
        const json_t *id = json_object_get(vocabulary, gw_fixed_tokens[i]);
        same = json_is_integer(id) && json_integer_value(id) == i;
    }
    return same;
}

// names[id] = text, borrowed from the JSON object.
static gw_status read_vocabulary(const char *path, const json_t *vocabulary, const char **names, int32_t size) {
    const char *text;
    json_t *value;
    json_object_foreach((json_t *)vocabulary, text, value) {
        if (!json_is_integer(value))
            return gw_fail(GW_ERR_FORMAT, "%s: the id of token \"%.60s\" is not a whole number", path, text);
        const int64_t id = json_integer_value(value);
        if (id < 0 || id >= size)
            return gw_fail(GW_ERR_FORMAT, "%s: token \"%.60s\" has id %lld, but %d tokens have ids 0 to %d", path, text,
                           (long long)id, size, size - 1);
        if (names[id])
            return gw_fail(GW_ERR_FORMAT, "%s: tokens \"%.60s\" and \"%.60s\" both have id %lld", path, names[id], text,
                           (long long)id);
        names[id] = text;
    }
    return GW_OK;
}

// One side of a merge: its text in the vocabulary.
static gw_status read_side(const char *path, const json_t *vocabulary, size_t merge, const char *text, size_t length,
                           int32_t *out) {
    const json_t *id = json_object_getn(vocabulary, text, length);
    if (!id)
        return gw_fail(GW_ERR_FORMAT, "%s: merge %zu names the token \"%.*s\", which the vocabulary lacks", path, merge,
                       (int)(length < 60 ? length : 60), text);
    *out = (int32_t)json_integer_value(id);
    return GW_OK;
}

// Merges, each written as "A C" or ["A", "C"].
static gw_status read_merges(const char *path, const json_t *model, int32_t (*merges)[2], int64_t count) {
    const json_t *vocabulary = json_object_get(model, "vocab"), *list = json_object_get(model, "merges");
    if ((int64_t)json_array_size(list) != count)
        return gw_fail(GW_ERR_FORMAT, "%s: %zu merges for %lld tokens beside specials and letters", path,
                       json_array_size(list), (long long)count);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *left, *right;
        size_t left_length;
        if (!gw_merge_sides(json_array_get(list, i), &left, &left_length, &right))
            return gw_fail(GW_ERR_FORMAT, "%s: merge %zu is not a pair of tokens", path, i);
        GW_TRY(read_side(path, vocabulary, i, left, left_length, &merges[i][0]));
        GW_TRY(read_side(path, vocabulary, i, right, strlen(right), &merges[i][1]));
    }
    return GW_OK;
}

static gw_status read_model(const char *path, const json_t *model, gw_tokenizer **out) {
    const json_t *vocabulary = json_object_get(model, "vocab");
    const size_t tokens = json_object_size(vocabulary);
    if (tokens > GW_LARGEST_VOCABULARY)
        return gw_fail(GW_ERR_RANGE, "%s: %zu tokens, expected at most %d", path, tokens, GW_LARGEST_VOCABULARY);
    const int32_t size = (int32_t)tokens, count = size > GW_FIRST_MERGE ? size - GW_FIRST_MERGE : 0;
    const char **names = gw_alloc(size, sizeof *names);
    int32_t(*merges)[2] = gw_alloc(count, sizeof *merges);
    gw_tokenizer *tokenizer = NULL;
    gw_status status = names && merges ? GW_OK : GW_ERR_MEMORY;
    if (status == GW_OK) status = read_vocabulary(path, vocabulary, names, size);
    if (status == GW_OK) status = read_merges(path, model, merges, count);
    if (status == GW_OK) {
        status = gw_tokenizer_from_merges(merges, count, &tokenizer);
        if (status != GW_OK) status = gw_fail_in(status, "%s", path);
    }
    for (int32_t i = GW_FIRST_MERGE; status == GW_OK && i < size; i++)
        if (strcmp(names[i], tokenizer->texts[i]) != 0)
            status = gw_fail(GW_ERR_FORMAT, "%s: merge %d makes \"%.60s\", but token %d is \"%.60s\"", path,
                             i - GW_FIRST_MERGE, tokenizer->texts[i], i, names[i]);
    if (status == GW_OK) status = gw_json_double(model, path, "mean_bases_per_token", false, &tokenizer->mean_bases);
    free(names);
    free(merges);
    if (status == GW_OK) *out = tokenizer;
    else gw_tokenizer_free(tokenizer);
    return status;
}

gw_status gw_tokenizer_json_parse(const char *path, const char *bytes, int64_t length, gw_tokenizer **out) {
    *out = NULL;
    json_t *root;
    GW_TRY(gw_json_parse(path, bytes, length, &root));
    const gw_status status = is_own(root) ? read_model(path, json_object_get(root, "model"), out)
                                          : gw_pipeline_read(path, root, bytes, length, out);
    json_decref(root);
    return status;
}

// --- the byte-level vocabulary: written as a tokenizer.json and read back, so that its tokenizer keeps the bytes ---

static const char *const byte_level_components =
    "{'normalizer': null,"
    " 'pre_tokenizer': {'type': 'ByteLevel', 'add_prefix_space': false, 'trim_offsets': true, 'use_regex': true},"
    " 'decoder': {'type': 'ByteLevel', 'add_prefix_space': true, 'trim_offsets': true, 'use_regex': true}}";

void gw_byte_ids(uint16_t ids[256]) {
    uint16_t id = GW_SPECIAL_TOKENS;
    for (uint32_t point = 0; id < GW_FIRST_BYTE_MERGE; point++) {
        const int byte = gw_letter_byte(point);
        if (byte >= 0) ids[byte] = id++;
    }
}

// texts[id] of every token.
static gw_status spell(const int32_t (*merges)[2], int64_t count, char **texts) {
    uint16_t ids[256];
    gw_byte_ids(ids);
    for (int byte = 0; byte < 256; byte++) {
        gw_string letter = {0};
        gw_byte_letters(&letter, (char[]){(char)byte}, 1);
        texts[ids[byte]] = letter.data;
        GW_TRY(gw_string_status(&letter));
    }
    for (int64_t m = 0; m < count; m++) {
        char **text = &texts[GW_FIRST_BYTE_MERGE + m];
        *text = gw_strprintf("%s%s", texts[merges[m][0]], texts[merges[m][1]]);
        if (!*text) return GW_ERR_MEMORY;
    }
    return GW_OK;
}

gw_status gw_byte_level_new(const int32_t (*merges)[2], int64_t count, gw_tokenizer **out) {
    *out = NULL;
    json_t *root = NULL;
    char **texts = gw_alloc(GW_FIRST_BYTE_MERGE + count, sizeof *texts);
    gw_status status = texts ? spell(merges, count, texts) : GW_ERR_MEMORY;
    if (status == GW_OK) {
        json_t *vocabulary = json_object(), *list = json_array();
        for (int i = 0; i < GW_SPECIAL_TOKENS; i++)
            json_object_set_new(vocabulary, gw_fixed_tokens[i], json_integer(i));
        for (int64_t i = GW_SPECIAL_TOKENS; i < GW_FIRST_BYTE_MERGE + count; i++)
            json_object_set_new(vocabulary, texts[i], json_integer(i));
        for (int64_t m = 0; m < count; m++)
            json_array_append_new(list, json_sprintf("%s %s", texts[merges[m][0]], texts[merges[m][1]]));
        status = own_json(byte_level_components, vocabulary, list, 0, &root);
    }
    char *bytes = status == GW_OK ? json_dumps(root, JSON_INDENT(2)) : NULL;
    if (status == GW_OK && !bytes) status = gw_fail(GW_ERR_MEMORY, "out of memory: JSON of a tokenizer");
    if (status == GW_OK) status = gw_tokenizer_json_parse("tokenizer.json", bytes, (int64_t)strlen(bytes), out);
    free(bytes);
    for (int64_t i = 0; texts && i < GW_FIRST_BYTE_MERGE + count; i++) free(texts[i]);
    free(texts);
    json_decref(root);
    return status;
}
