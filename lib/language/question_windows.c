// SPDX-License-Identifier: MIT
// Encodes contexts word by word, finds the bytes of each token, and cuts windows.
#include "language/question_windows.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/random.h"
#include "base/utf8.h"
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
        known = c->spelled.length > 0 && c->spelled.length <= end - at;
        for (int64_t i = 0; known && i < c->spelled.length; i++)
            known = lower(c->spelled.data[i]) == lower(context->text[at + i]);
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

// --- what is right in a window ---------------------------------------------------------------------------------------

// A window without the answer has the first token as its ends, unless it is trained together with others of its
// question.

static gw_status add_end(gw_question_labels *l, int column, int64_t token) {
    int64_t *count = &l->end_start[l->rows + 1];
    GW_TRY(gw_reserve(&l->end, &l->end_capacity, *count + 1, sizeof *l->end));
    l->end[(*count)++] = (gw_right_end){(int32_t)column, (int32_t)token};
    return GW_OK;
}

// Both ends of a piece of the context, where the window holds all of it.
static gw_status add_piece(gw_question_labels *l, const gw_context *context, const gw_window *w, int column,
                           int64_t begin, int64_t end, bool *held) {
    int64_t first, last;
    gw_context_tokens(context, begin, end, &first, &last);
    *held = first <= last && first >= w->from && last < w->from + w->tokens;
    if (!*held) return GW_OK;
    GW_TRY(add_end(l, column, w->first + first - w->from));
    return add_end(l, column + 1, w->first + last - w->from);
}

static gw_status add_nothing(gw_question_labels *l, int column) {
    GW_TRY(add_end(l, column, 0));
    return add_end(l, column + 1, 0);
}

static gw_status add_answers(gw_question_labels *l, const gw_questions *q, const gw_window *w, int column,
                             bool *answered) {
    const gw_question *question = &q->question[w->question];
    bool found = false, lost = question->answers > 0, held;
    *answered = false;
    for (int64_t a = 0; a < question->answers && (q->shape.joined || !*answered); a++) {
        const gw_expected_answer *answer = &question->answer[a];
        found = found || answer->begin >= 0;
        if (answer->begin < 0 || answer->context != w->context) continue;
        GW_TRY(add_piece(l, &q->context[w->context], w, column, answer->begin, answer->end, &held));
        *answered = *answered || held;
        if (!q->shape.joined) break;
    }
    lost = lost && !found;
    const bool of_words = question->type == 1 || question->type == 2; // yes and no are not spans
    return *answered || lost || q->shape.joined || (of_words && q->shape.ends == 2) ? GW_OK : add_nothing(l, column);
}

static gw_status add_long_answer(gw_question_labels *l, const gw_questions *q, const gw_window *w, bool *answered) {
    const gw_context *context = &q->context[w->context];
    *answered = false;
    for (int64_t p = 0; p < context->parts && !*answered; p++)
        if (context->part[p].right)
            GW_TRY(add_piece(l, context, w, 0, context->part[p].begin, context->part[p].end, answered));
    return *answered ? GW_OK : add_nothing(l, 0);
}

static gw_status add_marker(gw_question_labels *l, gw_marker marker) {
    int64_t *count = &l->marker_start[l->rows + 1];
    GW_TRY(gw_reserve(&l->marker, &l->marker_capacity, *count + 1, sizeof marker));
    l->marker[(*count)++] = marker;
    return GW_OK;
}

// Markers of a context are the tokens that cover nothing, one for each part in their order.
static gw_status add_markers(gw_question_labels *l, const gw_context *context, const gw_window *w) {
    int32_t number = 0;
    for (int64_t t = 0; t < w->from + w->tokens; t++) {
        if (context->begin[t] < context->end[t]) continue;
        if (t >= w->from)
            GW_TRY(add_marker(l, (gw_marker){(int32_t)(w->first + t - w->from), number, context->part[number].right}));
        number++;
    }
    return GW_OK;
}

// Of a window; candidate_marker: the row's tokens of the markers behind candidates.
static gw_status add_labels(gw_question_labels *l, const gw_questions *q, const gw_window *w,
                            const int32_t *candidate_marker) {
    const gw_question_shape *shape = &q->shape;
    const gw_question *question = &q->question[w->question];
    bool long_held = true, held = true;
    GW_TRY(gw_reserve(&l->end_start, &l->end_start_capacity, l->rows + 2, sizeof *l->end_start));
    GW_TRY(gw_reserve(&l->marker_start, &l->marker_start_capacity, l->rows + 2, sizeof *l->marker_start));
    GW_TRY(gw_reserve(&l->type, &l->type_capacity, l->rows + 1, sizeof *l->type));
    if (l->rows == 0) l->end_start[0] = l->marker_start[0] = 0;
    l->end_start[l->rows + 1] = l->end_start[l->rows];
    l->marker_start[l->rows + 1] = l->marker_start[l->rows];
    if (shape->ends == 4 && question->said) GW_TRY(add_long_answer(l, q, w, &long_held));
    if (shape->ends > 0 && question->said) GW_TRY(add_answers(l, q, w, shape->ends - 2, &held));
    if (shape->marks) GW_TRY(add_markers(l, &q->context[w->context], w));
    for (int64_t c = 0; shape->candidates && c < question->candidates; c++)
        GW_TRY(add_marker(l, (gw_marker){candidate_marker[c], (int32_t)c, c == question->right}));
    l->type[l->rows] = question->said && !long_held ? 0 : question->type;
    l->rows++;
    return GW_OK;
}

