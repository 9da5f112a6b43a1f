// SPDX-License-Identifier: MIT
// Options of a command as rows of a table. The parser writes the values into the argument struct of the command.
#ifndef GW_BASE_OPTION_H
#define GW_BASE_OPTION_H

#include "base/string.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum {
    GW_OPTION_GROUP,  // a heading in the help: only `help` is read
    GW_OPTION_FLAG,   // bool
    GW_OPTION_SETS,   // a flag that sets an enumeration to `min`; options that set the same field exclude each other
    GW_OPTION_STRING, // const char *
    GW_OPTION_LIST,   // gw_string_list: the option may be repeated
    GW_OPTION_INT,    // int64_t or uint64_t in [min, max]
    GW_OPTION_REAL,   // double in [min, max]
    GW_OPTION_RANGE,  // int64_t[2], "50-100"
    GW_OPTION_CHOICE, // const char *, one of `choices`; "" for "--name" without a value, if value_name begins with "[="
    GW_OPTION_LETTER, // char, the first letter of one of `choices`; 0: none
    GW_OPTION_NAMED,  // an enumeration numbered in the order of `choices`, from `min` on; a smaller value: none
} gw_option_kind;

typedef struct {
    gw_option_kind kind;
    char letter;            // 0: none
    const char *name;       // long name without dashes; NULL: none
    const char *value_name; // "FILE", "N" ...; NULL for flags
    size_t offset;          // of the field in the argument struct
    const char *help;
    double min, max;     // for INT, REAL, RANGE; both 0: any value
    const char *choices; // for CHOICE, LETTER, NAMED: "v|z|u|b"
    bool required;
    const char *alias;   // former long name, accepted with a warning until the next major version; NULL: none
    bool writes;         // STRING, LIST: the value names an output, not an input
    const char *endings; // endings that the output file may have: "svg|png"; an empty ending stands for names without
                         // an ending; NULL: any name
    unsigned of;         // bits of the kinds of work that have this option (gw_command.kind); 0: all kinds
    unsigned models;     // bits of the kinds of model that have this option (gw_command.model_kinds); 0: those of its
                         // heading, or all
} gw_option;

// Endings of tables; of tables that may be Parquet; of tables that may be BED; of text lines; of VCF; and of pictures.
#define GW_TABLE_ENDINGS "|tsv|tsv.gz|txt|txt.gz"
#define GW_ROWS_ENDINGS GW_TABLE_ENDINGS "|parquet"
#define GW_BED_ENDINGS "|bed|bed.gz|tsv|tsv.gz|txt|txt.gz"
#define GW_TEXT_ENDINGS "|txt|txt.gz"
#define GW_VCF_ENDINGS "|vcf|vcf.gz"
#define GW_PICTURE_ENDINGS "svg|png"

#endif
