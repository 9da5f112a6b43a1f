// SPDX-License-Identifier: MIT
// godwit bpe: learns a byte-pair vocabulary from documents, of DNA or of any text.
#include "base/log.h"
#include "base/output.h"
#include "data/documents.h"
#include "text/tokenizer.h"
#include "tools/cli/cli.h"

typedef struct {
    int64_t vocabulary;
    bool bytes;
    const char *column, *output;
} bpe_arguments;

static const bpe_arguments defaults = {.vocabulary = 32000, .output = "-"};

static const gw_option options[] = {
    {GW_OPTION_INT, 'v', "vocabulary", "N", offsetof(bpe_arguments, vocabulary),
     "tokens, with 5 special tokens and the letters A C G T N (10: no merges), or the 256 bytes (261)", .min = 10,
     .max = 1 << 20},
    {GW_OPTION_FLAG, 0, "byte-level", NULL, offsetof(bpe_arguments, bytes), "learn from any text in UTF-8, by bytes"},
    {GW_OPTION_STRING, 0, "text", "COLUMN", offsetof(bpe_arguments, column),
     "files are tables (TSV, CSV, JSONL): learn from the texts of this column, by bytes"},
    {GW_OPTION_STRING, 'o', "output", "FILE", offsetof(bpe_arguments, output), "write tokenizer.json here (-: stdout)",
     .writes = true, .endings = "|json"},
    {.help = NULL},
};

static bool of_bytes(const bpe_arguments *a) {
    return a->bytes || a->column;
}

static const char *letters(const bpe_arguments *a) {
    return of_bytes(a) ? "bytes" : "bases";
}

static gw_status read_corpus(const bpe_arguments *a, gw_bpe_trainer *trainer, const char *const *paths, int count) {
    gw_documents *documents;
    GW_TRY(gw_documents_open(paths, count, &documents));
    if (of_bytes(a)) gw_documents_take_text(documents);
    if (a->column) gw_documents_take_column(documents, a->column);
    gw_status status;
    int64_t bases = 0;
    for (;;) {
        gw_sentence sentence;
        GW_TRY_GOTO(status, gw_check_interrupt(), done);
        GW_TRY_GOTO(status, gw_documents_next(documents, &sentence), done);
        if (!sentence.bases) break;
        GW_TRY_GOTO(status, gw_bpe_trainer_add(trainer, sentence.bases, sentence.length), done);
        gw_progress("reading", bases += sentence.length, 0, letters(a), NULL);
    }
done:
    gw_documents_close(documents);
    return status;
}

static gw_status run(void *arguments, char **operands, int count) {
    const bpe_arguments *a = arguments;
    gw_bpe_trainer *trainer;
    gw_tokenizer *tokenizer = NULL;
    if (of_bytes(a) && a->vocabulary < GW_BYTE_VOCABULARY)
        return gw_fail(GW_ERR_USAGE, "-v %lld: byte-level vocabularies have %d tokens or more",
                       (long long)a->vocabulary, GW_BYTE_VOCABULARY);
    GW_TRY(gw_output_can_create(a->output)); // before minutes of work, not after them
    GW_TRY(of_bytes(a) ? gw_bpe_trainer_new_bytes(&trainer) : gw_bpe_trainer_new(&trainer));
    gw_status status = read_corpus(a, trainer, (const char *const *)operands, count);
    if (status == GW_OK) status = gw_bpe_trainer_run(trainer, (int32_t)a->vocabulary, &tokenizer);
    const double mean = gw_bpe_trainer_mean(trainer);
    gw_bpe_trainer_free(trainer);
    if (status != GW_OK) return status;
    const int32_t size = gw_tokenizer_size(tokenizer);
    if (size < a->vocabulary)
        gw_warn("%d tokens instead of %lld: no other pair of tokens occurs twice", size, (long long)a->vocabulary);
    status = gw_tokenizer_save(tokenizer, a->output);
    if (status == GW_OK)
        gw_note("%d tokens, %d merges, %.4f %s per token on average", size,
                size - (of_bytes(a) ? GW_BYTE_VOCABULARY : 10), mean, letters(a));
    gw_tokenizer_free(tokenizer);
    return status;
}

const gw_command gw_command_bpe = {
    .name = "bpe",
    .group = "Text",
    .summary = "learn a byte-pair vocabulary from documents",
    .usage = "[options] [corpus.txt...]",
    .description =
        "Reads documents (one sentence a line, an empty line between documents; plain, gzip or BGZF; standard input "
        "if no file is named) and learns the byte-pair vocabulary of their sentences. Each sentence is one word. "
        "The most frequent pair of neighbouring tokens becomes the next token. Ties go to the pair with the smaller "
        "left id, then the smaller right id. The output is a tokenizer.json for Hugging Face's tokenizers package. "
        "Letters are normalised: upper case, U to T, other IUPAC letters to N. The vocabulary begins with [PAD] "
        "[UNK] [CLS] [SEP] [MASK] A C G T N. With -v 10 it has only these, for models of single bases.\n\n"
        "With --byte-level lines are text in any language, cut into words as GPT-2 and RoBERTa cut them, and "
        "letters are their bytes, as in Hugging Face's byte-level trainer. --text reads a column of tables instead, "
        "as encode does.",
    .examples = "godwit bpe -v 32000 -o tokenizer.json corpus.txt\n"
                "godwit corpus -n 1 -f genome.fa | godwit bpe -v 4096 -o tokenizer.json\n"
                "godwit bpe --text text -v 8000 -o tokenizer.json articles.tsv",
    GW_COMMAND_TAKES(0, -1),
    .run = run,
};
