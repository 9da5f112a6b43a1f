// SPDX-License-Identifier: MIT
// Encodes contexts word by word, finds the bytes of each token, and cuts windows.
#include "language/question_windows.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/utf8.h"
#include "data/word_encoder.h"
#include "text/unicode.h"

#include <stdlib.h>
#include <string.h>

enum { USUAL_QUESTION = 64, USUAL_ANSWER = 30 };

typedef struct {
    gw_text_set *set;
    gw_text_rows rows;
    const gw_text_options *options;
    gw_word_encoder words;
    gw_string spelled; // what a token spells
    int32_t *question; // [question_tokens] of the one at hand
    int32_t *body;     // what follows it in a row: candidates and a part of the context
    int32_t *marker;   // rows' tokens of the markers behind candidates
    int64_t front;     // tokens of candidates
    int64_t place;     // of a context's first token in the row
    int64_t body_capacity, marker_capacity, word_capacity, words_seen;
    int64_t question_tokens, question_capacity, token_capacity, begin_capacity, end_capacity, window_capacity,
        label_capacity, line_capacity;
} cutter;

// --- tokens of a context -------------------------------------------------------------------------------------------

static char lower(char c) {
    return (char)(c >= 'A' && c <= 'Z' ? c + 32 : c);
}

// The text of a token without blanks; behind another token, as in the middle of a word, where there is one.
static gw_status spell(cutter *c, const int32_t *token, bool first) {
    gw_string *text = &c->spelled;
    int64_t before = 0, kept = 0;
    gw_string_clear(text);
    if (!first) {
        GW_TRY(gw_decode(c->words.tokenizer, token - 1, 1, text));
        for (int64_t i = 0; i < text->length; i++) before += text->data[i] != ' ';
        gw_string_clear(text);
    }
    GW_TRY(gw_decode(c->words.tokenizer, first ? token : token - 1, first ? 1 : 2, text));
    for (int64_t i = 0; i < text->length; i++) {
        if (text->data[i] == ' ' || before-- > 0) continue;
        text->data[kept++] = text->data[i];
    }
    gw_string_cut(text, kept);
    return gw_string_status(text);
}

static bool spells(const gw_string *text, const char *word, int64_t left) {
    if (text->length == 0 || text->length > left) return false;
    for (int64_t i = 0; i < text->length; i++)
        if (lower(text->data[i]) != lower(word[i])) return false;
    return true;
}

static bool inside_character(const gw_context *context, int64_t byte) {
    return byte < context->length && ((unsigned char)context->text[byte] & 0xC0) == 0x80;
}

// Bytes of a word's tokens from number `first` on: each its own letters, or all the whole word.
static gw_status place_word(cutter *c, gw_context *context, int64_t first, int64_t begin, int64_t end) {
    const int64_t last = context->tokens - 1;
    int64_t at = begin;
    bool known = true;
    for (int64_t t = first; known && t <= last; t++) {
        GW_TRY(spell(c, context->token + t, t == first));
        known = spells(&c->spelled, context->text + at, end - at);
        context->begin[t] = at;
        context->end[t] = at += c->spelled.length;
    }
    known = known && at == end;
    for (int64_t t = first; t <= last; t++) {
        if (!known) context->begin[t] = begin, context->end[t] = end;
        while (inside_character(context, context->begin[t])) context->begin[t]--;
        while (inside_character(context, context->end[t])) context->end[t]++;
    }
    return GW_OK;
}

static gw_status reserve_tokens(cutter *c, gw_context *context, int64_t count) {
    GW_TRY(gw_reserve(&context->token, &c->token_capacity, count, sizeof *context->token));
    GW_TRY(gw_reserve(&context->begin, &c->begin_capacity, count, sizeof *context->begin));
    GW_TRY(gw_reserve(&context->end, &c->end_capacity, count, sizeof *context->end));
    return gw_reserve(&context->word_of, &c->word_capacity, count, sizeof *context->word_of);
}

