// SPDX-License-Identifier: MIT
// godwit overlaps: finds rows of labelled sets that share sequence with other sets.
#include "base/log.h"
#include "file/lines.h"
#include "label/labelled_set.h"
#include "tools/cli/cli.h"

#include <string.h>

typedef struct {
    gw_string_list data, with;
    const char *fasta, *rows, *clean;
    int64_t kmer;
} overlaps_arguments;

static const overlaps_arguments defaults = {.kmer = GW_SHARED_KMER};
enum { NAMED = 5 };

#define FIELD(name) offsetof(overlaps_arguments, name)
static const gw_option options[] = {
    {GW_OPTION_LIST, 'd', "data", "SET", FIELD(data), "set whose rows are looked at; may be repeated",
     .required = true},
    {GW_OPTION_LIST, 0, "with", "SET", FIELD(with), "set whose sequence is looked for in them; may be repeated",
     .required = true},
    {GW_OPTION_STRING, 'f', "fasta", "FILE", FIELD(fasta), "reference genome of sets of regions"},
    {GW_OPTION_INT, 'k', "kmer", "K", FIELD(kmer), "bases in a row, on either strand, that make an overlap", .min = 8,
     .max = 31},
    {GW_OPTION_STRING, 0, "overlaps", "FILE", FIELD(rows), "write every row that overlaps: its set and its name",
     .writes = true, .endings = GW_TABLE_ENDINGS},
    {GW_OPTION_STRING, 0, "clean", "FILE", FIELD(clean), "write the lines of the one set whose rows do not overlap",
     .writes = true, .endings = "|tsv|tsv.gz|csv|csv.gz|txt|txt.gz|bed|bed.gz|jsonl|jsonl.gz"},
    {.help = NULL},
};

typedef struct {
    const overlaps_arguments *arguments;
    gw_genome *genome;
    gw_seen_rows seen;
    gw_text_writer *out, *rows; // rows: NULL where they are not asked for
} search;

static gw_status open_sets(const search *s, const char *const *paths, int count, gw_labelled_set **out) {
    const gw_labelled_options read = {.genome = s->genome, .numbers = true, .unlabelled = true};
    return gw_labelled_set_open(paths, count, &read, out);
}

typedef struct {
    const gw_shared_rows *shared;
    gw_text_writer *out;
    int64_t row; // of the next line
} cleaning;

static gw_status count_line(void *context, const gw_line_reader *reader, char *line) {
    (void)reader, (void)line;
    ++*(int64_t *)context;
    return GW_OK;
}

static gw_status clean_line(void *context, const gw_line_reader *reader, char *line) {
    cleaning *c = context;
    const int64_t row = c->row++;
    (void)reader;
    return row >= 0 && c->shared->shares[row] ? GW_OK : gw_writer_printf(c->out, "%s\n", line);
}

// The lines of a table, a row each and perhaps a header before them, without those of rows that overlap.
static gw_status clean(const char *path, const char *to, const gw_shared_rows *shared) {
    int64_t lines = 0;
    GW_TRY(gw_lines_each(path, count_line, &lines));
    if (lines != shared->rows && lines != shared->rows + 1)
        return gw_fail(GW_ERR_UNSUPPORTED, "%s: --clean needs one row per line, found %lld rows on %lld lines", path,
                       (long long)shared->rows, (long long)lines);
    cleaning c = {.shared = shared, .row = shared->rows - lines};
    GW_TRY(gw_writer_open(to, &c.out));
    return gw_writers_close(gw_lines_each(path, clean_line, &c), c.out, NULL);
}

static gw_status tell(const search *s, const char *path, const gw_labelled_set *set, const gw_shared_rows *shared) {
    gw_string names = {0};
    gw_shared_rows_name(set, shared, NAMED, &names);
    const gw_status status = gw_string_status(&names);
    if (status == GW_OK && shared->sharing > 0)
        gw_note("%s: %lld of %lld rows share %lld bases: %s%s", path, (long long)shared->sharing,
                (long long)shared->rows, (long long)s->arguments->kmer, names.data,
                shared->sharing > NAMED ? " ... (--overlaps FILE names all)" : "");
    gw_string_free(&names);
    return status;
}

