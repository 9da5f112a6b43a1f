// SPDX-License-Identifier: MIT
// The interface between the program and libgodwit-parquet.so (file/parquet/writer.cc), which writes Parquet files with
// Apache Arrow's C++ library.
//
// The plugin exports one function, gw_parquet_entry(), which returns its gw_parquet. The first member is a checksum of
// this header, made by the Makefile. The program refuses a plugin with another checksum before it reads the other
// members.
#ifndef GW_FILE_PARQUET_H
#define GW_FILE_PARQUET_H

#include "base/status.h"

#include <stdint.h>

#define GW_PARQUET_FILE "libgodwit-parquet.so"
#define GW_PARQUET_ENTRY "gw_parquet_entry"

typedef enum { GW_COLUMN_TEXT, GW_COLUMN_INTEGER, GW_COLUMN_FLOAT, GW_COLUMN_DOUBLE } gw_column_kind;

typedef struct {
    const char *name;
    gw_column_kind kind;
    const char *format; // printf format of FLOAT and DOUBLE in text tables; NULL: %g
} gw_column;

// The cells of one column in a batch of rows.
typedef struct {
    const uint8_t *present; // [rows] 0: the cell is missing
    const void *numbers;    // [rows] int64_t, float or double; NULL for texts
    const int32_t *starts;  // [rows + 1] for texts: offsets in `bytes`
    const char *bytes;
} gw_column_cells;

// gw_fail() of base/status.h, which the plugin cannot link.
typedef gw_status gw_parquet_fail(gw_status code, const char *format, ...);
// Takes the next bytes of the file. A failure ends the writing, and the plugin's function returns it.
typedef gw_status gw_parquet_sink(void *context, const void *bytes, int64_t count);

typedef struct gw_parquet_file gw_parquet_file;

typedef struct {
    uint32_t abi;                 // always the first member
    const char *(*version)(void); // of Arrow, one line
    // `columns` and `made` are read only during the call. `made` is the value of the file's key "godwit" (NULL: none).
    // `fail` makes the messages of failures.
    gw_status (*open)(const gw_column *columns, int count, const char *made, gw_parquet_sink *sink, void *context,
                      gw_parquet_fail *fail, gw_parquet_file **file);
    gw_status (*add)(gw_parquet_file *file, const gw_column_cells *cells, int64_t rows); // [columns]; a row group
    gw_status (*close)(gw_parquet_file *file); // writes the end of the file to sink()
    void (*free)(gw_parquet_file *file);       // after close() or a failure; NULL is fine
} gw_parquet;

typedef const gw_parquet *gw_parquet_function(void);

#endif