static gw_status add_word(cutter *c, gw_context *context, int64_t begin, int64_t end) {
    const int32_t *tokens;
    int64_t count;
    const int64_t first = context->tokens;
    GW_TRY(gw_word_encode(&c->words, first == 0, context->text + begin, end - begin, &tokens, &count));
    if (count == 0) return GW_OK;
    GW_TRY(reserve_tokens(c, context, first + count));
    memcpy(context->token + first, tokens, (size_t)count * sizeof *tokens);
    for (int64_t t = first; t < first + count; t++) context->word_of[t] = (int32_t)c->words_seen;
    context->tokens += count;
    return place_word(c, context, first, begin, end);
}

// The separator before each part that begins before `byte`, from number *part on.
static gw_status add_marks(cutter *c, gw_context *context, int64_t byte, int64_t *part) {
    for (; c->set->questions.shape.marks && *part < context->parts && context->part[*part].begin <= byte; ++*part) {
        const int64_t t = context->tokens;
        GW_TRY(reserve_tokens(c, context, t + 1));
        context->token[t] = gw_tokenizer_special(c->words.tokenizer, GW_SPECIAL_SEP);
        context->begin[t] = context->end[t] = context->part[*part].begin;
        context->word_of[t] = (int32_t)c->words_seen;
        context->tokens++;
    }
    return GW_OK;
}

static int64_t end_of_run(const gw_context *context, int64_t at, bool space) {
    int bytes;
    while (at < context->length && gw_is_space(gw_utf8_read(context->text + at, &bytes)) == space) at += bytes;
    return at;
}

static gw_status encode_context(cutter *c, gw_context *context) {
    int64_t part = 0;
    c->token_capacity = c->begin_capacity = c->end_capacity = c->word_capacity = c->words_seen = 0;
    for (int64_t at = end_of_run(context, 0, true), end; at < context->length; at = end_of_run(context, end, true)) {
        end = end_of_run(context, at, false);
        GW_TRY(add_marks(c, context, at, &part));
        GW_TRY(add_word(c, context, at, end));
        c->words_seen++;
    }
    GW_TRY(add_marks(c, context, context->length, &part));
    return gw_check_interrupt();
}

// --- windows -------------------------------------------------------------------------------------------------------

static gw_status encode_question(cutter *c, const char *text) {
    const int64_t half = c->options->most / 2, usual = half < USUAL_QUESTION ? half : USUAL_QUESTION;
    const int64_t most = c->options->most_question > 0 ? c->options->most_question : usual;
    const int32_t *tokens;
    GW_TRY(gw_encode(c->words.encoder, text, (int64_t)strlen(text), &tokens, &c->question_tokens));
    c->set->questions.cut += c->question_tokens > most;
    if (c->question_tokens > most) c->question_tokens = most;
    GW_TRY(gw_reserve(&c->question, &c->question_capacity, c->question_tokens + 1, sizeof *c->question));
    if (c->question_tokens > 0) memcpy(c->question, tokens, (size_t)c->question_tokens * sizeof *tokens);
    return GW_OK;
}

// Tokens of the context that a window has room for, and where the first of them stands: where a mark does that is no
// token.
static gw_status find_capacity(cutter *c, const gw_question *question, int64_t *capacity) {
    static const int32_t mark = -1;
    gw_wrapped alone;
    GW_TRY(gw_wrap_tokens(c->words.encoder, c->question, c->question_tokens, &mark, 1, INT64_MAX, &alone));
    for (c->place = 0; c->place < alone.count && alone.tokens[c->place] != mark;) c->place++;
    *capacity = c->options->most - alone.count + 1 - c->front;
    if (*capacity >= 1) return GW_OK;
    return gw_fail(GW_ERR_RANGE,
                   "question %.80s%s and special tokens take %lld tokens, and windows of %lld have no room for its "
                   "context: longer windows or a shorter --max-question are needed",
                   question->id, c->front > 0 ? ", its candidates" : "", (long long)(alone.count - 1 + c->front),
                   (long long)c->options->most);
}

