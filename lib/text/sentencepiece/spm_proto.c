// SPDX-License-Identifier: MIT
// Reads a ModelProto (sentencepiece_model.proto) from its wire format (protobuf.dev/programming-guides/encoding).
//
// A message is a series of fields: a varint of number << 3 | wire type, then the value: a varint (type 0), 8 bytes (1),
// a length and as many bytes (2), 4 bytes (5). Unused fields are skipped with any content. Of a repeated field the last
// counts, and parts of one message are merged. Nothing outside the given bytes is read, and allocation depends only on
// fields that were read.
#include "base/memory.h"
#include "text/sentencepiece/spm_model.h"

#include <stdlib.h>
#include <string.h>

enum { VARINT = 0, BITS64 = 1, BYTES = 2, BITS32 = 5 };

// Numbers of fields that are read.
enum { MODEL_PIECES = 1, MODEL_TRAINER = 2, MODEL_NORMALIZER = 3, MODEL_DENORMALIZER = 5 };
enum { PIECE_TEXT = 1, PIECE_SCORE = 2, PIECE_KIND = 3 };
enum { RULES_CHARSMAP = 2, RULES_DUMMY_PREFIX = 3, RULES_EXTRA_SPACES = 4, RULES_ESCAPE = 5 };
enum {
    TRAINER_TYPE = 3,
    TRAINER_SUFFIX = 24,
    TRAINER_BYTE_FALLBACK = 35,
    TRAINER_UNK_SURFACE = 44,
    TRAINER_UNK = 45,
    TRAINER_BOS = 46,
    TRAINER_EOS = 47,
    TRAINER_PAD = 48
};

typedef struct {
    const char *file;
    const uint8_t *start; // of the file
    const uint8_t *at, *end;
    const char *message; // its name, for messages to the user
    int64_t index;       // of a repeated message, or -1
} reader;

typedef struct {
    uint32_t number;
    int type;
    uint64_t value;       // VARINT, BITS32
    const uint8_t *bytes; // BYTES
    int64_t count;
} field;

static gw_status broken(const reader *r, const char *what) {
    if (r->index >= 0)
        return gw_fail(GW_ERR_FORMAT, "%s: %s[%lld]: %s at byte %lld", r->file, r->message, (long long)r->index, what,
                       (long long)(r->at - r->start));
    return gw_fail(GW_ERR_FORMAT, "%s: %s: %s at byte %lld", r->file, r->message, what, (long long)(r->at - r->start));
}

static gw_status read_varint(reader *r, uint64_t *out) {
    *out = 0;
    for (int shift = 0; shift < 70; shift += 7) {
        if (r->at == r->end) return broken(r, "the file ends inside a number");
        const uint8_t byte = *r->at++;
        *out |= (uint64_t)(byte & 0x7F) << shift;
        if (byte < 0x80) return GW_OK;
    }
    return broken(r, "a number of more than 10 bytes");
}

static gw_status read_fixed(reader *r, int bytes, uint64_t *out) {
    if (r->end - r->at < bytes) return broken(r, "the file ends inside a number");
    *out = 0;
    for (int i = 0; i < bytes; i++) *out |= (uint64_t)*r->at++ << 8 * i;
    return GW_OK;
}

static gw_status read_field(reader *r, field *out) {
    uint64_t tag, length;
    *out = (field){0};
    GW_TRY(read_varint(r, &tag));
    if (tag >> 3 == 0 || tag >> 32 != 0) return broken(r, "no field of a model");
    out->number = (uint32_t)(tag >> 3);
    out->type = (int)(tag & 7);
    switch (out->type) {
    case VARINT: return read_varint(r, &out->value);
    case BITS64: return read_fixed(r, 8, &out->value);
    case BITS32: return read_fixed(r, 4, &out->value);
    case BYTES: break;
    default: return broken(r, "a wire type that no model has");
    }
    GW_TRY(read_varint(r, &length));
    if (length > (uint64_t)(r->end - r->at)) return broken(r, "a field that is longer than what is left");
    out->bytes = r->at;
    out->count = (int64_t)length;
    r->at += length;
    return GW_OK;
}

