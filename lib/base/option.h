// SPDX-License-Identifier: MIT
// Options as rows of a table, whose values go straight into the struct that is run with.
#ifndef GW_BASE_OPTION_H
#define GW_BASE_OPTION_H

#include "base/string.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum {
    GW_OPTION_GROUP,  // a heading in the help: only `help` is read
    GW_OPTION_FLAG,   // bool
    GW_OPTION_SETS,   // a flag that sets an enumeration to `min`; those that set one field exclude each other
    GW_OPTION_STRING, // const char *
    GW_OPTION_LIST,   // gw_string_list: may be repeated
    GW_OPTION_INT,    // int64_t or uint64_t in [min, max]
    GW_OPTION_REAL,   // double in [min, max]
    GW_OPTION_RANGE,  // int64_t[2], "50-100"
    GW_OPTION_CHOICE, // const char *, one of `choices`; "" for "--name" alone where value_name begins with "[="
    GW_OPTION_LETTER, // char, the first of one of `choices`; 0: none
    GW_OPTION_NAMED,  // an enumeration whose constants are numbered as `choices` stand, from `min` on; below it: none
} gw_option_kind;

typedef struct {
    gw_option_kind kind;
    char letter;            // 0: none
    const char *name;       // long name without dashes; NULL: none
    const char *value_name; // "FILE", "N" ...; NULL for flags
    size_t offset;          // of the field in the struct
    const char *help;
    double min, max;     // INT, REAL, RANGE; both 0: any value
    const char *choices; // CHOICE, LETTER, NAMED: "v|z|u|b"
    bool required;
    const char *alias;   // the long name that it had, taken with a warning until the next major version; NULL: none
    bool writes;         // STRING, LIST: names what is written, not what is read
    const char *endings; // of the file that it writes: "svg|png"; an empty one stands for names without an ending;
                         // NULL: any name
    unsigned of;         // of which of a command's kinds of work (gw_command.kind), a bit each; 0: of all
    unsigned models; // which kinds of model know it (gw_command.model_kinds), a bit each; 0: those of its heading, or
                     // all
} gw_option;

// Endings of tables, of tables that are BED too, of lines of text, of VCF, and of pictures.
#define GW_TABLE_ENDINGS "|tsv|tsv.gz|txt|txt.gz"
#define GW_ROWS_ENDINGS GW_TABLE_ENDINGS "|parquet"
#define GW_BED_ENDINGS "|bed|bed.gz|tsv|tsv.gz|txt|txt.gz"
#define GW_TEXT_ENDINGS "|txt|txt.gz"
#define GW_VCF_ENDINGS "|vcf|vcf.gz"
#define GW_PICTURE_ENDINGS "svg|png"

#endif