// Candidates stand between the question and the context, a separator behind each.
static gw_status encode_candidates(cutter *c, const gw_question *question) {
    const int32_t *tokens;
    int64_t count;
    c->front = 0;
    if (!c->set->questions.shape.candidates) return GW_OK;
    GW_TRY(gw_reserve(&c->marker, &c->marker_capacity, question->candidates + 1, sizeof *c->marker));
    for (int64_t i = 0; i < question->candidates; i++) {
        const char *text = question->candidate[i];
        GW_TRY(gw_encode(c->words.encoder, text, (int64_t)strlen(text), &tokens, &count));
        GW_TRY(gw_reserve(&c->body, &c->body_capacity, c->front + count + 1, sizeof *c->body));
        if (count > 0) memcpy(c->body + c->front, tokens, (size_t)count * sizeof *tokens);
        c->front += count;
        c->marker[i] = (int32_t)c->front; // of the body; of the row once it is known where that begins
        c->body[c->front++] = gw_tokenizer_special(c->words.tokenizer, GW_SPECIAL_SEP);
    }
    return GW_OK;
}

static const gw_expected_answer *first_found(const gw_question *question) {
    for (int64_t a = 0; a < question->answers; a++)
        if (question->answer[a].begin >= 0) return &question->answer[a];
    return NULL;
}

// First and last token of the row, 0 and 0 where the window does not hold the answer, or there is none.
static void label_window(const cutter *c, const gw_question *question, const gw_window *window, int32_t label[2]) {
    const gw_context *context = &c->set->questions.context[question->context];
    const gw_expected_answer *answer = first_found(question);
    int64_t first = 0, last = -1;
    label[0] = label[1] = question->said && (answer || question->answers == 0) ? 0 : -1;
    if (!answer) return;
    while (first < context->tokens && context->end[first] <= answer->begin) first++;
    for (last = first; last + 1 < context->tokens && context->begin[last + 1] < answer->end;) last++;
    if (first < window->from || last >= window->from + window->tokens) return;
    label[0] = (int32_t)(window->first + first - window->from);
    label[1] = (int32_t)(window->first + last - window->from);
}

// Whether training leaves a window without an answer out, as most windows of a long context are.
static bool is_dropped(const cutter *c, bool right, int64_t number, int64_t from) {
    if (c->options->dropped == 0 || right) return false;
    gw_random draw = gw_random_at(0, GW_SITE_QUESTION, (uint64_t)number, (uint32_t)from);
    return (double)gw_random_uniform(&draw) < c->options->dropped;
}

// Labels of the next row; *right: it holds an answer.
static gw_status label_row(cutter *c, const gw_window *window, bool *right) {
    gw_text_set *set = c->set;
    int32_t *label = set->label + 2 * set->rows;
    if (gw_question_columns(&set->questions.shape) == 0) {
        label_window(c, &set->questions.question[window->question], window, label);
        *right = label[1] > 0;
        return GW_OK;
    }
    GW_TRY(gw_question_labels_add(&set->right, &set->questions, window, c->marker));
    *right = gw_question_labels_right(&set->right, set->rows);
    label[0] = label[1] = *right;
    return GW_OK;
}

static gw_status add_row(cutter *c, const gw_window *window) {
    gw_text_set *set = c->set;
    const gw_context *context = &set->questions.context[window->context];
    gw_wrapped wrapped;
    GW_TRY(gw_reserve(&c->body, &c->body_capacity, c->front + window->tokens + 1, sizeof *c->body));
    if (window->tokens > 0)
        memcpy(c->body + c->front, context->token + window->from, (size_t)window->tokens * sizeof *c->body);
    GW_TRY(gw_wrap_tokens(c->words.encoder, c->question, c->question_tokens, c->body, c->front + window->tokens,
                          c->options->most, &wrapped));
    GW_TRY(gw_text_rows_add(&c->rows, &wrapped));
    set->line[set->rows++] = window->question + 1;
    return GW_OK;
}