static gw_status expect(const reader *r, const field *f, int type, const char *name) {
    if (f->type == type) return GW_OK;
    const char *const dot = *name ? "." : "";
    if (r->index >= 0)
        return gw_fail(GW_ERR_FORMAT, "%s: %s[%lld]%s%s has wire type %d, expected %d", r->file, r->message,
                       (long long)r->index, dot, name, f->type, type);
    return gw_fail(GW_ERR_FORMAT, "%s: %s%s%s has wire type %d, expected %d", r->file, r->message, dot, name, f->type,
                   type);
}

static gw_status read_flag(const reader *r, const field *f, const char *name, bool *out) {
    GW_TRY(expect(r, f, VARINT, name));
    *out = f->value != 0;
    return GW_OK;
}

static gw_status read_string(const reader *r, const field *f, const char *name, char **out) {
    GW_TRY(expect(r, f, BYTES, name));
    if (memchr(f->bytes, 0, (size_t)f->count))
        return gw_fail(GW_ERR_FORMAT, "%s: %s.%s holds a zero byte", r->file, r->message, name);
    char *copy = gw_strndup((const char *)f->bytes, (size_t)f->count);
    if (!copy) return GW_ERR_MEMORY;
    free(*out);
    *out = copy;
    return GW_OK;
}

static reader inside(const reader *r, const field *f, const char *message, int64_t index) {
    return (reader){r->file, r->start, f->bytes, f->bytes + f->count, message, index};
}

// --- messages ------------------------------------------------------------------------------------------------------

// One piece; its text goes to *texts, which moves on.
static gw_status read_piece(reader r, gw_spm_piece *piece, char **texts) {
    *piece = (gw_spm_piece){.text = *texts, .kind = GW_PIECE_NORMAL};
    for (field f; r.at < r.end;) {
        GW_TRY(read_field(&r, &f));
        if (f.number == PIECE_TEXT) {
            GW_TRY(expect(&r, &f, BYTES, "piece"));
            if (f.count >= INT32_MAX) return broken(&r, "a piece of more than 2^31 bytes");
            piece->length = (int32_t)f.count;
            if (f.count > 0) memcpy(*texts, f.bytes, (size_t)f.count);
        } else if (f.number == PIECE_SCORE) {
            GW_TRY(expect(&r, &f, BITS32, "score"));
            const uint32_t bits = (uint32_t)f.value;
            memcpy(&piece->score, &bits, sizeof bits);
        } else if (f.number == PIECE_KIND) {
            GW_TRY(expect(&r, &f, VARINT, "type"));
            if (f.value < GW_PIECE_NORMAL || f.value > GW_PIECE_BYTE)
                return gw_fail(GW_ERR_FORMAT, "%s: %s[%lld].type is %llu, expected 1 to 6", r.file, r.message,
                               (long long)r.index, (unsigned long long)f.value);
            piece->kind = (gw_piece_kind)f.value;
        }
    }
    (*texts)[piece->length] = '\0';
    *texts += piece->length + 1;
    return GW_OK;
}

static gw_status read_trainer(reader r, gw_sentencepiece *model) {
    for (field f; r.at < r.end;) {
        GW_TRY(read_field(&r, &f));
        switch (f.number) {
        case TRAINER_TYPE:
            GW_TRY(expect(&r, &f, VARINT, "model_type"));
            if (f.value < GW_SPM_UNIGRAM || f.value > GW_SPM_CHAR)
                return gw_fail(GW_ERR_FORMAT, "%s: trainer_spec.model_type is %llu, expected 1 to 4", r.file,
                               (unsigned long long)f.value);
            model->type = (gw_spm_type)f.value;
            break;
        case TRAINER_SUFFIX:
            GW_TRY(read_flag(&r, &f, "treat_whitespace_as_suffix", &model->treat_whitespace_as_suffix));
            break;
        case TRAINER_BYTE_FALLBACK: GW_TRY(read_flag(&r, &f, "byte_fallback", &model->byte_fallback)); break;
        case TRAINER_UNK_SURFACE: GW_TRY(read_string(&r, &f, "unk_surface", &model->unk_surface)); break;
        case TRAINER_UNK: GW_TRY(read_string(&r, &f, "unk_piece", &model->unk_piece)); break;
        case TRAINER_BOS: GW_TRY(read_string(&r, &f, "bos_piece", &model->bos_piece)); break;
        case TRAINER_EOS: GW_TRY(read_string(&r, &f, "eos_piece", &model->eos_piece)); break;
        case TRAINER_PAD: GW_TRY(read_string(&r, &f, "pad_piece", &model->pad_piece)); break;
        }
    }
    return GW_OK;
}

