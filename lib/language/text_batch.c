// SPDX-License-Identifier: MIT
// Copies tokens, segments and labels row by row. Global tokens: a pass over a sequence's tokens starts one where a
// sentence, a paragraph or a candidate begins.
#include "language/text_batch.h"

#include "base/memory.h"
#include "base/number.h"
#include "base/string.h"
#include "model/mixer.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

gw_status gw_text_structure_make(gw_text_structure *structure, int64_t most, const gw_tokenizer *tokenizer) {
    const int32_t size = gw_tokenizer_size(tokenizer);
    gw_string text = {0};
    gw_status status = GW_OK;
    *structure = (gw_text_structure){.most = most,
                                     .classifier = gw_tokenizer_special(tokenizer, GW_SPECIAL_CLS),
                                     .separator = gw_tokenizer_special(tokenizer, GW_SPECIAL_SEP),
                                     .stops = gw_alloc(size, 1)};
    if (!structure->stops) return GW_ERR_MEMORY;
    for (int32_t token = 0; token < size && status == GW_OK; token++) {
        gw_string_clear(&text);
        status = gw_decode(tokenizer, &token, 1, &text);
        structure->stops[token] = text.length > 0 && strchr(".!?", text.data[text.length - 1]) != NULL;
    }
    gw_string_free(&text);
    return status;
}

void gw_text_structure_free(gw_text_structure *structure) {
    free(structure->stops);
    free(structure->global);
    free(structure->mention);
    *structure = (gw_text_structure){0};
}

// --- the list ------------------------------------------------------------------------------------------------------

static gw_status add(gw_text_structure *s, int64_t begin, int64_t end, int32_t token, bool sentence) {
    GW_TRY(gw_reserve(&s->global, &s->capacity, s->count + 1, sizeof *s->global));
    s->global[s->count++] = (gw_text_global){(int32_t)begin, (int32_t)end, token, sentence, -1};
    return GW_OK;
}

// Joins neighbouring sentences evenly where there are more than `most` global tokens.
static void join_sentences(gw_text_structure *s, int64_t most) {
    int64_t sentences = 0, kept = 0, seen = 0, last = -1;
    for (int64_t g = 0; g < s->count; g++) sentences += s->global[g].sentence;
    const int64_t room = most - (s->count - sentences);
    if (s->count <= most) return;
    for (int64_t g = 0; g < s->count; g++) {
        const gw_text_global *global = &s->global[g];
        if (global->sentence) {
            const int64_t group = room > 0 ? seen++ * room / sentences : 0;
            if (room <= 0) continue;
            if (last >= 0 && group == (seen - 2) * room / sentences) {
                s->global[last].end = global->end;
                continue;
            }
            last = kept;
        }
        s->global[kept++] = *global;
    }
    s->count = gw_min(kept, most);
}

// --- sentences -----------------------------------------------------------------------------------------------------

// Of the tokens [begin, end) of a row; a separator is of none.
static gw_status add_sentences(gw_text_structure *s, const int32_t *token, int64_t begin, int64_t end) {
    int64_t first = begin;
    for (int64_t t = begin; t < end; t++) {
        const bool stops = s->stops[token[t]], separates = token[t] == s->separator;
        if (!stops && !separates && t + 1 < end) continue;
        const int64_t last = separates ? t : t + 1;
        if (last > first) GW_TRY(add(s, first, last, -1, true));
        first = t + 1;
    }
    return GW_OK;
}

// --- windows of questions ------------------------------------------------------------------------------------------

// The tokens before the context: those of the question up to a separator, then candidates, each up to one.
static gw_status add_front(gw_text_structure *s, const gw_text_set *set, const int32_t *token, int64_t begin,
                           int64_t end, int32_t *link) {
    int64_t t = begin, first;
    int32_t candidate = 0;
    for (; t < end && token[t] != s->separator; t++) GW_TRY(add(s, -1, 0, token[t], false));
    while (t < end && token[t] == s->separator) t++;
    for (first = t; set->questions.shape.candidates && t < end; t++) {
        if (token[t] != s->separator) continue;
        for (int64_t i = first; link && i < t; i++) link[i] = (int32_t)s->count;
        if (t > first) {
            GW_TRY(add(s, -1, 0, -1, false));
            s->global[s->count - 1].candidate = candidate;
        }
        first = t + 1;
        candidate++;
    }
    return GW_OK;
}

