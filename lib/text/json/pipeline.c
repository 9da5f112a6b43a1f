// SPDX-License-Identifier: MIT
// Runs the parts of a tokenizer.json in their order: added tokens, normalizer, pre-tokenizer, model, post-processor.
//
// Added tokens are removed from a text whole, before the model reads it. Those with "normalized": false are searched in
// the original text, the others in the normalised text, in normalised spelling. Of the tokens at the leftmost position
// the longest is taken.
#include "text/json/pipeline.h"

#include "base/memory.h"
#include "base/utf8.h"
#include "text/kind.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    int32_t id;
    char *content, *wanted; // as in the file, and as it is looked for; owned
    int64_t length;         // of `wanted`
    bool single_word, left_strip, right_strip, normalized, special;
} added_token;

typedef struct {
    added_token *list; // sorted: those of one first byte together, the longest first
    int64_t count, capacity;
    int32_t first[2][257]; // [normalized][byte]: where the tokens with this first byte begin in `order`
    int32_t *order[2];
} added_tokens;

// text -> added tokens as they are -> normalizer -> added tokens of normalised text -> pre-tokenizer -> model
typedef struct {
    gw_normalizer normalizer;
    added_tokens added;
    gw_pre_tokenizer pre_tokenizer;
    enum { GW_MODEL_BPE, GW_MODEL_UNIGRAM, GW_MODEL_WORDPIECE } kind;
    gw_bpe_model model; // of the three the kind's
    gw_unigram_model unigram;
    gw_wordpiece_model wordpiece;
    gw_decoder decoder;
    const char **decoded; // [size] what a token is decoded from: its text, or how an added one is looked for
} pipeline_parts;

// --- added tokens: reading -----------------------------------------------------------------------------------------

static gw_status read_token(const char *path, const json_t *json, added_token *t) {
    const char *content;
    int64_t id;
    GW_TRY(gw_json_int(json, path, "id", true, 0, INT32_MAX, &id));
    GW_TRY(gw_json_string(json, path, "content", true, &content));
    GW_TRY(gw_json_bool(json, path, "single_word", false, &t->single_word));
    GW_TRY(gw_json_bool(json, path, "lstrip", false, &t->left_strip));
    GW_TRY(gw_json_bool(json, path, "rstrip", false, &t->right_strip));
    GW_TRY(gw_json_bool(json, path, "special", false, &t->special));
    t->normalized = !t->special;
    GW_TRY(gw_json_bool(json, path, "normalized", false, &t->normalized));
    t->id = (int32_t)id;
    t->content = gw_strdup(content);
    return t->content ? GW_OK : GW_ERR_MEMORY;
}

static gw_status normalise(const char *path, const gw_normalizer *normalizer, added_token *t) {
    gw_string text = {0};
    gw_normalizer_scratch scratch = {0};
    bool trimmed;
    gw_status status = GW_OK;
    const int64_t length = (int64_t)strlen(t->content);
    if (t->normalized) status = gw_normalize(normalizer, &scratch, t->content, length, &text, &trimmed);
    else gw_string_append(&text, t->content, length);
    if (status == GW_OK) status = gw_string_status(&text);
    gw_normalizer_scratch_free(&scratch);
    t->wanted = text.data;
    t->length = text.length;
    if (status == GW_OK && t->length == 0)
        status = gw_fail(GW_ERR_UNSUPPORTED, "%s: the added token \"%.60s\" is nothing once it is normalised", path,
                         t->content);
    return status;
}

// The id that the package gives: the model's, or the next one after all others.
static gw_status check_id(const char *path, const added_token *t, const gw_text_index *vocabulary, int32_t size,
                          int32_t *next) {
    const int32_t known = gw_text_index_find(vocabulary, t->content, (int64_t)strlen(t->content));
    const int32_t expected = known >= 0 ? known : *next > size ? *next : size;
    if (t->id != expected)
        return gw_fail(GW_ERR_FORMAT, "%s: the added token \"%.60s\" has id %d, expected %d", path, t->content, t->id,
                       expected);
    if (t->id >= *next) *next = t->id + 1;
    return GW_OK;
}

static int longest_first(const void *a, const void *b) {
    const added_token *x = a, *y = b;
    if (x->wanted[0] != y->wanted[0]) return (uint8_t)x->wanted[0] < (uint8_t)y->wanted[0] ? -1 : 1;
    if (x->length != y->length) return x->length > y->length ? -1 : 1;
    return (x->id > y->id) - (x->id < y->id);
}

