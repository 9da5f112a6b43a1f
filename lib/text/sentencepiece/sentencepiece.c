// SPDX-License-Identifier: MIT
// A SentencePiece model: loading with every check, encoding, decoding.
#include "base/memory.h"
#include "base/output.h"
#include "text/sentencepiece/spm_model.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_PIECE = 8000 }; // bytes, not reached
static const double UNKNOWN_PENALTY = 10;
#define UNKNOWN_SURFACE " \xE2\x81\x87 " // U+2047

// --- loading -------------------------------------------------------------------------------------------------------

static bool becomes_text(gw_piece_kind kind) {
    return kind == GW_PIECE_NORMAL || kind == GW_PIECE_USER_DEFINED || kind == GW_PIECE_UNUSED;
}

// The byte of "<0x0A>", or -1.
static int byte_of(const char *piece) {
    static const char digits[] = "0123456789ABCDEF";
    if (strncmp(piece, "<0x", 3) != 0 || strlen(piece) != 6 || piece[5] != '>') return -1;
    const char *high = strchr(digits, piece[3]), *low = strchr(digits, piece[4]);
    return high && low ? (int)((high - digits) * 16 + (low - digits)) : -1;
}

static gw_status fail_piece(const char *name, int32_t id, const char *what) {
    return gw_fail(GW_ERR_FORMAT, "%s: pieces[%d] %s", name, id, what);
}

// A piece of one zero byte: written by conversion scripts, of no use.
static bool is_zero_byte(const gw_spm_piece *piece) {
    return piece->length == 1 && piece->text[0] == '\0';
}

static gw_status check_piece(const char *name, gw_sentencepiece *model, int32_t id) {
    gw_spm_piece *piece = &model->pieces[id];
    if (is_zero_byte(piece) && model->byte_fallback) piece->kind = GW_PIECE_UNUSED;
    if (piece->length == 0) return fail_piece(name, id, "is empty");
    if (piece->length >= LONGEST_PIECE) return fail_piece(name, id, "has 8000 bytes or more");
    if (!isfinite(piece->score)) return fail_piece(name, id, "has a score that is not a number");
    if (is_zero_byte(piece) && piece->kind == GW_PIECE_UNUSED) return GW_OK;
    if (strlen(piece->text) != (size_t)piece->length) return fail_piece(name, id, "holds a zero byte");
    model->has_unused |= piece->kind == GW_PIECE_UNUSED;
    if (becomes_text(piece->kind)) model->space_inside |= strstr(piece->text + 1, GW_SPACE_SYMBOL) != NULL;
    if (piece->kind == GW_PIECE_UNKNOWN) {
        if (model->unknown >= 0)
            return gw_fail(GW_ERR_FORMAT, "%s: pieces[%d] and pieces[%d] are both unknown pieces", name, model->unknown,
                           id);
        model->unknown = id;
    }
    if (piece->kind == GW_PIECE_BYTE) {
        const int byte = byte_of(piece->text);
        if (!model->byte_fallback) return fail_piece(name, id, "is a byte, but trainer_spec.byte_fallback is not set");
        if (byte < 0) return fail_piece(name, id, "is a byte, but its text is not <0x00> to <0xFF>");
        model->byte_ids[byte] = id;
    }
    return GW_OK;
}

// The pieces of some kinds (bits), which must be distinct; and a trie of them where `trie` is not NULL.
static gw_status index_kinds(const char *name, const gw_sentencepiece *model, unsigned kinds, gw_byte_trie *trie) {
    gw_trie_key *keys = gw_alloc(model->size, sizeof *keys);
    if (!keys) return GW_ERR_MEMORY;
    int64_t count = 0, duplicate;
    for (int32_t i = 0; i < model->size; i++) {
        const gw_spm_piece *piece = &model->pieces[i];
        if (kinds >> piece->kind & 1 && !is_zero_byte(piece))
            keys[count++] = (gw_trie_key){piece->text, piece->length, i};
    }
    gw_status status = GW_OK;
    if (trie) status = gw_byte_trie_build(trie, keys, count, &duplicate);
    else duplicate = gw_trie_keys_sort(keys, count);
    if (status != GW_OK) status = gw_fail_in(status, "%s", name);
    else if (duplicate >= 0)
        status = gw_fail(GW_ERR_FORMAT, "%s: pieces[%d] and pieces[%d] are both \"%.60s\"", name,
                         keys[duplicate - 1].value, keys[duplicate].value, keys[duplicate].text);
    free(keys);
    return status;
}

