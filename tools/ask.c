// SPDX-License-Identifier: MIT
// godwit ask: answers a question from a text, with a model that names spans.
#include "base/memory.h"
#include "base/utf8.h"
#include "file/lines.h"
#include "language/question_windows.h"
#include "language/text_batch.h"
#include "model/head.h"
#include "task/texts/predict_questions.h"
#include "tools/cli/cli.h"
#include "tools/cli/device.h"
#include "tools/shared_options.h"
#include "tools/texts.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    gw_text_options texts;
    int64_t best, tokens;
    double no_answer_threshold;
    const char *model, *output;
    gw_string_list asked;
    gw_inference_arguments inference;
} ask_arguments;

static const ask_arguments defaults = {.best = 1};

#define FIELD(name) offsetof(ask_arguments, name)
static const gw_option options[] = {
    {GW_OPTION_GROUP, .help = "Input and output"},
    {GW_OPTION_STRING, 'm', "model", "FOLDER", FIELD(model), "model that answers questions", .required = true},
    {GW_OPTION_LIST, 'q', "question", "TEXT", FIELD(asked), "question; may be repeated", .required = true},
    {GW_OPTION_STRING, 'o', "output", "FILE", FIELD(output), "table to write (standard output)", .writes = true,
     .endings = GW_TABLE_ENDINGS},
    {GW_OPTION_INT, 'n', "n-best", "N", FIELD(best), "answers to each question, of each text", .min = 1, .max = 1000},
    {GW_OPTION_REAL, 0, "no-answer-threshold", "X", FIELD(no_answer_threshold),
     "above it there is no answer (never): logit of no answer less that of the best span", .min = -1e9, .max = 1e9},
    GW_OPTION_ROWS_QUESTIONS(FIELD(texts), 0),
    {GW_OPTION_INT, 0, "max-length", "N", FIELD(texts.most), "tokens of a window (0: as the model was trained)",
     .min = 0, .max = 1e7},
    {GW_OPTION_INT, 0, "batch-tokens", "N", FIELD(tokens), "tokens computed at a time (0: 8192, or a window)", .min = 0,
     .max = 1e8},
    GW_OPTION_ROWS_INFERENCE(FIELD(inference)),
    {.help = NULL},
};

// A whole text; lines end in '\n', whatever they end in there.
static gw_status read_text(const char *path, gw_string *text) {
    gw_line_reader *reader;
    char *line;
    int64_t length;
    GW_TRY(gw_lines_open(path, &reader));
    gw_status status;
    while ((status = gw_lines_next(reader, &line, &length)) == GW_OK && line) {
        if (gw_utf8_valid(line, length) < length) status = gw_lines_fail(reader, GW_ERR_FORMAT, "not UTF-8");
        if (status != GW_OK) break;
        gw_string_append(text, line, length);
        gw_string_putc(text, '\n');
    }
    gw_lines_close(reader);
    if (status == GW_OK) status = gw_string_status(text);
    if (status == GW_OK && (!text->data || !text->data[strspn(text->data, " \t\n")]))
        status = gw_fail(GW_ERR_FORMAT, "%s is empty", path);
    return status;
}

static gw_status add_text(const ask_arguments *a, const char *path, gw_questions *questions) {
    gw_string text = {0};
    gw_status status = read_text(path, &text);
    if (status == GW_OK) status = gw_questions_add_context(questions, text.data);
    for (int i = 0; status == GW_OK && i < a->asked.count; i++)
        status = gw_questions_add(questions, path, a->asked.items[i]);
    gw_string_free(&text);
    return status;
}

// What stands in a column of the table from byte `begin` on.
static void make_field(gw_string *line, int64_t begin) {
    for (int64_t i = begin; i < line->length; i++)
        if (strchr("\t\n\r", line->data[i])) line->data[i] = ' ';
}