static gw_status add_window(cutter *c, gw_window window) {
    gw_text_set *set = c->set;
    const bool labelled = gw_question_columns(&set->questions.shape) > 0;
    bool right;
    GW_TRY(gw_reserve(&set->window, &c->window_capacity, set->rows + 1, sizeof *set->window));
    GW_TRY(gw_reserve(&set->label, &c->label_capacity, 2 * (set->rows + 1), sizeof *set->label));
    GW_TRY(gw_reserve(&set->line, &c->line_capacity, set->rows + 1, sizeof *set->line));
    set->window[set->rows] = window;
    GW_TRY(label_row(c, &window, &right));
    if (!is_dropped(c, right, window.question, window.from)) GW_TRY(add_row(c, &window));
    else if (labelled) gw_question_labels_drop(&set->right);
    return labelled && !set->questions.shape.joined ? gw_question_labels_end_example(&set->right) : GW_OK;
}

static gw_status cut_context(cutter *c, int64_t number, int64_t which, int64_t capacity) {
    const gw_context *context = &c->set->questions.context[which];
    const int64_t wanted = c->options->stride > 0 ? c->options->stride : (capacity + 1) / 2;
    const int64_t stride = wanted < capacity ? wanted : capacity;
    c->set->questions.empty += context->tokens == 0;
    for (int64_t from = 0; from < context->tokens; from += stride) {
        const int64_t left = context->tokens - from;
        GW_TRY(add_window(c, (gw_window){.question = number,
                                         .context = which,
                                         .first = c->place + c->front,
                                         .tokens = left < capacity ? left : capacity,
                                         .from = from}));
        if (left <= capacity) break;
    }
    return GW_OK;
}

static gw_status cut_windows(cutter *c, int64_t number) {
    const gw_question *question = &c->set->questions.question[number];
    int64_t capacity;
    GW_TRY(encode_question(c, question->text));
    GW_TRY(encode_candidates(c, question));
    GW_TRY(find_capacity(c, question, &capacity));
    for (int64_t i = 0; c->front > 0 && i < question->candidates; i++) c->marker[i] += (int32_t)c->place;
    for (int64_t i = 0; i < question->contexts; i++) GW_TRY(cut_context(c, number, question->context + i, capacity));
    if (c->set->questions.shape.joined) GW_TRY(gw_question_labels_end_example(&c->set->right));
    return number % 256 == 0 ? gw_check_interrupt() : GW_OK;
}

static gw_status cut_all(cutter *c) {
    gw_questions *q = &c->set->questions;
    GW_TRY(gw_encoder_new(c->words.tokenizer, &c->words.encoder));
    for (int64_t i = 0; i < q->contexts; i++) GW_TRY(encode_context(c, &q->context[i]));
    for (int64_t i = 0; i < q->count; i++) GW_TRY(cut_windows(c, i));
    if (c->set->rows > 0) return GW_OK;
    return gw_fail(GW_ERR_FORMAT, "no question has a context with a word");
}

gw_status gw_question_windows(gw_questions *questions, const gw_tokenizer *tokenizer, const gw_text_options *options,
                              gw_text_set *out) {
    *out = (gw_text_set){.labels = GW_TEXT_SPANS,
                         .per_row = 1,
                         .questions = *questions,
                         .longest_answer = options->longest_answer > 0       ? options->longest_answer
                                           : questions->shape.most_words > 0 ? questions->shape.most_words
                                                                             : USUAL_ANSWER};
    *questions = (gw_questions){0};
    cutter c = {.set = out, .rows = {.set = out}, .options = options, .words = {.tokenizer = tokenizer}};
    const gw_status status = cut_all(&c);
    gw_encoder_free(c.words.encoder);
    gw_string_free(&c.words.text);
    gw_string_free(&c.spelled);
    free(c.question);
    free(c.body);
    free(c.marker);
    return status;
}

void gw_question_set_tell(const char *path, const gw_questions *q) {
    if (q->moved > 0)
        gw_note("%s: %lld answers do not stand where they are said to, and are taken where their text is found", path,
                (long long)q->moved);
    if (q->lost > 0) gw_warn("%s: %lld answers are not in their contexts", path, (long long)q->lost);
    if (q->repeated > 0) gw_warn("%s: %lld questions have the id of an earlier one", path, (long long)q->repeated);
    if (q->cut > 0) gw_note("%s: %lld questions are cut (--max-question)", path, (long long)q->cut);
    if (q->empty > 0) gw_warn("%s: %lld questions have a context without words", path, (long long)q->empty);
}
