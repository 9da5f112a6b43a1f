// SPDX-License-Identifier: MIT
// Words are end to end in one block, and are numbered by sorting. n-grams are counted by sorting; subsequences by the
// table of longest common subsequences of all prefixes. For several texts, F1 is kept for the intervals, and sums for
// the rest; pairs of lines are scored as they are read.
#include "language/rouge.h"

#include "base/memory.h"
#include "base/number.h"
#include "base/utf8.h"
#include "file/lines.h"
#include "language/porter.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

// --- words -----------------------------------------------------------------------------------------------------------

enum { LEAST_STEMMED = 4 }; // letters

typedef struct {
    const char *letters;
    int64_t at, length, index;
} rouge_word;

typedef struct {
    int64_t first_word, first_start, sentences;
} rouge_part;

struct gw_rouge_words {
    char *letters;
    rouge_word *words;
    int32_t *number; // [words]
    int64_t *start;  // of each text's sentences, counted from its first word, and its end
    rouge_part *parts;
    int64_t letter_count, letter_capacity, word_count, word_capacity, number_capacity, start_count, start_capacity,
        part_count, part_capacity;
    int64_t begun; // first letter of the word that is being read
};

gw_status gw_rouge_words_new(gw_rouge_words **out) {
    *out = gw_alloc(1, sizeof **out);
    return *out ? GW_OK : GW_ERR_MEMORY;
}

void gw_rouge_words_free(gw_rouge_words *w) {
    if (!w) return;
    free(w->letters);
    free(w->words);
    free(w->number);
    free(w->start);
    free(w->parts);
    free(w);
}

// The letter or digit that a character's lower case begins with, or 0. Two others than A to Z have one: the Kelvin sign
// and the capital I with a dot.
static char letter_of(uint32_t point) {
    if ((point >= 'a' && point <= 'z') || (point >= '0' && point <= '9')) return (char)point;
    if (point >= 'A' && point <= 'Z') return (char)(point - 'A' + 'a');
    return point == 0x212A ? 'k' : point == 0x130 ? 'i' : 0;
}

static gw_status end_word(gw_rouge_words *w) {
    int64_t length = w->letter_count - w->begun;
    if (length == 0) return GW_OK;
    if (length >= LEAST_STEMMED) length = gw_porter_stem(w->letters + w->begun, length);
    GW_TRY(gw_reserve(&w->words, &w->word_capacity, w->word_count + 1, sizeof *w->words));
    w->words[w->word_count] = (rouge_word){.at = w->begun, .length = length, .index = w->word_count};
    w->word_count += length > 0;
    w->begun = w->letter_count = w->begun + length;
    return GW_OK;
}

static gw_status add_start(gw_rouge_words *w) {
    const rouge_part *part = &w->parts[w->part_count - 1];
    GW_TRY(gw_reserve(&w->start, &w->start_capacity, w->start_count + 1, sizeof *w->start));
    w->start[w->start_count++] = w->word_count - part->first_word;
    return GW_OK;
}

static gw_status add_sentence(gw_rouge_words *w, const char *text, int64_t length) {
    if (length == 0) return GW_OK;
    GW_TRY(add_start(w));
    w->parts[w->part_count - 1].sentences++;
    int bytes;
    for (int64_t i = 0; i < length; i += bytes) {
        const uint32_t point = gw_utf8_read(text + i, &bytes);
        const char letter = letter_of(point);
        GW_TRY(gw_reserve(&w->letters, &w->letter_capacity, w->letter_count + 1, 1));
        if (letter) w->letters[w->letter_count++] = letter;
        if (!letter || point == 0x130) GW_TRY(end_word(w)); // the dot is a character of its own
    }
    return end_word(w);
}

gw_status gw_rouge_words_add(gw_rouge_words *w, const char *text, int64_t length) {
    GW_TRY(gw_reserve(&w->parts, &w->part_capacity, w->part_count + 1, sizeof *w->parts));
    w->parts[w->part_count++] = (rouge_part){.first_word = w->word_count, .first_start = w->start_count};
    int64_t begin = 0;
    for (int64_t i = 0; i < length;) {
        const int64_t cut = text[i] == '\n' ? 1 : length - i >= 3 && memcmp(text + i, "<n>", 3) == 0 ? 3 : 0;
        if (cut > 0) GW_TRY(add_sentence(w, text + begin, i - begin));
        if (cut > 0) begin = i + cut;
        i += cut > 0 ? cut : 1;
    }
    GW_TRY(add_sentence(w, text + begin, length - begin));
    return add_start(w);
}