// `vocabulary` gives the ids of tokens that the model has; `size` is the number of its tokens.
static gw_status read_added(const char *path, const json_t *json, const gw_text_index *vocabulary, int32_t size,
                            const gw_normalizer *normalizer, added_tokens *out) {
    int32_t next = 0;
    *out = (added_tokens){0};
    if (json && !json_is_null(json) && !json_is_array(json))
        return gw_fail(GW_ERR_FORMAT, "%s: \"added_tokens\" is not a list", path);
    for (size_t i = 0; i < json_array_size(json); i++) {
        GW_TRY(gw_reserve(&out->list, &out->capacity, out->count + 1, sizeof *out->list));
        added_token *token = &out->list[out->count++];
        *token = (added_token){0};
        GW_TRY(read_token(path, json_array_get(json, i), token));
        GW_TRY(check_id(path, token, vocabulary, size, &next));
        GW_TRY(normalise(path, normalizer, token));
    }
    if (out->count > 0) qsort(out->list, (size_t)out->count, sizeof *out->list, longest_first);
    for (int normalized = 0; normalized < 2; normalized++) {
        int32_t *order = out->order[normalized] = gw_alloc(out->count, sizeof *order), found = 0;
        if (!order) return GW_ERR_MEMORY;
        int64_t at = 0;
        for (int byte = 0; byte < 256; byte++) {
            out->first[normalized][byte] = found;
            for (; at < out->count && (uint8_t)out->list[at].wanted[0] == byte; at++)
                if (out->list[at].normalized == normalized) order[found++] = (int32_t)at;
        }
        out->first[normalized][256] = found;
    }
    return GW_OK;
}

// --- added tokens: cutting -----------------------------------------------------------------------------------------

static int64_t character_before(const char *text, int64_t at) {
    do at--;
    while (((uint8_t)text[at] & 0xC0) == 0x80);
    return at;
}

static bool word_at(const char *text, int64_t at) {
    int bytes;
    const uint32_t point = gw_utf8_read(text + at, &bytes);
    return gw_is_word(point) || point == 0x200C || point == 0x200D;
}

// Whether no character of a word touches the token at text[from .. to).
static bool stands_alone(const char *text, int64_t begin, int64_t end, int64_t from, int64_t to) {
    return (from == begin || !word_at(text, character_before(text, from))) && (to == end || !word_at(text, to));
}

// Appends the pieces of text[begin .. end) of `pieces`: text, and the tokens found in it.
static gw_status cut_at_added(const added_tokens *added, bool normalized, gw_pieces *pieces, int64_t begin, int64_t end,
                              bool first) {
    const char *text = pieces->text.data;
    int64_t done = begin, at = begin;
    while (at < end) {
        const int32_t *first_of = added->first[normalized] + (uint8_t)text[at];
        const added_token *token = NULL; // the longest one at text[at ..)
        for (int32_t i = first_of[0]; i < first_of[1] && !token; i++) {
            const added_token *t = &added->list[added->order[normalized][i]];
            if (t->length <= end - at && memcmp(text + at, t->wanted, (size_t)t->length) == 0) token = t;
        }
        if (!token) {
            at++;
            continue;
        }
        int64_t from = at, to = at + token->length;
        at = to;
        if (token->single_word && !stands_alone(text, begin, end, from, to)) continue;
        int bytes;
        while (token->left_strip && from > done) {
            const int64_t before = character_before(text, from);
            if (!gw_is_space(gw_utf8_read(text + before, &bytes))) break;
            from = before;
        }
        while (token->right_strip && to < end && gw_is_space(gw_utf8_read(text + to, &bytes))) to += bytes;
        if (from < done) from = done; // what an earlier token stripped is taken already
        if (done < from) GW_TRY(gw_pieces_add(pieces, (gw_piece){done, from, -1, first && done == begin}));
        GW_TRY(gw_pieces_add(pieces, (gw_piece){from, to, token->id, false}));
        done = to;
    }
    if (done < end) GW_TRY(gw_pieces_add(pieces, (gw_piece){done, end, -1, first && done == begin}));
    return GW_OK;
}

// --- post-processor: the special tokens around a text, and around a pair of texts ----------------------------------

static gw_status check_token(const char *path, const gw_tokenizer *t, const json_t *id, int32_t *out) {
    const int64_t value = json_is_integer(id) ? json_integer_value(id) : -1;
    if (value < 0 || value >= t->size)
        return gw_fail(GW_ERR_FORMAT, "%s: \"post_processor\" names a token whose id is not in the vocabulary", path);
    *out = (int32_t)value;
    return GW_OK;
}