#define BIT(kind) (1u << (kind))
#define TEXT_KINDS (BIT(GW_PIECE_NORMAL) | BIT(GW_PIECE_USER_DEFINED) | BIT(GW_PIECE_UNUSED))
#define RESERVED_KINDS (BIT(GW_PIECE_UNKNOWN) | BIT(GW_PIECE_CONTROL) | BIT(GW_PIECE_BYTE))

// Scores as sentencepiece sets them: a user-defined symbol of n bytes has 0.1 (n - 1), so that one long symbol is worth
// more than the short ones that it is made of.
static gw_status make_unigram(const char *name, gw_sentencepiece *model) {
    gw_unigram *u = &model->unigram;
    float least = FLT_MAX;
    u->single = true;
    u->scores = gw_alloc(model->size, sizeof *u->scores);
    u->lengths = gw_alloc(model->size, sizeof *u->lengths);
    if (!u->scores || !u->lengths) return GW_ERR_MEMORY;
    for (int32_t i = 0; i < model->size; i++) {
        const gw_spm_piece *piece = &model->pieces[i];
        u->lengths[i] = piece->length;
        u->scores[i] = piece->kind == GW_PIECE_USER_DEFINED ? (float)(0.1 * (piece->length - 1)) : piece->score;
        if (piece->kind == GW_PIECE_NORMAL && piece->score < least) least = piece->score;
        if (piece->length > u->longest) u->longest = piece->length;
    }
    u->unknown_score = (float)(least - UNKNOWN_PENALTY);
    GW_TRY(index_kinds(name, model, BIT(GW_PIECE_NORMAL) | BIT(GW_PIECE_USER_DEFINED), &u->trie));
    if (!gw_byte_trie_is_empty(&u->trie)) return GW_OK;
    return gw_fail(GW_ERR_FORMAT, "%s: pieces: none can become text", name);
}

static int32_t find_named(const gw_sentencepiece *model, const char *piece, const char *otherwise, gw_piece_kind kind) {
    const int32_t id = gw_sentencepiece_find(model, piece && *piece ? piece : otherwise);
    return id >= 0 && model->pieces[id].kind == kind ? id : -1;
}

static gw_status finish(const char *name, gw_sentencepiece *model) {
    if (model->type != GW_SPM_UNIGRAM && model->type != GW_SPM_BPE)
        return gw_fail(GW_ERR_UNSUPPORTED, "%s: trainer_spec.model_type is %s, expected UNIGRAM or BPE", name,
                       model->type == GW_SPM_WORD ? "WORD" : "CHAR");
    model->unknown = -1;
    for (int b = 0; b < 256; b++) model->byte_ids[b] = -1;
    for (int32_t i = 0; i < model->size; i++) GW_TRY(check_piece(name, model, i));
    if (model->unknown < 0 && !model->byte_fallback)
        return gw_fail(GW_ERR_FORMAT, "%s: pieces: none is the unknown piece", name);
    for (int b = 0; b < 256 && model->byte_fallback; b++)
        if (model->byte_ids[b] < 0)
            return gw_fail(GW_ERR_FORMAT, "%s: pieces: trainer_spec.byte_fallback is set, but <0x%02X> is missing",
                           name, (unsigned)b);
    GW_TRY(index_kinds(name, model, BIT(GW_PIECE_USER_DEFINED), &model->symbols));
    if (model->type == GW_SPM_BPE) GW_TRY(index_kinds(name, model, TEXT_KINDS | RESERVED_KINDS, &model->all));
    else {
        GW_TRY(index_kinds(name, model, RESERVED_KINDS, NULL)); // these may share texts with the others
        if (model->has_unused) GW_TRY(index_kinds(name, model, TEXT_KINDS, NULL));
        GW_TRY(make_unigram(name, model));
    }
    model->normalizer.treat_whitespace_as_suffix = model->treat_whitespace_as_suffix;
    model->normalizer.symbols = &model->symbols;
    gw_spm_normalizer_prepare(&model->normalizer);
    gw_spm_normalizer_prepare(&model->denormalizer);
    model->named.unk = find_named(model, model->unk_piece, "<unk>", GW_PIECE_UNKNOWN);
    model->named.bos = find_named(model, model->bos_piece, "<s>", GW_PIECE_CONTROL);
    model->named.eos = find_named(model, model->eos_piece, "</s>", GW_PIECE_CONTROL);
    model->named.pad = find_named(model, model->pad_piece, "<pad>", GW_PIECE_CONTROL);
    return GW_OK;
}