bool gw_question_labels_right(const gw_question_labels *l, int64_t row) {
    bool right = l->type[row] > 0;
    for (int64_t i = l->end_start[row]; i < l->end_start[row + 1]; i++) right = right || l->end[i].token > 0;
    for (int64_t i = l->marker_start[row]; i < l->marker_start[row + 1]; i++) right = right || l->marker[i].right;
    return right;
}

// Ends an example with the rows that were added since the last one ended.
static gw_status end_example(gw_question_labels *l) {
    GW_TRY(gw_reserve(&l->example, &l->example_capacity, l->examples + 2, sizeof *l->example));
    if (l->examples == 0) l->example[0] = 0;
    if (l->example[l->examples] == l->rows) return GW_OK; // all of it was left out
    l->example[++l->examples] = l->rows;
    return GW_OK;
}

// --- windows ---------------------------------------------------------------------------------------------------------

static gw_status encode_question(cutter *c, const char *text) {
    const int64_t half = c->options->most / 2, usual = gw_min(half, USUAL_QUESTION);
    const int64_t most = c->options->most_question > 0 ? c->options->most_question : usual;
    const int32_t *tokens;
    GW_TRY(gw_encode(c->words.encoder, text, (int64_t)strlen(text), &tokens, &c->question_tokens));
    c->set->questions.cut += c->question_tokens > most;
    c->question_tokens = gw_min(c->question_tokens, most);
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

// First and last token of the row, 0 and 0 where the window does not hold the answer, or there is none.
static void label_window(const cutter *c, const gw_question *question, const gw_window *window, int32_t label[2]) {
    const gw_context *context = &c->set->questions.context[question->context];
    const gw_expected_answer *answer = NULL; // the first that is found
    for (int64_t a = 0; a < question->answers && !answer; a++)
        if (question->answer[a].begin >= 0) answer = &question->answer[a];
    int64_t first = 0, last = -1;
    label[0] = label[1] = question->said && (answer || question->answers == 0) ? 0 : -1;
    if (!answer) return;
    while (first < context->tokens && context->end[first] <= answer->begin) first++;
    for (last = first; last + 1 < context->tokens && context->begin[last + 1] < answer->end;) last++;
    if (first < window->from || last >= window->from + window->tokens) return;
    label[0] = (int32_t)(window->first + first - window->from);
    label[1] = (int32_t)(window->first + last - window->from);
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
    bool right, dropped = false;
    GW_TRY(gw_reserve(&set->window, &c->window_capacity, set->rows + 1, sizeof *set->window));
    GW_TRY(gw_reserve(&set->label, &c->label_capacity, 2 * (set->rows + 1), sizeof *set->label));
    GW_TRY(gw_reserve(&set->line, &c->line_capacity, set->rows + 1, sizeof *set->line));
    set->window[set->rows] = window;
    int32_t *label = set->label + 2 * set->rows;
    if (labelled) {
        GW_TRY(add_labels(&set->right, &set->questions, &window, c->marker));
        right = gw_question_labels_right(&set->right, set->rows);
        label[0] = label[1] = right;
    } else {
        label_window(c, &set->questions.question[window.question], &window, label);
        right = label[1] > 0;
    }
    // Training leaves windows without an answer out, as most windows of a long context are.
    if (c->options->dropped != 0 && !right) {
        gw_random draw = gw_random_at(0, GW_SITE_QUESTION, (uint64_t)window.question, (uint32_t)window.from);
        dropped = (double)gw_random_uniform(&draw) < c->options->dropped;
    }
    if (!dropped) GW_TRY(add_row(c, &window));
    else if (labelled) set->right.rows--;
    return labelled && !set->questions.shape.joined ? end_example(&set->right) : GW_OK;
}

static gw_status cut_context(cutter *c, int64_t number, int64_t which, int64_t capacity) {
    const gw_context *context = &c->set->questions.context[which];
    const int64_t wanted = c->options->stride > 0 ? c->options->stride : (capacity + 1) / 2;
    const int64_t stride = gw_min(wanted, capacity);
    c->set->questions.empty += context->tokens == 0;
    for (int64_t from = 0; from < context->tokens; from += stride) {
        const int64_t left = context->tokens - from;
        GW_TRY(add_window(c, (gw_window){.question = number,
                                         .context = which,
                                         .first = c->place + c->front,
                                         .tokens = gw_min(left, capacity),
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
    if (c->set->questions.shape.joined) GW_TRY(end_example(&c->set->right));
    return number % 256 == 0 ? gw_check_interrupt() : GW_OK;
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
    gw_status status = gw_encoder_new(tokenizer, &c.words.encoder);
    for (int64_t i = 0; status == GW_OK && i < out->questions.contexts; i++)
        status = encode_context(&c, &out->questions.context[i]);
    for (int64_t i = 0; status == GW_OK && i < out->questions.count; i++) status = cut_windows(&c, i);
    if (status == GW_OK && out->rows == 0) status = gw_fail(GW_ERR_FORMAT, "no question has a context with a word");
    gw_encoder_free(c.words.encoder);
    gw_string_free(&c.words.text);
    gw_string_free(&c.spelled);
    free(c.question);
    free(c.body);
    free(c.marker);
    return status;
}