static gw_status add(const char *path, gw_template *around, gw_template_piece piece) {
    if (around->count == GW_TEMPLATE_PIECES)
        return gw_fail(GW_ERR_UNSUPPORTED, "%s: a post-processor puts more than %d pieces together", path,
                       GW_TEMPLATE_PIECES);
    around->pieces[around->count++] = piece;
    return GW_OK;
}

static gw_status add_token(const char *path, gw_template *around, int32_t token, int32_t segment) {
    return add(path, around, (gw_template_piece){GW_PIECE_TOKEN, token, segment});
}

// [CLS] A [SEP] B [SEP] of BERT, [CLS] A [SEP] [SEP] B [SEP] of RoBERTa, which has no segments.
static gw_status read_classic(const char *path, const json_t *json, bool roberta, gw_tokenizer *t) {
    int32_t cls = -1, sep = -1;
    GW_TRY(check_token(path, t, json_array_get(json_object_get(json, "cls"), 1), &cls));
    GW_TRY(check_token(path, t, json_array_get(json_object_get(json, "sep"), 1), &sep));
    t->specials[GW_SPECIAL_CLS] = cls;
    t->specials[GW_SPECIAL_SEP] = sep;
    const int32_t second = roberta ? 0 : 1;
    t->single = (gw_template){0};
    GW_TRY(add_token(path, &t->single, cls, 0));
    GW_TRY(add(path, &t->single, (gw_template_piece){GW_PIECE_A, 0, 0}));
    GW_TRY(add_token(path, &t->single, sep, 0));
    t->pair = t->single;
    if (roberta) GW_TRY(add_token(path, &t->pair, sep, 0));
    GW_TRY(add(path, &t->pair, (gw_template_piece){GW_PIECE_B, 0, second}));
    return add_token(path, &t->pair, sep, second);
}

// {"SpecialToken": {"id", "type_id"}}: the ids that "special_tokens" lists under that name.
static gw_status read_special(const char *path, const json_t *token, int32_t segment, const json_t *names,
                              const gw_tokenizer *t, gw_template *out) {
    const char *name;
    GW_TRY(gw_json_string(token, path, "id", true, &name));
    const json_t *ids = json_object_get(json_object_get(names, name), "ids");
    if (!json_is_array(ids))
        return gw_fail(GW_ERR_FORMAT, "%s: \"post_processor\" does not list the special token \"%.60s\"", path, name);
    for (size_t i = 0; i < json_array_size(ids); i++) {
        int32_t id = -1;
        GW_TRY(check_token(path, t, json_array_get(ids, i), &id));
        GW_TRY(add_token(path, out, id, segment));
    }
    return GW_OK;
}

static gw_status read_template(const char *path, const json_t *list, const json_t *names, const gw_tokenizer *t,
                               bool is_pair, gw_template *out) {
    *out = (gw_template){0};
    if (!json_is_array(list))
        return gw_fail(GW_ERR_FORMAT, "%s: \"post_processor\": a template without its lists of pieces", path);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *piece = json_array_get(list, i), *token = json_object_get(piece, "SpecialToken"),
                     *text = json_object_get(piece, "Sequence");
        int64_t segment = 0;
        const char *name;
        GW_TRY(gw_json_int(token ? token : text, path, "type_id", true, 0, INT32_MAX, &segment));
        if (token) {
            GW_TRY(read_special(path, token, (int32_t)segment, names, t, out));
            continue;
        }
        GW_TRY(gw_json_string(text, path, "id", true, &name));
        const bool second = strcmp(name, "B") == 0;
        if ((second && !is_pair) || (!second && strcmp(name, "A") != 0))
            return gw_fail(GW_ERR_FORMAT, "%s: \"post_processor\": a template with the text \"%.20s\"", path, name);
        GW_TRY(add(path, out, (gw_template_piece){second ? GW_PIECE_B : GW_PIECE_A, 0, (int32_t)segment}));
    }
    return GW_OK;
}