// A sentence that a format names, or the title of its paragraph, which stands before it.
typedef struct {
    int64_t part;
    bool title;
} place;

static bool same_place(place a, place b) {
    return a.part == b.part && a.title == b.title;
}

// Where a token of the context stands, which is not before that of `before`.
static place place_of(const gw_context *context, int64_t token, place before) {
    const int64_t byte = context->begin[token];
    int64_t p = before.title ? before.part - 1 : before.part;
    while (p + 1 < context->parts && context->part[p + 1].begin <= byte) p++;
    const bool behind = p >= 0 && byte >= context->part[p].end && byte > context->part[p].begin,
               new_paragraph = p + 1 < context->parts && context->part[p + 1].first == 0;
    return p < 0 || (behind && new_paragraph) ? (place){p + 1, true} : (place){p, false};
}

// Opens a paragraph with each title, and a sentence with each title and sentence.
static gw_status add_paragraphs(gw_text_structure *s, const gw_window *window, const gw_context *context,
                                int32_t *part) {
    place before = {-1, false};
    int64_t paragraph = -1, sentence = -1;
    int32_t number = 0;
    for (int64_t i = 0; i < window->tokens; i++) {
        const int64_t row = window->first + i;
        const place at = place_of(context, window->from + i, before);
        const bool opens = at.title || (context->part[at.part].first == 0 && before.part != at.part);
        if (paragraph < 0 || (opens && !same_place(at, before))) {
            paragraph = s->count;
            number++;
            GW_TRY(add(s, row, row, s->separator, false));
        }
        if (sentence < 0 || !same_place(at, before)) {
            sentence = s->count;
            GW_TRY(add(s, row, row, -1, true));
        }
        s->global[paragraph].end = s->global[sentence].end = (int32_t)row + 1;
        if (part) part[row] = number;
        before = at;
    }
    return GW_OK;
}

// Of what may be long answers those that stand in no other one.
static gw_status add_parts(gw_text_structure *s, const gw_window *window, const gw_context *context) {
    int64_t end = -1, first, last;
    for (int64_t p = 0; p < context->parts; p++) {
        if (context->part[p].begin < end) continue;
        end = context->part[p].end;
        gw_context_tokens(context, context->part[p].begin, end, &first, &last);
        first = gw_max(first, window->from);
        last = gw_min(last, window->from + window->tokens - 1);
        if (first > last) continue;
        GW_TRY(add(s, window->first + first - window->from, window->first + last - window->from + 1, -1, true));
    }
    return GW_OK;
}

// --- mentions ------------------------------------------------------------------------------------------------------

static bool of_word(char c) {
    return isalnum((unsigned char)c) || (unsigned char)c >= 0x80;
}

// Whether a text stands at a byte of a context, whatever the case of its ASCII letters, and no word goes on over its
// ends.
static bool mentions(const gw_context *context, int64_t at, const char *text, int64_t length) {
    const int64_t end = at + length;
    if (length == 0 || end > context->length || strncasecmp(context->text + at, text, (size_t)length) != 0)
        return false;
    return !(at > 0 && of_word(context->text[at - 1]) && of_word(text[0])) &&
           !(end < context->length && of_word(context->text[end]) && of_word(text[length - 1]));
}

// Links a window's tokens that a mention covers, unless they are those of a longer one.
static void link_tokens(const gw_text_structure *s, const gw_window *window, const gw_context *context, int64_t at,
                        int64_t length, int32_t global, int32_t *link) {
    int64_t first, last;
    gw_context_tokens(context, at, at + length, &first, &last);
    for (int64_t t = first; t <= last; t++) {
        const int64_t row = window->first + t - window->from;
        if (t < window->from || t >= window->from + window->tokens || s->mention[t - window->from] >= length) continue;
        s->mention[t - window->from] = (int32_t)length;
        link[row] = global;
    }
}