static int by_letters(const void *a, const void *b) {
    const rouge_word *x = a, *y = b;
    const int order = memcmp(x->letters, y->letters, (size_t)gw_min(x->length, y->length));
    return order != 0 ? order : (x->length > y->length) - (x->length < y->length);
}

gw_status gw_rouge_words_number(gw_rouge_words *w) {
    GW_TRY(gw_reserve(&w->number, &w->number_capacity, w->word_count, sizeof *w->number));
    for (int64_t i = 0; i < w->word_count; i++) w->words[i].letters = w->letters + w->words[i].at;
    if (w->word_count > 0) qsort(w->words, (size_t)w->word_count, sizeof *w->words, by_letters);
    int32_t number = 0;
    for (int64_t i = 0; i < w->word_count; i++) {
        number += i > 0 && by_letters(&w->words[i - 1], &w->words[i]) != 0;
        w->number[w->words[i].index] = number;
    }
    return GW_OK;
}

void gw_rouge_words_text(const gw_rouge_words *w, int64_t i, const int32_t **word, const int64_t **start,
                         int64_t *sentences) {
    const rouge_part *part = &w->parts[i];
    *word = w->number + part->first_word;
    *start = w->start + part->first_start;
    *sentences = part->sentences;
}

// --- metrics ---------------------------------------------------------------------------------------------------------

const char *const gw_rouge_names[GW_ROUGES] = {"rouge1", "rouge2", "rougeL", "rougeLsum"};

static gw_rouge ratios(int64_t matches, int64_t reference, int64_t text) {
    const double r = reference > 0 ? (double)matches / (double)reference : 0,
                 p = text > 0 ? (double)matches / (double)text : 0;
    return (gw_rouge){.precision = p, .recall = r, .f1 = p + r > 0 ? 2 * p * r / (p + r) : 0};
}

static int64_t words_of(const gw_rouge_text *text) {
    return text->start[text->sentences];
}