// *adds: a processor that puts tokens around a text was met.
static gw_status read_list(const char *path, const json_t *json, gw_tokenizer *t, bool *adds, int depth) {
    enum { MOST_DEPTH = 20 };
    const char *type;
    if (json_is_null(json) || !json) return GW_OK;
    GW_TRY(gw_json_string(json, path, "type", true, &type));
    if (strcmp(type, "ByteLevel") == 0) return GW_OK; // changes offsets alone
    if (strcmp(type, "Sequence") == 0) {
        const json_t *list = json_object_get(json, "processors");
        if (!json_is_array(list) || depth == MOST_DEPTH)
            return gw_fail(GW_ERR_FORMAT, "%s: \"post_processor\": a Sequence without \"processors\", or too deep",
                           path);
        for (size_t i = 0; i < json_array_size(list); i++)
            GW_TRY(read_list(path, json_array_get(list, i), t, adds, depth + 1));
        return GW_OK;
    }
    if (*adds)
        return gw_fail(GW_ERR_UNSUPPORTED, "%s: \"post_processor\": a Sequence of several that add tokens", path);
    *adds = true;
    if (strcmp(type, "BertProcessing") == 0) return read_classic(path, json, false, t);
    if (strcmp(type, "RobertaProcessing") == 0) return read_classic(path, json, true, t);
    if (strcmp(type, "TemplateProcessing") == 0) {
        const json_t *names = json_object_get(json, "special_tokens");
        GW_TRY(read_template(path, json_object_get(json, "single"), names, t, false, &t->single));
        GW_TRY(read_template(path, json_object_get(json, "pair"), names, t, true, &t->pair));
        const gw_template_piece *pieces = t->single.pieces; // [CLS] A [SEP]?
        if (t->single.count != 3 || pieces[0].what != GW_PIECE_TOKEN || pieces[1].what != GW_PIECE_A ||
            pieces[2].what != GW_PIECE_TOKEN)
            return GW_OK;
        t->specials[GW_SPECIAL_CLS] = pieces[0].token;
        t->specials[GW_SPECIAL_SEP] = pieces[2].token;
        return GW_OK;
    }
    return gw_fail(GW_ERR_UNSUPPORTED, "%s: \"post_processor\": %s is not one that this program runs", path, type);
}

typedef struct {
    const pipeline_parts *pipeline;
    gw_pieces pieces;
    gw_normalizer_scratch normalizer;
    gw_bpe_words words;
    gw_unigram_path path;
    gw_string key; // of WordPiece
    bool trimmed;
} pipeline_scratch;

// --- encoding ------------------------------------------------------------------------------------------------------

static void free_scratch(void *scratch) {
    pipeline_scratch *s = scratch;
    if (!s) return;
    gw_pieces_free(&s->pieces);
    gw_normalizer_scratch_free(&s->normalizer);
    gw_bpe_words_free(&s->words);
    gw_unigram_path_free(&s->path);
    gw_string_free(&s->key);
    free(s);
}

static gw_status new_scratch(const gw_tokenizer *tokenizer, void **out) {
    *out = NULL;
    pipeline_scratch *s = gw_alloc(1, sizeof *s);
    if (!s) return GW_ERR_MEMORY;
    s->pipeline = tokenizer->state;
    const gw_status status =
        s->pipeline->kind == GW_MODEL_BPE ? gw_bpe_words_make(&s->words, &s->pipeline->model) : GW_OK;
    if (status == GW_OK) *out = s;
    else free_scratch(s);
    return status;
}

static gw_status normalise_piece(const void *context, const char *text, int64_t length, bool first, gw_string *out) {
    pipeline_scratch *s = *(pipeline_scratch *const *)context;
    bool trimmed;
    GW_TRY(gw_normalize(&s->pipeline->normalizer, &s->normalizer, text, length, out, &trimmed));
    if (first) s->trimmed = trimmed;
    return GW_OK;
}