static gw_status link_mentions(gw_text_structure *s, const gw_text_set *set, const gw_window *window, int32_t *link) {
    const gw_context *context = &set->questions.context[window->context];
    const gw_question *question = &set->questions.question[window->question];
    if (window->tokens == 0) return GW_OK;
    GW_TRY(gw_reserve(&s->mention, &s->mention_capacity, window->tokens, sizeof *s->mention));
    memset(s->mention, 0, (size_t)window->tokens * sizeof *s->mention);
    const int64_t begin = context->begin[window->from], end = context->end[window->from + window->tokens - 1];
    for (int64_t g = 0; g < s->count; g++) {
        const int32_t candidate = s->global[g].candidate;
        if (candidate < 0 || candidate >= question->candidates) continue;
        const char *text = question->candidate[candidate];
        const int64_t length = (int64_t)strlen(text);
        for (int64_t at = begin; at < end; at++)
            if (mentions(context, at, text, length)) link_tokens(s, window, context, at, length, (int32_t)g, link);
    }
    return GW_OK;
}

gw_status gw_text_structure_list(gw_text_structure *s, const gw_text_set *set, int64_t sequence, int32_t *part,
                                 int32_t *link) {
    const int32_t *token = set->token + set->start[sequence];
    const int64_t count = set->start[sequence + 1] - set->start[sequence],
                  begin = count > 0 && token[0] == s->classifier;
    s->count = 0;
    for (int64_t t = 0; part && t < count; t++) part[t] = 0;
    for (int64_t t = 0; link && t < count; t++) link[t] = -1;
    if (begin > 0) GW_TRY(add(s, -1, 0, s->classifier, false));
    if (set->window) {
        const gw_window *window = &set->window[sequence];
        const gw_context *context = &set->questions.context[window->context];
        GW_TRY(add_front(s, set, token, begin, window->first, link));
        if (link && set->questions.shape.candidates) GW_TRY(link_mentions(s, set, window, link));
        GW_TRY(set->questions.shape.marks ? add_paragraphs(s, window, context, part)
               : context->parts > 0       ? add_parts(s, window, context)
                                          : add_sentences(s, token, window->first, window->first + window->tokens));
    } else {
        GW_TRY(add_sentences(s, token, begin, count));
    }
    join_sentences(s, gw_min(s->most, count)); // which stand behind all candidates
    for (int64_t t = 0; link && t < count; t++)
        if (link[t] >= s->count) link[t] = -1;
    return GW_OK;
}

// --- batches ---------------------------------------------------------------------------------------------------------

enum { TOKENS_OF_A_GLOBAL = 8 }; // at least, on the whole

int64_t gw_text_most_globals(const gw_model *model, int64_t tokens, int64_t together) {
    const int64_t most = gw_config_globals(&model->config);
    return most > 0 ? tokens / TOKENS_OF_A_GLOBAL + together * most : 0;
}

gw_status gw_text_batch_make(gw_text_batch *batch, const gw_model *model, const gw_text_set *set, int64_t tokens,
                             int64_t sequences, int64_t together) {
    *batch = (gw_text_batch){.model = model,
                             .set = set,
                             .labelled = set->labels == GW_TEXT_WORDS                        ? GW_ROWS_TOKENS
                                         : set->labels == GW_TEXT_ANSWER || set->per_row > 1 ? GW_ROWS_QUESTIONS
                                                                                             : GW_ROWS_FIRST};
    const int64_t labels = set->labels == GW_TEXT_WORDS   ? tokens
                           : set->labels == GW_TEXT_SPANS ? GW_SPAN_ENDS * sequences
                                                          : sequences;
    const int64_t globals = gw_text_most_globals(model, tokens, together);
    const gw_question_shape *shape = &set->questions.shape;
    const unsigned parts = globals > 0 && shape->marks ? GW_WITH_PART : 0,
                   links = globals > 0 && shape->candidates ? GW_WITH_LINK : 0;
    GW_TRY(gw_rows_make(&batch->batch.of[GW_ROWS_TOKENS], tokens, sequences,
                        GW_WITH_TOKEN | GW_WITH_SEGMENT | parts | links));
    if (globals > 0) {
        GW_TRY(gw_text_structure_make(&batch->structure, gw_config_globals(&model->config), model->tokenizer));
        GW_TRY(gw_rows_make(&batch->batch.of[GW_ROWS_GLOBALS], globals, sequences, GW_WITH_TOKEN | GW_WITH_SPAN));
    }
    if (set->label && !(batch->label = gw_alloc(labels, sizeof *batch->label))) return GW_ERR_MEMORY;
    if (!set->number) return GW_OK;
    batch->number = gw_alloc(sequences * set->classes, sizeof *batch->number);
    return batch->number ? GW_OK : GW_ERR_MEMORY;
}

