// SPDX-License-Identifier: MIT
// Runs the parts in their order: added tokens, normalizer, pre-tokenizer, model, post-processor.
#include "text/json/pipeline.h"

#include "base/memory.h"
#include "base/utf8.h"
#include "text/special_names.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    const gw_pipeline *pipeline;
    gw_pieces pieces;
    gw_normalizer_scratch normalizer;
    gw_bpe_words words;
    gw_unigram_path path;
    gw_string key; // of WordPiece
    bool trimmed;
} pipeline_scratch;

static void free_pipeline(void *state) {
    gw_pipeline *p = state;
    if (!p) return;
    gw_normalizer_free(&p->normalizer);
    gw_added_tokens_free(&p->added);
    gw_pre_tokenizer_free(&p->pre_tokenizer);
    gw_bpe_model_free(&p->model);
    gw_unigram_model_free(&p->unigram);
    gw_wordpiece_model_free(&p->wordpiece);
    gw_decoder_free(&p->decoder);
    free(p->decoded);
    free(p);
}

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

// Cuts the pieces of text at the added tokens that are looked for in normalised text.
static gw_status cut_normalised(pipeline_scratch *s) {
    gw_pieces *p = &s->pieces;
    const int64_t count = gw_pieces_start_list(p);
    for (int64_t i = 0; i < count; i++) {
        const gw_piece piece = p->other_list[i];
        if (piece.token >= 0) GW_TRY(gw_pieces_add(p, piece));
        else
            GW_TRY(
                gw_added_tokens_cut(&s->pipeline->added, true, p, piece.begin, piece.end, piece.first && !s->trimmed));
    }
    return GW_OK;
}

static gw_status cut(pipeline_scratch *s, const char *text, int64_t length) {
    gw_pieces *p = &s->pieces;
    p->count = 0;
    s->trimmed = false;
    gw_string_clear(&p->text);
    gw_string_append(&p->text, text, length);
    GW_TRY(gw_string_status(&p->text));
    GW_TRY(gw_added_tokens_cut(&s->pipeline->added, false, p, 0, length, true));
    if (s->pipeline->normalizer.count > 0) GW_TRY(gw_pieces_map(p, normalise_piece, &s));
    GW_TRY(cut_normalised(s));
    return gw_pre_tokenize(&s->pipeline->pre_tokenizer, p);
}

static gw_status add_word(pipeline_scratch *s, const char *word, int64_t length) {
    const gw_pipeline *p = s->pipeline;
    switch (p->kind) {
    case GW_MODEL_UNIGRAM: return gw_unigram_model_add(&p->unigram, &s->path, word, length, &s->words);
    case GW_MODEL_WORDPIECE: return gw_wordpiece_model_add(&p->wordpiece, &s->key, word, length, &s->words);
    default: return gw_bpe_words_add(&s->words, &p->model, word, length);
    }
}

static gw_status encode(void *scratch, const char *text, int64_t length, gw_encoded *out) {
    pipeline_scratch *s = scratch;
    const int64_t valid = gw_utf8_valid(text, length);
    if (valid < length) return gw_fail(GW_ERR_FORMAT, "byte %lld of a text is not UTF-8", (long long)valid + 1);
    GW_TRY(cut(s, text, length));
    s->words.count = s->words.unknown = 0;
    for (int64_t i = 0; i < s->pieces.count; i++) {
        const gw_piece piece = s->pieces.list[i];
        if (piece.token >= 0) GW_TRY(gw_bpe_words_add_token(&s->words, piece.token));
        else GW_TRY(add_word(s, s->pieces.text.data + piece.begin, piece.end - piece.begin));
    }
    *out = (gw_encoded){s->words.tokens, s->words.count, s->words.unknown};
    return GW_OK;
}

// --- decoding ------------------------------------------------------------------------------------------------------