static gw_status encode(void *scratch, const char *text, int64_t length, gw_encoded *out) {
    pipeline_scratch *s = scratch;
    const int64_t valid = gw_utf8_valid(text, length);
    if (valid < length) return gw_fail(GW_ERR_FORMAT, "byte %lld of a text is not UTF-8", (long long)valid + 1);
    const pipeline_parts *p = s->pipeline;
    gw_pieces *pieces = &s->pieces;
    pieces->count = 0;
    s->trimmed = false;
    gw_string_clear(&pieces->text);
    gw_string_append(&pieces->text, text, length);
    GW_TRY(gw_string_status(&pieces->text));
    GW_TRY(cut_at_added(&p->added, false, pieces, 0, length, true));
    if (p->normalizer.count > 0) GW_TRY(gw_pieces_map(pieces, normalise_piece, &s));
    const int64_t count = gw_pieces_start_list(pieces); // cut at the added tokens of normalised text
    for (int64_t i = 0; i < count; i++) {
        const gw_piece piece = pieces->other_list[i];
        if (piece.token >= 0) GW_TRY(gw_pieces_add(pieces, piece));
        else GW_TRY(cut_at_added(&p->added, true, pieces, piece.begin, piece.end, piece.first && !s->trimmed));
    }
    GW_TRY(gw_pre_tokenize(&p->pre_tokenizer, pieces));
    s->words.count = s->words.unknown = 0;
    for (int64_t i = 0; i < pieces->count; i++) {
        const gw_piece piece = pieces->list[i];
        const char *word = pieces->text.data + piece.begin;
        const int64_t letters = piece.end - piece.begin;
        if (piece.token >= 0) GW_TRY(gw_bpe_words_add_token(&s->words, piece.token));
        else if (p->kind == GW_MODEL_UNIGRAM)
            GW_TRY(gw_unigram_model_add(&p->unigram, &s->path, word, letters, &s->words));
        else if (p->kind == GW_MODEL_WORDPIECE)
            GW_TRY(gw_wordpiece_model_add(&p->wordpiece, &s->key, word, letters, &s->words));
        else GW_TRY(gw_bpe_words_add(&s->words, &p->model, word, letters));
    }
    *out = (gw_encoded){s->words.tokens, s->words.count, s->words.unknown};
    return GW_OK;
}

// --- decoding ------------------------------------------------------------------------------------------------------

// Special tokens are left out. Of tokenizers of DNA [UNK] stays, without which bases would be missing unseen, and
// tokens are never joined by spaces.
static gw_status decode_tokens(const gw_tokenizer *t, const int32_t *tokens, int64_t count, gw_pieces *pieces) {
    const pipeline_parts *pipeline = t->state;
    for (int64_t i = 0; i < count; i++) {
        const int64_t begin = pieces->text.length;
        const bool kept = t->is_dna && tokens[i] == t->specials[GW_SPECIAL_UNK];
        if (t->special[tokens[i]] && !kept) continue;
        gw_string_puts(&pieces->text, pipeline->decoded[tokens[i]]);
        if (t->is_dna && pipeline->decoder.count == 0 && pieces->count > 0) pieces->list[0].end = pieces->text.length;
        else GW_TRY(gw_pieces_add(pieces, (gw_piece){begin, pieces->text.length, -1, false}));
    }
    return gw_string_status(&pieces->text);
}

static gw_status decode(const gw_tokenizer *tokenizer, const int32_t *tokens, int64_t count, gw_string *out) {
    const pipeline_parts *pipeline = tokenizer->state;
    gw_pieces pieces = {0};
    gw_status status = decode_tokens(tokenizer, tokens, count, &pieces);
    if (status == GW_OK) status = gw_decode_pieces(&pipeline->decoder, &pieces, out);
    gw_pieces_free(&pieces);
    return status;
}

static void free_pipeline(void *state) {
    pipeline_parts *p = state;
    if (!p) return;
    gw_normalizer_free(&p->normalizer);
    added_tokens *added = &p->added;
    for (int64_t i = 0; i < added->count; i++) {
        free(added->list[i].content);
        free(added->list[i].wanted);
    }
    free(added->list);
    free(added->order[0]);
    free(added->order[1]);
    *added = (added_tokens){0};
    gw_pre_tokenizer_free(&p->pre_tokenizer);
    gw_bpe_model_free(&p->model);
    gw_unigram_model_free(&p->unigram);
    gw_wordpiece_model_free(&p->wordpiece);
    gw_decoder_free(&p->decoder);
    free(p->decoded);
    free(p);
}

static const gw_tokenizer_kind pipeline_kind = {
    .file = "tokenizer.json",
    .transformers = "PreTrainedTokenizerFast",
    .free = free_pipeline,
    .scratch_new = new_scratch,
    .scratch_free = free_scratch,
    .encode = encode,
    .decode = decode,
};

// --- reading -------------------------------------------------------------------------------------------------------

// What all models have.
typedef struct {
    char **texts;
    const gw_text_index *index;
    int32_t size, tokens; // ids, and those that a token has
    int32_t unknown;      // -1: none
} vocabulary;

static vocabulary vocabulary_of(const pipeline_parts *p) {
    const gw_bpe_model *m = &p->model;
    const gw_id_vocabulary *v = &p->wordpiece.vocabulary;
    if (p->kind == GW_MODEL_WORDPIECE)
        return (vocabulary){v->texts, &v->index, v->size, v->tokens, p->wordpiece.unknown};
    if (p->kind == GW_MODEL_UNIGRAM)
        return (vocabulary){p->unigram.texts, &p->unigram.index, p->unigram.size, p->unigram.size, p->unigram.unknown};
    return (vocabulary){m->texts, &m->index, m->size, m->tokens, m->unknown ? m->token_of[m->unknown] : -1};
}