static gw_status look_at(const search *s, const char *path, gw_labelled_set *set, gw_shared_rows *shared) {
    GW_TRY(gw_shared_rows_find(set, &s->seen, shared));
    GW_TRY(tell(s, path, set, shared));
    GW_TRY(gw_writer_printf(s->out, "%s\t%lld\t%lld\t%lld\n", path, (long long)shared->rows, (long long)shared->sharing,
                            (long long)shared->identical));
    gw_string text = {0};
    gw_status status = GW_OK;
    for (int64_t i = 0; s->rows && status == GW_OK && i < shared->rows; i++) {
        if (!shared->shares[i]) continue;
        gw_string_clear(&text);
        gw_labelled_set_describe(set, i, &text);
        status = gw_string_status(&text);
        if (status == GW_OK) status = gw_writer_printf(s->rows, "%s\t%s\n", path, text.data);
    }
    gw_string_free(&text);
    GW_TRY(status);
    return s->arguments->clean ? clean(path, s->arguments->clean, shared) : GW_OK;
}

static gw_status look_at_set(const search *s, const char *path) {
    gw_labelled_set *set = NULL;
    gw_shared_rows shared = {0};
    gw_status status = open_sets(s, &path, 1, &set);
    if (status == GW_OK) status = look_at(s, path, set, &shared);
    gw_shared_rows_free(&shared);
    gw_labelled_set_close(set);
    return status;
}

static gw_status see(search *s) {
    const overlaps_arguments *a = s->arguments;
    gw_labelled_set *with;
    GW_TRY(open_sets(s, (const char *const *)a->with.items, a->with.count, &with));
    const gw_status status = gw_seen_rows_make(with, (int)a->kmer, &s->seen);
    gw_labelled_set_close(with);
    return status;
}

static gw_status run(void *arguments, char **operands, int count) {
    const overlaps_arguments *a = arguments;
    search s = {.arguments = a};
    (void)operands, (void)count;
    if (a->clean && a->data.count > 1) return gw_fail(GW_ERR_USAGE, "--clean takes one set: give one -d");
    gw_status status = a->fasta ? gw_genome_open(a->fasta, &s.genome) : GW_OK;
    if (status == GW_OK) status = see(&s);
    if (status == GW_OK) status = gw_writer_open(NULL, &s.out);
    if (status == GW_OK && a->rows) status = gw_writer_open(a->rows, &s.rows);
    if (status == GW_OK) status = gw_writer_printf(s.out, "set\trows\tshared\tidentical\n");
    if (status == GW_OK && s.rows) status = gw_writer_printf(s.rows, "set\trow\n");
    for (int i = 0; status == GW_OK && i < a->data.count; i++) status = look_at_set(&s, a->data.items[i]);
    status = gw_writers_close(status, s.out, s.rows);
    gw_seen_rows_free(&s.seen);
    gw_genome_close(s.genome);
    return status;
}

const gw_command gw_command_overlaps = {
    .name = "overlaps",
    .group = "Labelled sets",
    .summary = "rows of labelled sets that hold sequence of others",
    .usage = "-d SET [-d SET] --with SET [--with SET] [-f ref.fa] [options] > counts.tsv",
    .description =
        "A model must be tested on sequence that is not in its training set. For each set -d this command counts "
        "the rows that share 31 bases in a row (--kmer) with a row of the sets --with, on either strand, and the "
        "rows that occur there whole, however short. It names the first five. --overlaps FILE names all. --clean "
        "FILE has the set's lines without them.\n\n"
        "A set is a table with a column sequence, or regions of a genome (-f): columns chrom, start, end and "
        "strand, or BED. Other columns are not read.",
    .examples = "godwit overlaps -d test.tsv --with train.tsv\n"
                "godwit overlaps -d train.bed --with test.tsv -f yeast.fa.gz --clean train.clean.bed",
    GW_COMMAND_TAKES(0, 0),
    .outputs_together = true,
    .run = run,
};