gw_status gw_sentencepiece_parse(const char *name, const void *bytes, int64_t count, gw_sentencepiece **out) {
    *out = NULL;
    gw_sentencepiece *model = gw_alloc(1, sizeof *model);
    if (!model) return GW_ERR_MEMORY;
    gw_status status = gw_spm_read_proto(name, bytes, count, model);
    if (status == GW_OK) status = finish(name, model);
    if (status == GW_OK) *out = model;
    else gw_sentencepiece_free(model);
    return status;
}

gw_status gw_sentencepiece_load(const char *path, gw_sentencepiece **out) {
    *out = NULL;
    char *bytes;
    int64_t count;
    GW_TRY(gw_read_file(path, &bytes, &count));
    const gw_status status = gw_sentencepiece_parse(path, bytes, count, out);
    free(bytes);
    return status;
}

void gw_sentencepiece_free(gw_sentencepiece *model) {
    if (!model) return;
    free(model->pieces);
    free(model->texts);
    free(model->unk_piece);
    free(model->bos_piece);
    free(model->eos_piece);
    free(model->pad_piece);
    free(model->unk_surface);
    gw_charsmap_free(&model->normalizer.rules);
    gw_charsmap_free(&model->denormalizer.rules);
    gw_byte_trie_free(&model->all);
    gw_byte_trie_free(&model->symbols);
    gw_unigram_free(&model->unigram);
    free(model);
}

// --- questions -----------------------------------------------------------------------------------------------------

int32_t gw_sentencepiece_size(const gw_sentencepiece *model) {
    return model->size;
}

const char *gw_sentencepiece_piece(const gw_sentencepiece *model, int32_t id) {
    return model->pieces[id].text;
}

gw_piece_kind gw_sentencepiece_kind(const gw_sentencepiece *model, int32_t id) {
    return model->pieces[id].kind;
}

float gw_sentencepiece_score(const gw_sentencepiece *model, int32_t id) {
    return model->pieces[id].score;
}

int32_t gw_sentencepiece_find(const gw_sentencepiece *model, const char *piece) {
    int32_t found = -1;
    for (int32_t i = 0; i < model->size; i++) {
        if (strcmp(model->pieces[i].text, piece) != 0 || is_zero_byte(&model->pieces[i])) continue;
        if (!becomes_text(model->pieces[i].kind)) return i;
        found = i;
    }
    return found;
}

gw_sentencepiece_ids gw_sentencepiece_named(const gw_sentencepiece *model) {
    return model->named;
}

// --- encoding ------------------------------------------------------------------------------------------------------

struct gw_sentencepiece_encoder {
    const gw_sentencepiece *model;
    gw_string normalized;
    gw_unigram_path path;
    gw_spm_bpe *bpe; // of BPE models
    int32_t *ids;
    int64_t ids_capacity;
    int64_t unknown;
};

gw_status gw_sentencepiece_encoder_new(const gw_sentencepiece *model, gw_sentencepiece_encoder **out) {
    gw_sentencepiece_encoder *e = *out = gw_alloc(1, sizeof *e);
    if (!e) return GW_ERR_MEMORY;
    e->model = model;
    if (model->type != GW_SPM_BPE || gw_spm_bpe_new(model, &e->bpe) == GW_OK) return GW_OK;
    gw_sentencepiece_encoder_free(e);
    *out = NULL;
    return GW_ERR_MEMORY;
}

void gw_sentencepiece_encoder_free(gw_sentencepiece_encoder *encoder) {
    if (!encoder) return;
    gw_string_free(&encoder->normalized);
    gw_unigram_path_free(&encoder->path);
    gw_spm_bpe_free(encoder->bpe);
    free(encoder->ids);
    free(encoder);
}

