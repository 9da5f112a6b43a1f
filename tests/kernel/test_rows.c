// SPDX-License-Identifier: MIT
// column_sum, embedding, gather_rows, scatter_add_rows: sums and copies of rows.
#include "reference/ref.h"
#include "tests/kernel/support.h"

#include <criterion/criterion.h>

// At most twice the error of the plain formula in f32 on the same numbers.
static const double SUM_LIMIT = 8e-7, EMBEDDING_LIMIT = 1e-7, SCATTER_LIMIT = 3e-7;

typedef struct {
    int64_t rows, width;
} row_shape;
static const row_shape SHAPES[] = {{1, 1}, {5, 7}, {33, 64}, {700, 67}, {257, 768}};
enum { SHAPE_CASES = sizeof SHAPES / sizeof SHAPES[0] };

void check_column_sum(const gw_backend *backend) {
    for (int c = 0; c < SHAPE_CASES; c++) {
        const int64_t rows = SHAPES[c].rows, width = SHAPES[c].width, stride = width + 3;
        test_array in = test_normal(rows * stride, 1.0), out = test_normal(width, 1.0);
        double *dense = test_alloc(rows * width, sizeof *dense);
        for (int64_t i = 0; i < rows * width; i++) dense[i] = in.wide[i / width * stride + i % width];
        const gw_column_sum_args args = {
            .rows = rows, .width = width, .in = in.value, .in_stride = stride, .out = out.value};
        cr_assert(backend->column_sum(&args) == GW_OK);
        ref_column_sum(rows, width, dense, out.wide);
        test_compare("out", out, SUM_LIMIT);
        test_unchanged("in", in);
    }
}

enum { VOCABULARY = 23, POSITIONS = 11, SEGMENTS = 2 };

// Tables that are there: those of BERT, of rotary models, of positions alone, of ESM, whose rows have scales.
static const struct {
    bool token, position, segment, rows;
    float scale;
} TABLES[] = {
    {true, true, true, false, 1.0f},
    {true, false, true, false, 3.5f},
    {false, true, false, false, 1.0f},
    {true, true, false, true, 2.0f},
};
enum { TABLE_CASES = sizeof TABLES / sizeof *TABLES };

static gw_embedding_args embedding_arguments(int64_t rows, int64_t width, int tables) {
    return (gw_embedding_args){.rows = rows,
                               .width = width,
                               .token = TABLES[tables].token ? test_indices(rows, VOCABULARY) : NULL,
                               .position = TABLES[tables].position ? test_indices(rows, POSITIONS) : NULL,
                               .segment = TABLES[tables].segment ? test_indices(rows, SEGMENTS) : NULL,
                               .token_scale = TABLES[tables].scale,
                               .vocabulary = VOCABULARY,
                               .positions = POSITIONS,
                               .segments = SEGMENTS};
}

void check_embedding(const gw_backend *backend) {
    for (int c = 0; c < TABLE_CASES * SHAPE_CASES; c++) {
        const int64_t rows = SHAPES[c / TABLE_CASES].rows, width = SHAPES[c / TABLE_CASES].width;
        const int tables = c % TABLE_CASES;
        gw_embedding_args args = embedding_arguments(rows, width, tables);
        test_array token_embedding = test_normal(VOCABULARY * width, 1.0),
                   position_embedding = test_normal(POSITIONS * width, 1.0);
        test_array segment_embedding = test_normal(SEGMENTS * width, 1.0), out = test_zeros(rows * width);
        args.token_embedding = args.token ? token_embedding.value : NULL;
        args.position_embedding = args.position ? position_embedding.value : NULL;
        args.segment_embedding = args.segment ? segment_embedding.value : NULL;
        test_array scales = test_normal(rows, 1.0);
        if (TABLES[tables].rows) args.row_scale = scales.value;
        args.out = out.value;
        cr_assert(backend->embedding(&args) == GW_OK);
        ref_embedding(rows, width, args.token, args.position, args.segment, (double)args.token_scale,
                      args.row_scale ? scales.wide : NULL, args.token ? token_embedding.wide : NULL,
                      args.position ? position_embedding.wide : NULL, args.segment ? segment_embedding.wide : NULL,
                      out.wide);
        test_compare("out", out, EMBEDDING_LIMIT);
    }
}