static gw_status read_charsmap(const reader *r, const field *f, gw_charsmap *rules) {
    GW_TRY(expect(r, f, BYTES, "precompiled_charsmap"));
    gw_charsmap_free(rules);
    if (f->count == 0) return GW_OK;
    char *name = gw_strprintf("%s: %s.precompiled_charsmap", r->file, r->message);
    if (!name) return GW_ERR_MEMORY;
    const gw_status status = gw_charsmap_parse(name, f->bytes, f->count, rules);
    free(name);
    return status;
}

static gw_status read_normalizer(reader r, gw_spm_normalizer *out) {
    for (field f; r.at < r.end;) {
        GW_TRY(read_field(&r, &f));
        switch (f.number) {
        case RULES_CHARSMAP: GW_TRY(read_charsmap(&r, &f, &out->rules)); break;
        case RULES_DUMMY_PREFIX: GW_TRY(read_flag(&r, &f, "add_dummy_prefix", &out->add_dummy_prefix)); break;
        case RULES_EXTRA_SPACES:
            GW_TRY(read_flag(&r, &f, "remove_extra_whitespaces", &out->remove_extra_whitespaces));
            break;
        case RULES_ESCAPE: GW_TRY(read_flag(&r, &f, "escape_whitespaces", &out->escape_whitespaces)); break;
        }
    }
    return GW_OK;
}

static const char *const message_names[] = {[MODEL_PIECES] = "pieces",
                                            [MODEL_TRAINER] = "trainer_spec",
                                            [MODEL_NORMALIZER] = "normalizer_spec",
                                            [MODEL_DENORMALIZER] = "denormalizer_spec"};

static bool is_message(uint32_t number) {
    return number < sizeof message_names / sizeof *message_names && message_names[number];
}

// The number of pieces and the bytes of their messages, which is more than their texts need.
static gw_status count_pieces(reader r, int64_t *pieces, int64_t *bytes) {
    *pieces = *bytes = 0;
    for (field f; r.at < r.end;) {
        GW_TRY(read_field(&r, &f));
        if (!is_message(f.number)) continue;
        r.message = message_names[f.number];
        GW_TRY(expect(&r, &f, BYTES, ""));
        r.message = "model";
        if (f.number != MODEL_PIECES) continue;
        ++*pieces;
        *bytes += f.count + 1;
    }
    if (*pieces == 0) return gw_fail(GW_ERR_FORMAT, "%s: the model has no pieces", r.file);
    if (*pieces > GW_TRIE_MOST_UNITS)
        return gw_fail(GW_ERR_RANGE, "%s: %lld pieces, expected at most %d", r.file, (long long)*pieces,
                       GW_TRIE_MOST_UNITS);
    return GW_OK;
}

gw_status gw_spm_read_proto(const char *name, const void *bytes, int64_t count, gw_sentencepiece *model) {
    const uint8_t *begin = count > 0 ? bytes : (const uint8_t *)"";
    reader r = {name, begin, begin, begin + count, "model", -1};
    int64_t pieces, text_bytes;
    GW_TRY(count_pieces(r, &pieces, &text_bytes));
    model->type = GW_SPM_UNIGRAM;
    model->normalizer = model->denormalizer =
        (gw_spm_normalizer){.add_dummy_prefix = true, .remove_extra_whitespaces = true, .escape_whitespaces = true};
    model->pieces = gw_alloc(pieces, sizeof *model->pieces);
    model->texts = gw_alloc(text_bytes, 1);
    if (!model->pieces || !model->texts) return GW_ERR_MEMORY;
    char *texts = model->texts;
    for (field f; r.at < r.end;) {
        GW_TRY(read_field(&r, &f));
        if (!is_message(f.number)) continue;
        const reader part = inside(&r, &f, message_names[f.number], f.number == MODEL_PIECES ? model->size : -1);
        if (f.number == MODEL_PIECES) GW_TRY(read_piece(part, &model->pieces[model->size++], &texts));
        if (f.number == MODEL_TRAINER) GW_TRY(read_trainer(part, model));
        if (f.number == MODEL_NORMALIZER) GW_TRY(read_normalizer(part, &model->normalizer));
        if (f.number == MODEL_DENORMALIZER) GW_TRY(read_normalizer(part, &model->denormalizer));
    }
    return GW_OK;
}