gw_status gw_sentencepiece_encode(gw_sentencepiece_encoder *e, const char *text, int64_t length, const int32_t **ids,
                                  int64_t *count) {
    gw_spm_ids out;
    *ids = e->ids;
    *count = e->unknown = 0;
    gw_string_clear(&e->normalized);
    GW_TRY(gw_spm_normalize(&e->model->normalizer, text, length, &e->normalized));
    if (e->normalized.length == 0) return GW_OK;
    if (e->normalized.length >= INT32_MAX)
        return gw_fail(GW_ERR_RANGE, "a text of %lld bytes once normalised, expected less than %d",
                       (long long)e->normalized.length, INT32_MAX);
    const gw_string *normal = &e->normalized;
    if (e->model->type == GW_SPM_BPE) {
        GW_TRY(gw_reserve(&e->ids, &e->ids_capacity, normal->length + 1, sizeof *e->ids));
        out = (gw_spm_ids){e->ids, normal->length + 1, false, 0};
        GW_TRY(gw_spm_bpe_segment(e->bpe, normal->data, normal->length, &out));
    } else {
        const gw_unigram *unigram = &e->model->unigram;
        GW_TRY(gw_unigram_segment(unigram, &e->path, normal->data, normal->length));
        // the ids take the place of the steps they are read from: they are never more than the bytes they stand for
        out = (gw_spm_ids){e->path.steps, normal->length + 1, false, 0};
        for (int64_t end = normal->length; end > 0;) {
            int32_t bytes;
            const int32_t id = gw_unigram_step_back(unigram, &e->path, end, &bytes);
            end -= bytes;
            gw_spm_put(e->model, &out, id >= 0 ? id : e->model->unknown, normal->data + end, bytes);
        }
    }
    *ids = out.ids + out.first;
    *count = e->normalized.length + 1 - out.first;
    e->unknown = out.unknown;
    return GW_OK;
}

int64_t gw_sentencepiece_unknown(const gw_sentencepiece_encoder *encoder) {
    return encoder->unknown;
}

// --- decoding ------------------------------------------------------------------------------------------------------

// Bytes that byte pieces stand for, once all that belong together are there: what is no UTF-8 becomes U+FFFD.
static gw_status flush_bytes(gw_string *bytes, gw_string *out) {
    static const gw_spm_normalizer repair = {.plain = {0}};
    const gw_status status = gw_spm_normalize(&repair, bytes->data, bytes->length, out);
    gw_string_clear(bytes);
    return status;
}

// The space in front of the first word was put there by the normaliser, and goes; all spaces there go where extra ones
// are removed.
static gw_status decode(const gw_sentencepiece *model, const int32_t *ids, int64_t count, gw_string *bytes,
                        gw_string *out) {
    const bool removes = model->normalizer.remove_extra_whitespaces;
    const bool strips = removes || model->normalizer.add_dummy_prefix;
    bool at_begin = true;
    for (int64_t i = 0; i < count; i++) {
        if (ids[i] < 0 || ids[i] >= model->size)
            return gw_fail(GW_ERR_MISMATCH, "token %d, but the vocabulary has %d", ids[i], model->size);
        const gw_spm_piece *piece = &model->pieces[ids[i]];
        if (piece->kind == GW_PIECE_BYTE) {
            gw_string_putc(bytes, (char)byte_of(piece->text));
            continue;
        }
        if (bytes->length > 0) GW_TRY(flush_bytes(bytes, out));
        if (out->length > 0) at_begin = false;
        if (piece->kind == GW_PIECE_CONTROL) continue;
        const bool space = strncmp(piece->text, GW_SPACE_SYMBOL, GW_SPACE_SYMBOL_LENGTH) == 0;
        const bool strip = at_begin && strips && space;
        if (piece->kind == GW_PIECE_UNKNOWN)
            gw_string_puts(out, model->unk_surface ? model->unk_surface : UNKNOWN_SURFACE);
        else {
            const char *text = piece->text + (strip ? GW_SPACE_SYMBOL_LENGTH : 0);
            for (const char *next; (next = strstr(text, GW_SPACE_SYMBOL)); text = next + GW_SPACE_SYMBOL_LENGTH) {
                gw_string_append(out, text, next - text);
                gw_string_putc(out, ' ');
            }
            gw_string_puts(out, text);
        }
        if ((strip && !removes) || out->length > 0) at_begin = false;
    }
    return bytes->length > 0 ? flush_bytes(bytes, out) : gw_string_status(out);
}

gw_status gw_sentencepiece_decode(const gw_sentencepiece *model, const int32_t *ids, int64_t count, gw_string *out) {
    gw_string bytes = {0}, text = {0};
    gw_status status = decode(model, ids, count, &bytes, &text);
    if (status == GW_OK && text.length > 0) {
        if (model->denormalizer.rules.units)
            status = gw_spm_normalize(&model->denormalizer, text.data, text.length, out);
        else gw_string_append(out, text.data, text.length);
    }
    if (status == GW_OK) status = gw_string_status(out);
    gw_string_free(&bytes);
    gw_string_free(&text);
    return status;
}
