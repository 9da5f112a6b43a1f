// SPDX-License-Identifier: MIT
// Bytes as a question set of each format: whatever they say, windows stand within their rows and contexts, and answers
// and markers within their windows. What follows a NUL is taken for predictions, which are rated for each kind of set.
#include "language/question_windows.h"
#include "language/questions/question_format.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/fuzz_file.h"
#include "text/kind.h"

#include <sys/stat.h>

static const char vocabulary[] =
    "{\"added_tokens\": [{\"id\": 0, \"content\": \"[PAD]\", \"special\": true},"
    " {\"id\": 1, \"content\": \"[UNK]\", \"special\": true}, {\"id\": 2, \"content\": \"[CLS]\", \"special\": true},"
    " {\"id\": 3, \"content\": \"[SEP]\", \"special\": true}, {\"id\": 4, \"content\": \"[MASK]\", \"special\": true}],"
    " \"normalizer\": {\"type\": \"BertNormalizer\", \"clean_text\": true, \"handle_chinese_chars\": true,"
    " \"strip_accents\": true, \"lowercase\": true}, \"pre_tokenizer\": {\"type\": \"BertPreTokenizer\"},"
    " \"post_processor\": {\"type\": \"BertProcessing\", \"sep\": [\"[SEP]\", 3], \"cls\": [\"[CLS]\", 2]},"
    " \"model\": {\"type\": \"WordPiece\", \"unk_token\": \"[UNK]\", \"continuing_subword_prefix\": \"##\","
    " \"max_input_chars_per_word\": 100, \"vocab\": {\"[PAD]\": 0, \"[UNK]\": 1, \"[CLS]\": 2, \"[SEP]\": 3,"
    " \"[MASK]\": 4, \"a\": 5, \"e\": 6, \"##e\": 7, \"red\": 8, \"##s\": 9, \".\": 10, \"?\": 11, \"the\": 12}}}";

static const gw_text_options all_options[] = {
    {.most = 48},
    {.most = 20, .stride = 3, .most_question = 4, .dropped = 0.5},
};
static const char *const kinds[] = {"squad", "hotpotqa", "natural-questions", "triviaqa", "wikihop"};
enum { KINDS = sizeof kinds / sizeof *kinds };

static const gw_tokenizer *tokenizer_of_all(void) {
    static gw_tokenizer *tokenizer;
    if (!tokenizer && gw_tokenizer_json_parse("vocabulary", vocabulary, sizeof vocabulary - 1, &tokenizer) != GW_OK)
        abort();
    return tokenizer;
}

// TriviaQA's documents, beside the set.
static void write_documents(void) {
    static const char text[] = "The Red sea, reds. e\xCC\x81 \xC4\xB0 the red 42?";
    static bool written;
    char path[64];
    if (!written && (mkdir(fuzz_path(path, "wikipedia"), 0700) || mkdir(fuzz_path(path, "web"), 0700))) abort();
    if (!written) fuzz_file(path, "wikipedia/a.txt", text, sizeof text - 1);
    if (!written) fuzz_file(path, "web/a.txt", text, sizeof text - 1);
    written = true;
}

static void expect(bool holds) {
    if (!holds) __builtin_trap();
}

static void check_labels(const gw_text_set *set, int64_t row, int64_t tokens) {
    const gw_question_labels *l = &set->right;
    for (int64_t i = l->end_start[row]; i < l->end_start[row + 1]; i++)
        expect(l->end[i].column >= 0 && l->end[i].column < set->questions.shape.ends && l->end[i].token >= 0 &&
               l->end[i].token < tokens);
    for (int64_t i = l->marker_start[row]; i < l->marker_start[row + 1]; i++)
        expect(l->marker[i].number >= 0 && l->marker[i].token >= 0 && l->marker[i].token < tokens);
    expect(l->type[row] < set->questions.shape.types || l->type[row] == -1);
}

static void check_windows(const gw_text_set *set, int64_t most) {
    const bool labelled = gw_question_columns(&set->questions.shape) > 0;
    for (int64_t row = 0; row < set->rows; row++) {
        const gw_window *window = &set->window[row];
        const int64_t tokens = set->start[row + 1] - set->start[row];
        const gw_context *context = &set->questions.context[window->context];
        expect(tokens <= most && window->tokens >= 1 && window->first + window->tokens <= tokens);
        expect(window->question < set->questions.count && window->context < set->questions.contexts);
        expect(window->from + window->tokens <= context->tokens);
        for (int64_t t = window->from; t < window->from + window->tokens; t++)
            expect(context->begin[t] >= 0 && context->begin[t] <= context->end[t] &&
                   context->end[t] <= context->length);
        if (labelled) check_labels(set, row, tokens);
        else expect(set->label[2 * row] <= set->label[2 * row + 1] && set->label[2 * row + 1] < tokens);
    }
}

static void read_as(const gw_question_format *format, const char *path, const gw_text_options *options) {
    gw_questions questions = {.shape = format->shape};
    gw_text_set set = {0};
    if (format->read(path, options, &questions) == GW_OK &&
        gw_question_windows(&questions, tokenizer_of_all(), options, &set) == GW_OK)
        check_windows(&set, options->most);
    gw_questions_free(&questions);
    gw_text_set_free(&set);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char set[64], predictions[64], folder[64];
    const uint8_t *end = memchr(data, 0, size);
    const size_t length = end ? (size_t)(end - data) : size;
    write_documents();
    fuzz_path(folder, ".");
    const char *const path = fuzz_file(set, "set.json", data, length);
    for (int o = 0; o < 2; o++) {
        gw_text_options options = all_options[o];
        options.evidence = folder;
        for (int k = 0; k < KINDS; k++) read_as(gw_question_format_by_name(kinds[k]), path, &options);
    }
    if (!end) return 0;
    fuzz_file(predictions, "predictions.json", end + 1, size - length - 1);
    for (int k = 0; k < KINDS; k++) {
        gw_qa_rating rating;
        const gw_qa_files files = {.sets = &path, .set_count = 1, .predictions = predictions, .no_answer_threshold = 1};
        if (gw_qa_rate(kinds[k], &files, &rating) == GW_OK) expect(rating.count > 0 && rating.questions > 0);
    }
    return 0;
}