void gw_text_batch_free(gw_text_batch *batch) {
    for (int i = 0; i < GW_BATCH_ROWS; i++) batch->batch.of[i].label = NULL;
    gw_batch_free(&batch->batch);
    gw_text_structure_free(&batch->structure);
    free(batch->label);
    free(batch->number);
    *batch = (gw_text_batch){0};
}

static gw_status add_sequence(gw_text_batch *b, int64_t sequence) {
    const gw_text_set *set = b->set;
    const int32_t last_segment = (int32_t)b->model->config.segments - 1;
    gw_rows *stream = &b->batch.of[GW_ROWS_TOKENS], *globals = &b->batch.of[GW_ROWS_GLOBALS];
    if (b->structure.most > 0) {
        GW_TRY(gw_text_structure_list(&b->structure, set, sequence, stream->part ? stream->part + stream->count : NULL,
                                      stream->link ? stream->link + stream->count : NULL));
        for (int64_t g = 0; g < b->structure.count; g++) {
            const gw_text_global *global = &b->structure.global[g];
            globals->token[globals->count] = global->token;
            globals->begin[globals->count] = global->begin;
            globals->end[globals->count++] = global->end;
        }
        gw_rows_end_sequence(globals);
    }
    for (int64_t i = set->start[sequence]; i < set->start[sequence + 1]; i++) {
        if (set->labels == GW_TEXT_WORDS) b->label[stream->count] = set->label[i];
        stream->segment[stream->count] = (int32_t)gw_min(set->segment[i], last_segment);
        stream->token[stream->count++] = set->token[i];
    }
    gw_rows_end_sequence(stream);
    return GW_OK;
}

bool gw_text_batch_fits(const gw_text_batch *b, int64_t tokens, int64_t sequences) {
    const gw_rows *stream = &b->batch.of[GW_ROWS_TOKENS], *globals = &b->batch.of[GW_ROWS_GLOBALS];
    return stream->sequences + sequences <= stream->most_sequences && stream->count + tokens <= stream->most &&
           (b->structure.most == 0 || globals->count + sequences * b->structure.most <= globals->most);
}

gw_status gw_text_batch_add(gw_text_batch *b, int64_t row, bool *full) {
    const gw_text_set *set = b->set;
    b->rows = b->batch.of[GW_ROWS_TOKENS].sequences / set->per_row;
    const int64_t first = row * set->per_row, tokens = set->start[first + set->per_row] - set->start[first];
    *full = !gw_text_batch_fits(b, tokens, set->per_row);
    if (*full) return GW_OK;
    for (int64_t s = 0; s < set->per_row; s++) GW_TRY(add_sequence(b, first + s));
    if (set->labels == GW_TEXT_ONE || set->labels == GW_TEXT_ANSWER) b->label[b->rows] = set->label[row];
    for (int e = 0; set->labels == GW_TEXT_SPANS && e < GW_SPAN_ENDS; e++)
        b->label[GW_SPAN_ENDS * b->rows + e] = set->label[GW_SPAN_ENDS * row + e];
    if (set->number)
        memcpy(b->number + b->rows * set->classes, set->number + row * set->classes,
               (size_t)set->classes * sizeof *set->number);
    b->rows++;
    gw_rows *of = b->batch.of;
    of[b->labelled].label = b->label;
    of[b->labelled].number = b->number;
    if (set->per_row > 1) of[GW_ROWS_QUESTIONS].count = b->rows;
    return GW_OK;
}

void gw_texts_match(const gw_head_row *head, gw_text_options *texts) {
    texts->apart = head->apart;
    if (texts->apart && !texts->second) texts->second = "text2";
}

gw_status gw_texts_fit(const gw_config *config, gw_text_options *texts) {
    const int64_t longest = gw_config_longest(config);
    if (texts->most == 0) texts->most = config->text_length > 0 ? config->text_length : longest;
    if (texts->most <= longest) return GW_OK;
    return gw_fail(GW_ERR_RANGE, "texts of %lld tokens: the model has %lld positions", (long long)texts->most,
                   (long long)longest);
}