static int by_value(const void *a, const void *b) {
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

// The text's n-grams in order, n of 1 or 2; their number. out: [words].
static int64_t list_ngrams(const gw_rouge_text *text, int n, int64_t *out) {
    const int64_t count = words_of(text) - (n - 1);
    for (int64_t i = 0; i < count; i++)
        out[i] = n == 1 ? text->word[i] : (int64_t)text->word[i] << 32 | text->word[i + 1];
    if (count > 0) qsort(out, (size_t)count, sizeof *out, by_value);
    return count > 0 ? count : 0;
}

static int64_t count_common(const int64_t *a, int64_t a_count, const int64_t *b, int64_t b_count) {
    int64_t common = 0;
    for (int64_t i = 0, j = 0; i < a_count && j < b_count;) {
        const int64_t x = a[i], y = b[j];
        common += x == y;
        i += x <= y;
        j += y <= x;
    }
    return common;
}

static gw_status of_ngrams(const gw_rouge_text *reference, const gw_rouge_text *text, int n, gw_rouge *out) {
    int64_t *a = gw_alloc(words_of(reference), sizeof *a), *b = gw_alloc(words_of(text), sizeof *b);
    if (a && b) {
        const int64_t a_count = list_ngrams(reference, n, a), b_count = list_ngrams(text, n, b);
        *out = ratios(count_common(a, a_count, b, b_count), a_count, b_count);
    }
    const gw_status status = a && b ? GW_OK : GW_ERR_MEMORY;
    free(a);
    free(b);
    return status;
}

typedef struct {
    const int32_t *word;
    int64_t count;
} words;

static words sentence(const gw_rouge_text *text, int64_t i) {
    return (words){text->word + text->start[i], text->start[i + 1] - text->start[i]};
}

// table[i][j], of b.count + 1 columns: the longest common subsequence of the first i words of a and j of b.
static gw_status fill_table(words a, words b, int32_t **out) {
    const int64_t width = b.count + 1;
    int32_t *table = *out = gw_alloc((a.count + 1) * width, sizeof *table);
    if (!table) return GW_ERR_MEMORY;
    for (int64_t i = 1; i <= a.count; i++)
        for (int64_t j = 1; j <= b.count; j++) {
            const int32_t *above = table + (i - 1) * width + j, left = table[i * width + j - 1];
            table[i * width + j] = a.word[i - 1] == b.word[j - 1] ? above[-1] + 1 : *above > left ? *above : left;
        }
    return GW_OK;
}

static gw_status of_sequence(const gw_rouge_text *reference, const gw_rouge_text *text, gw_rouge *out) {
    const words a = {reference->word, words_of(reference)}, b = {text->word, words_of(text)};
    int32_t *table;
    GW_TRY(fill_table(a, b, &table));
    *out = ratios(table[(a.count + 1) * (b.count + 1) - 1], a.count, b.count);
    free(table);
    return GW_OK;
}

// Marks the words of a that are in one longest common subsequence with b.
static gw_status mark(words a, words b, bool *marked) {
    int32_t *table;
    const int64_t width = b.count + 1;
    GW_TRY(fill_table(a, b, &table));
    for (int64_t i = a.count, j = b.count; i > 0 && j > 0;) {
        if (a.word[i - 1] == b.word[j - 1]) {
            marked[--i] = true;
            j--;
        } else if (table[i * width + j - 1] > table[(i - 1) * width + j]) {
            j--;
        } else {
            i--;
        }
    }
    free(table);
    return GW_OK;
}

static gw_status of_sentences(const gw_rouge_text *reference, const gw_rouge_text *text, gw_rouge *out) {
    const int64_t length = words_of(reference);
    int64_t *a = gw_alloc(length, sizeof *a), *b = gw_alloc(words_of(text), sizeof *b), count = 0;
    bool *marked = gw_alloc(length, sizeof *marked); // of the reference: in the union of its sentence
    gw_status status = a && b && marked ? GW_OK : GW_ERR_MEMORY;
    for (int64_t s = 0; s < reference->sentences; s++)
        for (int64_t t = 0; status == GW_OK && t < text->sentences; t++)
            status = mark(sentence(reference, s), sentence(text, t), marked + reference->start[s]);
    for (int64_t i = 0; status == GW_OK && i < length; i++)
        if (marked[i]) a[count++] = reference->word[i];
    if (count > 0) qsort(a, (size_t)count, sizeof *a, by_value);
    // A word of the union counts as often as the text has it; in the reference it is at least as often.
    if (status == GW_OK) *out = ratios(count_common(a, count, b, list_ngrams(text, 1, b)), length, words_of(text));
    free(marked);
    free(a);
    free(b);
    return status;
}

gw_status gw_rouge_compute(const gw_rouge_text *reference, const gw_rouge_text *text, gw_rouge out[GW_ROUGES]) {
    GW_TRY(of_ngrams(reference, text, 1, &out[GW_ROUGE_1]));
    GW_TRY(of_ngrams(reference, text, 2, &out[GW_ROUGE_2]));
    GW_TRY(of_sequence(reference, text, &out[GW_ROUGE_L]));
    return of_sentences(reference, text, &out[GW_ROUGE_LSUM]);
}

// --- means -----------------------------------------------------------------------------------------------------------

struct gw_rouge_mean {
    gw_rouge_words *words;
    int64_t pairs;
    gw_rouge sum[GW_ROUGES];
    double *f1[GW_ROUGES];
    int64_t capacity[GW_ROUGES];
};

gw_status gw_rouge_mean_new(gw_rouge_mean **out) {
    *out = NULL;
    gw_rouge_mean *mean = gw_alloc(1, sizeof *mean);
    if (!mean) return GW_ERR_MEMORY;
    const gw_status status = gw_rouge_words_new(&mean->words);
    if (status == GW_OK) *out = mean;
    else free(mean);
    return status;
}

void gw_rouge_mean_free(gw_rouge_mean *mean) {
    if (!mean) return;
    for (int k = 0; k < GW_ROUGES; k++) free(mean->f1[k]);
    gw_rouge_words_free(mean->words);
    free(mean);
}

static gw_rouge_text text_of(const gw_rouge_mean *mean, int64_t i) {
    gw_rouge_text text;
    gw_rouge_words_text(mean->words, i, &text.word, &text.start, &text.sentences);
    return text;
}

gw_status gw_rouge_mean_add(gw_rouge_mean *mean, const char *const *references, int64_t reference_count,
                            const char *text, gw_rouge scores[GW_ROUGES]) {
    gw_rouge_words *w = mean->words;
    w->letter_count = w->word_count = w->start_count = w->part_count = w->begun = 0;
    GW_TRY(gw_rouge_words_add(w, text, (int64_t)strlen(text)));
    for (int64_t i = 0; i < reference_count; i++)
        GW_TRY(gw_rouge_words_add(w, references[i], (int64_t)strlen(references[i])));
    GW_TRY(gw_rouge_words_number(w));
    const gw_rouge_text own = text_of(mean, 0);
    for (int64_t i = 0; i < reference_count; i++) {
        gw_rouge one[GW_ROUGES];
        const gw_rouge_text reference = text_of(mean, i + 1);
        GW_TRY(gw_rouge_compute(&reference, &own, one));
        for (int k = 0; k < GW_ROUGES; k++)
            if (i == 0 || one[k].f1 > scores[k].f1) scores[k] = one[k];
    }
    for (int k = 0; k < GW_ROUGES; k++) {
        GW_TRY(gw_reserve(&mean->f1[k], &mean->capacity[k], mean->pairs + 1, sizeof *mean->f1[k]));
        mean->f1[k][mean->pairs] = scores[k].f1;
        mean->sum[k].precision += scores[k].precision;
        mean->sum[k].recall += scores[k].recall;
        mean->sum[k].f1 += scores[k].f1;
    }
    mean->pairs++;
    return GW_OK;
}

gw_status gw_rouge_mean_summarise(const gw_rouge_mean *mean, int64_t samples, uint64_t seed, gw_rouge_summary *out) {
    const double pairs = (double)mean->pairs;
    *out = (gw_rouge_summary){.pairs = mean->pairs};
    for (int k = 0; k < GW_ROUGES; k++) {
        const gw_rouge *sum = &mean->sum[k];
        out->mean[k] = (gw_rouge){sum->precision / pairs, sum->recall / pairs, sum->f1 / pairs};
        GW_TRY(gw_bootstrap_mean(mean->f1[k], mean->pairs, samples, seed, &out->f1[k]));
    }
    return GW_OK;
}

// --- files -----------------------------------------------------------------------------------------------------------

typedef struct {
    gw_line_reader *references, *texts;
    gw_text_writer *table; // or NULL
    gw_rouge_mean *mean;
    int64_t pairs;
} rouge_reader;

static gw_status next_line(gw_line_reader *lines, char **line) {
    int64_t length;
    GW_TRY(gw_lines_next(lines, line, &length));
    const int64_t valid = *line ? gw_utf8_valid(*line, length) : length;
    if (*line && valid < length)
        return gw_lines_fail(lines, GW_ERR_FORMAT, "byte %lld of the line is not UTF-8", (long long)valid + 1);
    return GW_OK;
}

static gw_status read_pairs(rouge_reader *r) {
    for (;; r->pairs++) {
        char *reference, *text;
        gw_rouge scores[GW_ROUGES];
        GW_TRY(next_line(r->references, &reference));
        GW_TRY(next_line(r->texts, &text));
        if (!reference != !text) {
            const gw_line_reader *longer = text ? r->texts : r->references, *shorter = text ? r->references : r->texts;
            return gw_lines_fail(longer, GW_ERR_MISMATCH, "there is no such line in %s, which has %lld",
                                 gw_lines_path(shorter), (long long)gw_lines_number(shorter));
        }
        if (!text) break;
        GW_TRY(gw_rouge_mean_add(r->mean, (const char *const *)&reference, 1, text, scores));
        if (!r->table) continue;
        GW_TRY(gw_writer_printf(r->table, "%lld", (long long)r->pairs + 1));
        for (int k = 0; k < GW_ROUGES; k++)
            GW_TRY(gw_writer_printf(r->table, "\t%.17g\t%.17g\t%.17g", scores[k].precision, scores[k].recall,
                                    scores[k].f1));
        GW_TRY(gw_writer_printf(r->table, "\n"));
    }
    return r->pairs > 0 ? GW_OK : gw_lines_fail(r->texts, GW_ERR_FORMAT, "the file has no line");
}

static gw_status open_table(rouge_reader *r, const char *path) {
    if (!path) return GW_OK;
    GW_TRY(gw_writer_open(path, &r->table));
    GW_TRY(gw_writer_printf(r->table, "line"));
    for (int k = 0; k < GW_ROUGES; k++)
        GW_TRY(gw_writer_printf(r->table, "\t%s_precision\t%s_recall\t%s_f1", gw_rouge_names[k], gw_rouge_names[k],
                                gw_rouge_names[k]));
    return gw_writer_printf(r->table, "\n");
}

gw_status gw_rouge_files(const char *references, const char *texts, const char *per_pair, int64_t samples,
                         uint64_t seed, gw_rouge_summary *out) {
    rouge_reader r = {0};
    gw_status status = gw_rouge_mean_new(&r.mean);
    if (status == GW_OK) status = gw_lines_open(references, &r.references);
    if (status == GW_OK) status = gw_lines_open(texts, &r.texts);
    if (status == GW_OK) status = open_table(&r, per_pair);
    if (status == GW_OK) status = read_pairs(&r);
    if (status == GW_OK) status = gw_rouge_mean_summarise(r.mean, samples, seed, out);
    status = gw_writers_close(status, r.table, NULL);
    if (r.texts) gw_lines_close(r.texts);
    if (r.references) gw_lines_close(r.references);
    gw_rouge_mean_free(r.mean);
    return status;
}