// asked: the question's column, or "" where one question is asked of all texts.
static gw_status write_question(const ask_arguments *a, const gw_question_answers *answers, int64_t q,
                                const char *asked, gw_text_writer *out) {
    const gw_questions *questions = &answers->set->questions;
    const gw_context *context = &questions->context[questions->question[q].context];
    const char *path = questions->question[q].id;
    const double none = gw_question_answers_none(answers, q);
    const bool limited = gw_option_given(FIELD(no_answer_threshold));
    gw_string line = {0};
    gw_status status = GW_OK;
    if (limited && none > a->no_answer_threshold)
        return gw_writer_printf(out, "%s\t%s.\t.\t%.7g\t%.7g\t.\n", path, asked, answers->none[q], none);
    for (int64_t rank = 0; rank < answers->found[q] && status == GW_OK; rank++) {
        const gw_found_answer *found = &answers->best[q * answers->most + rank];
        int64_t row = 1, begin = 0; // the line of the answer, from 1, and where it begins
        for (int64_t i = 0; i < found->begin; i++)
            if (context->text[i] == '\n') row++, begin = i + 1;
        const int64_t column =
            1 + gw_context_character(&(gw_context){.text = context->text + begin}, found->begin - begin);
        gw_string_clear(&line);
        gw_string_printf(&line, "%s\t%s%lld\t%lld\t%.7g\t%.7g\t", path, asked, (long long)row, (long long)column,
                         found->score, none);
        const int64_t before = line.length;
        gw_question_answers_text(answers, q, rank, &line);
        make_field(&line, before);
        gw_string_putc(&line, '\n');
        status = gw_string_status(&line);
        if (status == GW_OK) status = gw_writer_write(out, line.data, line.length);
    }
    gw_string_free(&line);
    return status;
}

static gw_status write_table(const ask_arguments *a, const gw_question_answers *answers) {
    const bool several = a->asked.count > 1;
    gw_text_writer *out;
    gw_string asked = {0};
    GW_TRY(gw_writer_open(a->output, &out));
    gw_status status =
        gw_writer_printf(out, "text\t%sline\tcolumn\tscore\tno_answer\tanswer\n", several ? "question\t" : "");
    for (int64_t q = 0; q < answers->set->questions.count && status == GW_OK; q++) {
        gw_string_clear(&asked);
        gw_string_puts(&asked, several ? answers->set->questions.question[q].text : "");
        make_field(&asked, 0);
        if (several) gw_string_putc(&asked, '\t');
        status = gw_string_status(&asked);
        if (status == GW_OK) status = write_question(a, answers, q, asked.data, out);
    }
    gw_string_free(&asked);
    return gw_writers_close(status, out, NULL);
}

static gw_status answer(const ask_arguments *a, gw_model *model, gw_questions *questions) {
    gw_text_options texts = a->texts;
    gw_text_set set = {0};
    gw_question_answers answers = {0};
    if (!gw_head_names_spans(model->config.head) || model->config.labels == 1 || !model->tokenizer)
        return gw_fail(
            GW_ERR_UNSUPPORTED,
            "%s does not answer questions: its head does not predict spans (godwit finetune --task qa makes one)",
            a->model);
    texts.labels = GW_TEXT_SPANS;
    GW_TRY(gw_texts_fit(&model->config, &texts));
    gw_status status = gw_question_windows(questions, model->tokenizer, &texts, &set);
    if (status == GW_OK) status = gw_answer_questions(model, &set, a->tokens, a->best, &answers);
    if (status == GW_OK) status = write_table(a, &answers);
    gw_question_answers_free(&answers);
    gw_text_set_free(&set);
    return status;
}

static gw_status run(void *arguments, char **operands, int count) {
    const ask_arguments *a = arguments;
    static char *const standard_input[] = {"-"};
    gw_questions questions = {0};
    gw_model *model = NULL;
    if (count == 0) operands = (char **)standard_input, count = 1;
    GW_TRY(gw_device_apply(a->inference.device));
    gw_status status = gw_model_load(a->model, &model);
    if (status == GW_OK) status = gw_inference_apply(&a->inference, model);
    for (int i = 0; i < count && status == GW_OK; i++) status = add_text(a, operands[i], &questions);
    if (status == GW_OK) status = answer(a, model, &questions);
    gw_questions_free(&questions);
    gw_model_free(model);
    return status;
}

const gw_command gw_command_ask = {
    .name = "ask",
    .group = "Models",
    .summary = "answer a question by a span of a text",
    .usage = "-m FOLDER -q QUESTION [options] [document.txt ...]",
    .description =
        "Reads texts (plain, gzip or BGZF; standard input if no file is named) in windows. For each question and "
        "text it writes the span that answers best, with the columns text, question (if there are several), line "
        "and column (where the span begins, from 1, in characters), score (the sum of the logits of its ends), "
        "no_answer (the logit of no answer less that of the best span) and answer, with blanks for line ends. Above "
        "--no-answer-threshold there is no answer, and the columns have '.'. finetune --task qa makes such a model; "
        "a Hugging Face folder with that head works too.\n\n" GW_INFERENCE_HELP,
    .examples = "godwit ask -m qa -q 'who built it?' article.txt\n"
                "godwit ask -m qa -q 'what was measured?' -n 3 <paper.txt",
    GW_COMMAND_TAKES(0, -1),
    .run = run,
};
