// SPDX-License-Identifier: MIT
// Recognises by its first line the kind of a file that is not the expected table, for helpful messages.
//
// FASTA begins with '>', FASTQ with '@' and a name, VCF and GFF3 with a line that names the format. BED has numbers in
// columns 2 and 3. JSON is a document (the first lines of indented JSON, a list, or SQuAD's "data" with "paragraphs")
// or an object. Plain text has no tabs, and more than one word between commas.
#ifndef GW_FILE_FILE_KIND_H
#define GW_FILE_FILE_KIND_H

#include "base/status.h"

typedef enum {
    GW_KIND_TABLE, // or unknown
    GW_KIND_FASTA,
    GW_KIND_FASTQ,
    GW_KIND_VCF,
    GW_KIND_GFF,
    GW_KIND_BED,
    GW_KIND_DOCUMENT, // of JSON
    GW_KIND_SQUAD,
    GW_KIND_OBJECT, // of JSON
    GW_KIND_TEXT,
} gw_file_kind;

// The first line that is not empty, without its end.
gw_file_kind gw_file_kind_of(const char *line);
// Fails if a file of another kind than GW_KIND_TABLE was given instead of `wanted` ("a table ..."). The message names
// the kind and the command that reads it.
gw_status gw_file_kind_refuse(gw_file_kind kind, const char *path, const char *wanted) GW_MUST_CHECK;

#endif