void check_embedding_backward(const gw_backend *backend) {
    for (int c = 0; c < TABLE_CASES * SHAPE_CASES; c++) {
        const int64_t rows = SHAPES[c / TABLE_CASES].rows, width = SHAPES[c / TABLE_CASES].width;
        const int tables = c % TABLE_CASES;
        gw_embedding_args args = embedding_arguments(rows, width, tables);
        test_array token_embedding = test_normal(VOCABULARY * width, 1.0),
                   position_embedding = test_normal(POSITIONS * width, 1.0);
        test_array segment_embedding = test_normal(SEGMENTS * width, 1.0), dout = test_normal(rows * width, 1.0);
        test_array scales = test_normal(rows, 1.0);
        if (TABLES[tables].rows) args.row_scale = scales.value;
        args.out_gradient = dout.value;
        args.token_gradient = args.token ? token_embedding.value : NULL;
        args.position_gradient = args.position ? position_embedding.value : NULL;
        args.segment_gradient = args.segment ? segment_embedding.value : NULL;
        cr_assert(backend->embedding_backward(&args) == GW_OK);
        ref_embedding_backward(rows, width, args.token, args.position, args.segment, (double)args.token_scale,
                               args.row_scale ? scales.wide : NULL, dout.wide, args.token ? token_embedding.wide : NULL,
                               args.position ? position_embedding.wide : NULL,
                               args.segment ? segment_embedding.wide : NULL);
        test_compare("token_embedding gradient", token_embedding, SUM_LIMIT);
        test_compare("position gradient", position_embedding, SUM_LIMIT);
        test_compare("segment gradient", segment_embedding, SUM_LIMIT);
        test_unchanged("out_gradient", dout);
    }
}

enum { TABLE = 19 };

// Rows of `width` in arrays of stride width + 5, and dense for the reference.
static double *dense_rows(test_array array, int64_t rows, int64_t width) {
    double *dense = test_alloc(rows * width, sizeof *dense);
    for (int64_t i = 0; i < rows * width; i++) dense[i] = array.wide[i / width * (width + 5) + i % width];
    return dense;
}

static void put_back(test_array array, const double *dense, int64_t rows, int64_t width) {
    for (int64_t i = 0; i < rows * width; i++) array.wide[i / width * (width + 5) + i % width] = dense[i];
}

void check_gather_rows(const gw_backend *backend) {
    for (int c = 0; c < SHAPE_CASES; c++) {
        const int64_t rows = SHAPES[c].rows, width = SHAPES[c].width;
        const int32_t *index = test_indices(rows, TABLE);
        test_array in = test_normal(TABLE * (width + 5), 1.0), out = test_normal(rows * (width + 5), 1.0);
        const gw_rows_args args = {.rows = rows,
                                   .width = width,
                                   .index = index,
                                   .in = in.value,
                                   .in_stride = width + 5,
                                   .out = out.value,
                                   .out_stride = width + 5};
        gw_rows_args adding = args;
        adding.accumulate = true;
        cr_assert(backend->gather_rows(&args) == GW_OK);
        double *want = dense_rows(out, rows, width);
        ref_gather_rows(rows, width, index, dense_rows(in, TABLE, width), want);
        put_back(out, want, rows, width);
        test_compare("out", out, 0.0);
        cr_assert(backend->gather_rows(&adding) == GW_OK); // twice as much
        for (int64_t i = 0; i < rows * width; i++) want[i] *= 2;
        put_back(out, want, rows, width);
        test_compare("out", out, 0.0);
    }
}

void check_scatter_add_rows(const gw_backend *backend) {
    for (int c = 0; c < SHAPE_CASES; c++) {
        const int64_t rows = SHAPES[c].rows, width = SHAPES[c].width;
        const int32_t *index = test_indices(rows, TABLE);
        test_array in = test_normal(rows * (width + 5), 1.0), out = test_normal(TABLE * (width + 5), 1.0);
        const gw_rows_args args = {.rows = rows,
                                   .width = width,
                                   .index = index,
                                   .in = in.value,
                                   .in_stride = width + 5,
                                   .out = out.value,
                                   .out_stride = width + 5,
                                   .out_rows = TABLE};
        cr_assert(backend->scatter_add_rows(&args) == GW_OK);
        double *want = dense_rows(out, TABLE, width);
        ref_scatter_add_rows(rows, width, index, dense_rows(in, rows, width), want);
        put_back(out, want, TABLE, width);
        test_compare("out", out, SCATTER_LIMIT);
    }
}
