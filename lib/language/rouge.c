// SPDX-License-Identifier: MIT
// n-grams are counted by sorting; subsequences by the table of the longest common ones of all beginnings.
#include "language/rouge.h"

#include "base/memory.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

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

// The union's words of each sentence, in order of value.
static gw_status list_union(const gw_rouge_text *reference, const gw_rouge_text *text, int64_t *out, int64_t *count) {
    bool *marked = gw_alloc(words_of(reference), sizeof *marked);
    gw_status status = marked ? GW_OK : GW_ERR_MEMORY;
    *count = 0;
    for (int64_t s = 0; s < reference->sentences; s++)
        for (int64_t t = 0; status == GW_OK && t < text->sentences; t++)
            status = mark(sentence(reference, s), sentence(text, t), marked + reference->start[s]);
    for (int64_t i = 0; status == GW_OK && i < words_of(reference); i++)
        if (marked[i]) out[(*count)++] = reference->word[i];
    free(marked);
    if (*count > 0) qsort(out, (size_t)*count, sizeof *out, by_value);
    return status;
}

static gw_status of_sentences(const gw_rouge_text *reference, const gw_rouge_text *text, gw_rouge *out) {
    int64_t *a = gw_alloc(words_of(reference), sizeof *a), *b = gw_alloc(words_of(text), sizeof *b), count;
    gw_status status = a && b ? list_union(reference, text, a, &count) : GW_ERR_MEMORY;
    // A word of the union counts as often as the text has it; in the reference it is at least as often.
    if (status == GW_OK)
        *out = ratios(count_common(a, count, b, list_ngrams(text, 1, b)), words_of(reference), words_of(text));
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