static gw_status read_model(const char *path, const json_t *model, pipeline_parts *p) {
    const char *type = NULL;
    GW_TRY(gw_json_string(model, path, "type", false, &type));
    if (!type && json_object_get(model, "merges")) type = "BPE"; // old files do not say it
    if (!type) type = "unnamed";
    if (strcmp(type, "Unigram") == 0) p->kind = GW_MODEL_UNIGRAM;
    else if (strcmp(type, "WordPiece") == 0) p->kind = GW_MODEL_WORDPIECE;
    else if (strcmp(type, "BPE") != 0)
        return gw_fail(GW_ERR_UNSUPPORTED, "%s: the model is %s, expected BPE, Unigram or WordPiece", path, type);
    if (p->kind == GW_MODEL_UNIGRAM) return gw_unigram_model_read(path, model, &p->unigram);
    if (p->kind == GW_MODEL_WORDPIECE) return gw_wordpiece_model_read(path, model, &p->wordpiece);
    return gw_bpe_model_read(path, model, &p->model);
}

static gw_status read_parts(const char *path, const json_t *root, pipeline_parts *p) {
    GW_TRY(read_model(path, json_object_get(root, "model"), p));
    GW_TRY(gw_normalizer_read(path, json_object_get(root, "normalizer"), &p->normalizer));
    GW_TRY(gw_pre_tokenizer_read(path, json_object_get(root, "pre_tokenizer"), &p->pre_tokenizer));
    GW_TRY(gw_decoder_read(path, json_object_get(root, "decoder"), &p->decoder));
    const vocabulary v = vocabulary_of(p);
    return read_added(path, json_object_get(root, "added_tokens"), v.index, v.tokens, &p->normalizer, &p->added);
}

static gw_status fill(const char *path, const json_t *root, pipeline_parts *p, gw_tokenizer *t) {
    const vocabulary v = vocabulary_of(p);
    for (int32_t i = 0; i < v.size; i++) {
        if (!v.texts[i]) continue;
        t->texts[i] = gw_strdup(v.texts[i]);
        if (!t->texts[i]) return GW_ERR_MEMORY;
    }
    for (int64_t i = 0; i < p->added.count; i++) {
        const added_token *added = &p->added.list[i];
        t->special[added->id] = t->special[added->id] || added->special;
        if (t->texts[added->id]) continue;
        t->texts[added->id] = gw_strdup(added->content);
        if (!t->texts[added->id]) return GW_ERR_MEMORY;
    }
    p->decoded = gw_alloc(t->size, sizeof *p->decoded);
    if (!p->decoded) return GW_ERR_MEMORY;
    for (int32_t i = 0; i < t->size; i++) p->decoded[i] = t->texts[i] ? t->texts[i] : "";
    for (int64_t i = 0; i < p->added.count; i++) p->decoded[p->added.list[i].id] = p->added.list[i].wanted;
    bool adds = false;
    GW_TRY(read_list(path, json_object_get(root, "post_processor"), t, &adds, 0));
    t->specials[GW_SPECIAL_UNK] = v.unknown;
    return gw_special_names_find(path, t);
}

gw_status gw_pipeline_read(const char *path, const json_t *root, const char *bytes, int64_t length,
                           gw_tokenizer **out) {
    *out = NULL;
    pipeline_parts *pipeline = gw_alloc(1, sizeof *pipeline);
    if (!pipeline) return GW_ERR_MEMORY;
    gw_status status = read_parts(path, root, pipeline);
    if (status != GW_OK) {
        free_pipeline(pipeline);
        return status;
    }
    int32_t size = vocabulary_of(pipeline).size;
    for (int64_t i = 0; i < pipeline->added.count; i++)
        if (pipeline->added.list[i].id >= size) size = pipeline->added.list[i].id + 1;
    gw_tokenizer *tokenizer;
    GW_TRY(gw_tokenizer_new(&pipeline_kind, pipeline, size, &tokenizer));
    status = fill(path, root, pipeline, tokenizer);
    if (status == GW_OK) status = gw_tokenizer_finish(tokenizer, path, bytes, length);
    if (status == GW_OK) *out = tokenizer;
    else gw_tokenizer_free(tokenizer);
    return status;
}
