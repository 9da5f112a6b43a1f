// SPDX-License-Identifier: MIT
// The "decoder" of a tokenizer.json: the texts of tokens to the text that they stand for.
#ifndef GW_TEXT_JSON_DECODER_H
#define GW_TEXT_JSON_DECODER_H

#include "text/json/pre_tokenizer.h"

typedef struct {
    enum {
        GW_DECODE_FUSE,          // all tokens become one
        GW_DECODE_BYTES,         // GPT-2's letters become bytes, all tokens one
        GW_DECODE_SUFFIX,        // `content` at the end of words becomes a space, none after the last
        GW_DECODE_METASPACE,     // `content` becomes a space; `front`: not that before the first token
        GW_DECODE_BYTE_FALLBACK, // tokens "<0x41>" become bytes
        GW_DECODE_REPLACE,       // `pattern` becomes `content`
        GW_DECODE_WORDPIECE, // `content` before later tokens goes, others get a space; `cleanup`: " ." becomes "." ..
        GW_DECODE_STRIP      // up to `start` and `stop` times `content` goes from both ends of each token
    } kind;
    gw_text_pattern pattern;
    char *content; // owned
    bool front, cleanup;
    int64_t start, stop;
} gw_decoder_step;

typedef struct {
    gw_decoder_step *steps;
    int64_t count, capacity;
} gw_decoder;

// From the value of "decoder", which may be null: then tokens are joined by spaces. Free also after failure.
gw_status gw_decoder_read(const char *path, const json_t *json, gw_decoder *out) GW_MUST_CHECK;
void gw_decoder_free(gw_decoder *decoder);
// The steps, one after the other, on pieces of text that are the tokens; what is left of them is appended.
gw_status gw_decode_pieces(const gw_decoder *decoder, gw_pieces *pieces, gw_string *out) GW_MUST_CHECK;

#endif