// Special tokens are left out. Of tokenizers of DNA [UNK] stays, without which bases would be missing unseen, and
// tokens are never joined by spaces.
static gw_status decode_tokens(const gw_tokenizer *t, const int32_t *tokens, int64_t count, gw_pieces *pieces) {
    const gw_pipeline *pipeline = t->state;
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
    const gw_pipeline *pipeline = tokenizer->state;
    gw_pieces pieces = {0};
    gw_status status = decode_tokens(tokenizer, tokens, count, &pieces);
    if (status == GW_OK) status = gw_decode_pieces(&pipeline->decoder, &pieces, out);
    gw_pieces_free(&pieces);
    return status;
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

static vocabulary vocabulary_of(const gw_pipeline *p) {
    const gw_bpe_model *m = &p->model;
    const gw_id_vocabulary *v = &p->wordpiece.vocabulary;
    if (p->kind == GW_MODEL_WORDPIECE)
        return (vocabulary){v->texts, &v->index, v->size, v->tokens, p->wordpiece.unknown};
    if (p->kind == GW_MODEL_UNIGRAM)
        return (vocabulary){p->unigram.texts, &p->unigram.index, p->unigram.size, p->unigram.size, p->unigram.unknown};
    return (vocabulary){m->texts, &m->index, m->size, m->tokens, m->unknown ? m->token_of[m->unknown] : -1};
}

static gw_status read_model(const char *path, const json_t *model, gw_pipeline *p) {
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

static gw_status read_parts(const char *path, const json_t *root, gw_pipeline *p) {
    GW_TRY(read_model(path, json_object_get(root, "model"), p));
    GW_TRY(gw_normalizer_read(path, json_object_get(root, "normalizer"), &p->normalizer));
    GW_TRY(gw_pre_tokenizer_read(path, json_object_get(root, "pre_tokenizer"), &p->pre_tokenizer));
    GW_TRY(gw_decoder_read(path, json_object_get(root, "decoder"), &p->decoder));
    const vocabulary v = vocabulary_of(p);
    return gw_added_tokens_read(path, json_object_get(root, "added_tokens"), v.index, v.tokens, &p->normalizer,
                                &p->added);
}

static gw_status copy_texts(const gw_pipeline *p, gw_tokenizer *t) {
    const vocabulary v = vocabulary_of(p);
    for (int32_t i = 0; i < v.size; i++) {
        if (!v.texts[i]) continue;
        t->texts[i] = gw_strdup(v.texts[i]);
        if (!t->texts[i]) return GW_ERR_MEMORY;
    }
    for (int64_t i = 0; i < p->added.count; i++) {
        const gw_added_token *added = &p->added.list[i];
        t->special[added->id] = t->special[added->id] || added->special;
        if (t->texts[added->id]) continue;
        t->texts[added->id] = gw_strdup(added->content);
        if (!t->texts[added->id]) return GW_ERR_MEMORY;
    }
    return GW_OK;
}

static gw_status choose_decoded(gw_pipeline *p, const gw_tokenizer *t) {
    p->decoded = gw_alloc(t->size, sizeof *p->decoded);
    if (!p->decoded) return GW_ERR_MEMORY;
    for (int32_t i = 0; i < t->size; i++) p->decoded[i] = t->texts[i] ? t->texts[i] : "";
    for (int64_t i = 0; i < p->added.count; i++) p->decoded[p->added.list[i].id] = p->added.list[i].wanted;
    return GW_OK;
}

static gw_status fill(const char *path, const json_t *root, gw_pipeline *p, gw_tokenizer *t) {
    GW_TRY(copy_texts(p, t));
    GW_TRY(choose_decoded(p, t));
    GW_TRY(gw_post_processor_read(path, json_object_get(root, "post_processor"), t));
    t->specials[GW_SPECIAL_UNK] = vocabulary_of(p).unknown;
    return gw_special_names_find(path, t);
}

gw_status gw_pipeline_read(const char *path, const json_t *root, const char *bytes, int64_t length,
                           gw_tokenizer **out) {
    *out = NULL;
    gw_pipeline *pipeline = gw_alloc(1, sizeof *pipeline);
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
