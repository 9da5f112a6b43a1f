// SPDX-License-Identifier: MIT
// godwit-theory turing: compiles a Turing machine to a decoder with sparse attention and runs both side by side.
#include "base/memory.h"
#include "base/output.h"
#include "tools/cli/cli.h"
#include "tools/picture/canvas.h"
#include "tools/picture/picture.h"
#include "tools/theory/turing_decoder.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- machines ------------------------------------------------------------------------------------------------------

// A file has a line "state read write move next" for each transition, move being L, R or S, symbols being single
// characters; "blank X" names the blank (default _), "start STATE" the first state (default: that of the first line).
// What follows a semicolon is a comment. A state and symbol without a line halt.

static gw_status find_state(gw_machine *m, const char *name, int *out) {
    for (*out = 0; *out < m->states; ++*out)
        if (strcmp(m->state[*out], name) == 0) return GW_OK;
    if (m->states == GW_MOST_STATES) return gw_fail(GW_ERR_UNSUPPORTED, "more than %d states", GW_MOST_STATES);
    if (strlen(name) >= sizeof m->state[0]) return gw_fail(GW_ERR_FORMAT, "the state's name is too long: %s", name);
    strcpy(m->state[m->states++], name);
    return GW_OK;
}

static gw_status find_symbol(gw_machine *m, const char *text, int *out) {
    if (strlen(text) != 1) return gw_fail(GW_ERR_FORMAT, "a symbol is one character, found '%s'", text);
    for (*out = 0; *out < m->symbols; ++*out)
        if (m->symbol[*out] == text[0]) return GW_OK;
    if (m->symbols == GW_MOST_SYMBOLS) return gw_fail(GW_ERR_UNSUPPORTED, "more than %d symbols", GW_MOST_SYMBOLS);
    m->symbol[m->symbols++] = text[0];
    return GW_OK;
}

static gw_status read_line(gw_machine *m, char *line) {
    char *words[6];
    // Cuts a line into words at blanks; a semicolon ends it.
    int count = 0;
    line[strcspn(line, ";")] = 0;
    for (char *next, *word = strtok_r(line, " \t\r", &next); word && count < 6; word = strtok_r(NULL, " \t\r", &next))
        words[count++] = word;
    if (count == 0) return GW_OK;
    if (count == 2 && strcmp(words[0], "start") == 0) return find_state(m, words[1], &m->start);
    if (count == 2 && strcmp(words[0], "blank") == 0) {
        if (strlen(words[1]) != 1 || m->symbols > 1)
            return gw_fail(GW_ERR_FORMAT, "the blank is one character, named before the first transition");
        m->symbol[0] = words[1][0];
        return GW_OK;
    }
    if (count != 5) return gw_fail(GW_ERR_FORMAT, "expected 'state read write move next', found %d fields", count);
    int state, read;
    gw_transition t = {0};
    GW_TRY(find_state(m, words[0], &state));
    GW_TRY(find_symbol(m, words[1], &read));
    GW_TRY(find_symbol(m, words[2], &t.write));
    GW_TRY(find_state(m, words[4], &t.next));
    const char *move = strlen(words[3]) == 1 ? strchr("LSR", words[3][0]) : NULL;
    if (!move) return gw_fail(GW_ERR_FORMAT, "a move is L, S or R, found '%s'", words[3]);
    t.move = (int)(move - "LSR") - 1;
    if (!m->table[state][read].halts)
        return gw_fail(GW_ERR_FORMAT, "a second line for state %s and symbol %s", words[0], words[1]);
    m->table[state][read] = t;
    return GW_OK;
}

static gw_status machine_read(const char *path, gw_machine *out) {
    char *text;
    int64_t length;
    gw_machine *m = out;
    *m = (gw_machine){0};
    for (int q = 0; q < GW_MOST_STATES; q++)
        for (int s = 0; s < GW_MOST_SYMBOLS; s++) m->table[q][s].halts = true;
    out->symbol[out->symbols++] = '_';
    GW_TRY(gw_read_file(path, &text, &length));
    gw_status status = GW_OK;
    int number = 1;
    for (char *line = text, *end; status == GW_OK && line; line = end, number++) {
        end = strchr(line, '\n');
        if (end) *end++ = 0;
        if (read_line(out, line) != GW_OK) status = gw_fail_in(GW_ERR_FORMAT, "%s, line %d", path, number);
    }
    free(text);
    if (status == GW_OK && out->states == 0) status = gw_fail(GW_ERR_FORMAT, "%s: no transitions", path);
    return status;
}

// Every symbol goes back where it was; a state that only moves.
static gw_transition carry(int symbol, int move, int next) {
    return (gw_transition){.write = symbol, .move = move, .next = next};
}

// The machine that the decoder simulates, which always moves and reads its input as the encoder hands it out, at time t
// cell t: from a blank tape, on cell 0, it marks that cell (a new symbol, which counts as blank from then on), walks
// right over the input to the first blank and back to the mark, and starts `machine` on cell 1. A transition that stays
// goes right, and then left by a state of its own.
static gw_status machine_prepare(const gw_machine *machine, gw_machine *m) {
    int mark, begin, read, back;
    *m = *machine;
    GW_TRY(find_symbol(m, strchr(machine->symbol, '>') ? "^" : ">", &mark));
    if (mark < machine->symbols) return gw_fail(GW_ERR_UNSUPPORTED, "the symbols > and ^ are both taken");
    // Replaces moves that stay by a step right and a state, one for each target, that steps left.
    const int own = m->states;
    for (int q = 0; q < own; q++)
        for (int s = 0; s < m->symbols; s++) {
            gw_transition *t = &m->table[q][s];
            if (t->halts || t->move != 0) continue;
            char name[40];
            snprintf(name, sizeof name, "%.28s<", m->state[t->next]);
            int step;
            GW_TRY(find_state(m, name, &step));
            for (int c = 0; c < m->symbols; c++) m->table[step][c] = carry(c, -1, t->next);
            t->move = 1, t->next = step;
        }
    for (int q = 0; q < m->states; q++) {
        m->table[q][mark] = m->table[q][0];
        if (q >= machine->states) m->table[q][mark] = carry(mark, -1, m->table[q][0].next);
    }
    GW_TRY(find_state(m, "(mark)", &begin));
    GW_TRY(find_state(m, "(read)", &read));
    GW_TRY(find_state(m, "(back)", &back));
    m->table[begin][0] = carry(mark, 1, read);
    for (int s = 0; s < m->symbols; s++) {
        m->table[read][s] = carry(s, s == 0 ? -1 : 1, s == 0 ? back : read);
        m->table[back][s] = carry(s, s == mark ? 1 : -1, s == mark ? machine->start : back);
    }
    m->start = begin;
    return GW_OK;
}

// The indices of the input's symbols, length of the text; blanks and unknown symbols are errors.
static gw_status machine_input(const gw_machine *machine, const char *text, int *symbols) {
    for (size_t i = 0; text[i]; i++) {
        const char *found = memchr(machine->symbol, text[i], (size_t)machine->symbols);
        if (!found || found == machine->symbol)
            return gw_fail(GW_ERR_FORMAT, "the input's symbol '%c' is %s", text[i],
                           found ? "the blank, which ends it" : "not one of the machine's");
        symbols[i] = (int)(found - machine->symbol);
    }
    return GW_OK;
}

static gw_status machine_simulate(const gw_machine *machine, const int *input, int64_t count, int64_t head,
                                  int64_t most, gw_machine_run *out) {
    const int64_t reach = most + count + 2; // cells -reach .. reach
    int *tape = gw_alloc(2 * reach + 1, sizeof *tape);
    *out = (gw_machine_run){.moment = gw_alloc(most + 1, sizeof *out->moment), .first = head < 1 ? head : 1};
    if (!tape || !out->moment) {
        free(tape);
        return GW_ERR_MEMORY;
    }
    for (int64_t i = 0; i < count; i++) tape[reach + 1 + i] = input[i];
    out->last = count > 0 ? count : 1;
    int state = machine->start;
    for (;; out->steps++) {
        const int symbol = tape[reach + head];
        out->moment[out->steps] = (gw_moment){state, symbol, head};
        if (head < out->first) out->first = head;
        if (head > out->last) out->last = head;
        const gw_transition *t = &machine->table[state][symbol];
        out->halted = t->halts;
        if (t->halts || out->steps == most) break;
        tape[reach + head] = t->write;
        head += t->move;
        state = t->next;
    }
    out->tape = gw_alloc(out->last - out->first + 1, sizeof *out->tape);
    for (int64_t c = out->first; out->tape && c <= out->last; c++) out->tape[c - out->first] = tape[reach + c];
    free(tape);
    return out->tape ? GW_OK : GW_ERR_MEMORY;
}

static void machine_run_free(gw_machine_run *run) {
    free(run->moment);
    free(run->tape);
    *run = (gw_machine_run){0};
}

// --- the picture -----------------------------------------------------------------------------------------------------

// The tape of a run over time: a row a step, the head's cell framed, and from each symbol read an arc up to the moment
// whose node handed it on.

enum { LEFT = 80, TOP = 72, RIGHT = 24, BOTTOM = 24, MOST_ROWS = 1000, ARC = 0xd55e00 };
static const double PITCH = 2; // from cell to cell, in widths of a cell: arcs stand between them

typedef struct {
    const gw_machine *machine;
    const gw_machine_run *run;
    gw_canvas canvas;
    double cell;
} sheet;

// The blank is white, the others come in the colours of series, paler.
static uint32_t symbol_colour(int symbol) {
    if (symbol == 0) return 0xffffff;
    const uint32_t colour = gw_series_colour(symbol - 1);
    uint32_t pale = 0;
    for (int shift = 16; shift >= 0; shift -= 8) pale |= (255 - (255 - (colour >> shift & 255)) / 2) << shift;
    return pale;
}

static double x_of(const sheet *s, int64_t cell) {
    return LEFT + (double)(cell - s->run->first) * PITCH * s->cell;
}

static double y_of(const sheet *s, int64_t time) {
    return TOP + (double)time * s->cell;
}

static void draw_row(sheet *s, const int *tape, int64_t time) {
    const double gap = s->cell > 6 ? 1 : 0;
    for (int64_t c = s->run->first; c <= s->run->last; c++) {
        const int symbol = tape[c - s->run->first];
        gw_canvas_box(&s->canvas, x_of(s, c), y_of(s, time), s->cell - gap, s->cell - gap, symbol_colour(symbol));
        const char text[] = {s->machine->symbol[symbol], 0};
        if (s->cell >= 12 && symbol > 0)
            gw_canvas_text(&s->canvas, x_of(s, c) + s->cell / 2, y_of(s, time) + 0.75 * s->cell, 0.5, 0.7 * s->cell,
                           text);
    }
    gw_canvas_colour(&s->canvas, GW_INK);
    cairo_set_line_width(s->canvas.cairo, fmin(1.5, s->cell / 6));
    cairo_rectangle(s->canvas.cairo, x_of(s, s->run->moment[time].head), y_of(s, time), s->cell - gap, s->cell - gap);
    cairo_stroke(s->canvas.cairo);
}

// From the moment that reads up to the one that wrote, on the right of the cell; long ones stand further out.
static void draw_arc(sheet *s, int64_t time, int64_t writer) {
    const double x = x_of(s, s->run->moment[time].head) + s->cell, from = y_of(s, time) + s->cell / 2,
                 to = y_of(s, writer) + s->cell / 2, bulge = fmin(1.2, 0.3 * log2((double)(time - writer))) * s->cell;
    gw_canvas_colour(&s->canvas, ARC);
    cairo_set_line_width(s->canvas.cairo, fmax(0.5, s->cell / 16));
    cairo_move_to(s->canvas.cairo, x, from);
    cairo_curve_to(s->canvas.cairo, x + bulge, from, x + bulge, to, x, to);
    cairo_stroke(s->canvas.cairo);
}

static void draw_rows(sheet *s, int *tape, const int *input, int64_t input_count) {
    const gw_machine_run *run = s->run;
    for (int64_t c = 0; c < input_count; c++) tape[1 + c - run->first] = input[c];
    for (int64_t t = 0; t <= run->steps; t++) {
        const gw_moment *m = &run->moment[t];
        draw_row(s, tape, t);
        tape[m->head - run->first] = s->machine->table[m->state][m->symbol].write;
    }
}

static void draw_legend(sheet *s) {
    double x = LEFT;
    for (int i = 0; i < s->machine->symbols; i++, x += 34) {
        const char name[] = {s->machine->symbol[i], 0};
        gw_canvas_box(&s->canvas, x, TOP - 34, 12, 12, GW_PALE);
        gw_canvas_box(&s->canvas, x + 1, TOP - 33, 10, 10, symbol_colour(i));
        gw_canvas_text(&s->canvas, x + 16, TOP - 23, 0, GW_TEXT_SIZE, name);
    }
}

static gw_status draw_tape(const char *path, const char *title, const gw_machine *machine, const gw_machine_run *run,
                           const int *input, int64_t input_count, const int64_t *carrier) {
    if (run->steps >= MOST_ROWS)
        return gw_fail(GW_ERR_UNSUPPORTED, "%s: cannot draw %lld steps (fewer than %d)", path, (long long)run->steps,
                       MOST_ROWS);
    const int64_t cells = run->last - run->first + 1;
    sheet s = {.machine = machine, .run = run, .cell = fmax(5, fmin(18, 700.0 / (double)(run->steps + 1)))};
    int *tape = gw_alloc(cells, sizeof *tape);
    if (!tape) return GW_ERR_MEMORY;
    const double wide = LEFT + fmax((double)cells * PITCH * s.cell, gw_texts_width(GW_TITLE_SIZE, &title, 1)) + RIGHT;
    const double high = TOP + (double)(run->steps + 1) * s.cell + BOTTOM;
    gw_status status = gw_canvas_open(&s.canvas, path, wide, high);
    if (status == GW_OK) {
        const gw_scale y = {-0.5, (double)run->steps + 0.5, TOP, y_of(&s, run->steps + 1), .whole = true};
        draw_legend(&s);
        draw_rows(&s, tape, input, input_count);
        for (int64_t t = 1; t <= run->steps; t++)
            if (carrier[t] >= 0) draw_arc(&s, t, carrier[t]);
        gw_canvas_y_axis(&s.canvas, &y, LEFT - 4, "step of the machine");
        gw_canvas_text(&s.canvas, LEFT, TOP - 48, 0, GW_TITLE_SIZE, title);
        status = gw_canvas_close(&s.canvas, path);
    }
    free(tape);
    return status;
}

// --- the command ----------------------------------------------------------------------------------------------------

typedef struct {
    const char *input, *picture;
    int64_t steps, float_steps;
} turing_arguments;

static const turing_arguments defaults = {.input = "", .steps = 1000, .float_steps = 1000};

static const gw_option options[] = {
    {GW_OPTION_GROUP, .help = "Run"},
    {GW_OPTION_STRING, 'i', "input", "WORD", offsetof(turing_arguments, input),
     "the tape from cell 1 on, a symbol a letter"},
    {GW_OPTION_INT, 0, "steps", "N", offsetof(turing_arguments, steps), "the exact decoder's most machine steps",
     .min = 1, .max = 1000000},
    {GW_OPTION_INT, 0, "float-steps", "N", offsetof(turing_arguments, float_steps),
     "the most machine steps in f64 and f32", .min = 1, .max = 1000000},
    {GW_OPTION_GROUP, .help = "Output"},
    {GW_OPTION_STRING, 'o', "output", "FILE", offsetof(turing_arguments, picture),
     "draw the tape over time and what carried each symbol: .png or .svg", .writes = true,
     .endings = GW_PICTURE_ENDINGS},
    {.help = NULL},
};

typedef struct {
    gw_machine own, prepared;
    int *input;
    int64_t count;
    gw_machine_run alone, truth; // the machine as written, and the prepared one
    gw_decoder *decoder;
    int64_t *carrier;
} session;

// One line "name<tab>tape": from the first to the last symbol that is neither blank nor the mark.
static void print_tape(const char *name, const gw_machine *m, const gw_machine_run *run, int mark) {
    int64_t first = 0, last = run->last - run->first;
    while (first <= last && (run->tape[first] == 0 || run->tape[first] == mark)) first++;
    while (last >= first && (run->tape[last] == 0 || run->tape[last] == mark)) last--;
    printf("%s\t", name);
    for (int64_t c = first; c <= last; c++) putchar(m->symbol[run->tape[c] == mark ? 0 : run->tape[c]]);
    putchar('\n');
}

static gw_status run_exactly(session *s, const turing_arguments *a) {
    gw_machine_run truth;
    GW_TRY(machine_simulate(&s->prepared, s->input, s->count, 0, a->steps, &truth));
    gw_decoder_run run = {.truth = &truth,
                          .input = s->input,
                          .input_count = s->count,
                          .arithmetic = &gw_exact_arithmetic,
                          .carrier = s->carrier};
    gw_status status = gw_decoder_simulate(s->decoder, &run);
    if (status == GW_OK && run.equal_steps <= truth.steps)
        status =
            gw_fail(GW_ERR_MISMATCH, "the decoder parts from the machine at step %lld", (long long)run.equal_steps);
    if (status == GW_OK) {
        const double t = (double)truth.steps;
        printf("simulated_steps\t%lld\nhalted\t%s\nequal_compute_nodes\t%lld\n", (long long)truth.steps,
               truth.halted ? "yes" : "no", (long long)run.equal_steps);
        printf("decoder_steps\t%lld\nedges\t%lld\nedges_a_token\t%.4f\ndecoder_steps_by_half_square\t%.4f\n",
               (long long)run.nodes, (long long)run.edges, (double)run.edges / (double)run.nodes,
               (double)run.nodes / (t * t / 2));
        print_tape("tape", &s->prepared, &truth, s->own.symbols);
        if (a->picture) {
            char title[80];
            snprintf(title, sizeof title, "%lld machine steps in %lld decoder steps", (long long)truth.steps,
                     (long long)run.nodes);
            status = draw_tape(a->picture, title, &s->prepared, &truth, s->input, s->count, s->carrier);
        }
    }
    machine_run_free(&truth);
    return status;
}

static gw_status run_session(session *s, const turing_arguments *a, const char *path) {
    const int64_t longest = a->steps > a->float_steps ? a->steps : a->float_steps;
    GW_TRY(machine_read(path, &s->own));
    GW_TRY(machine_prepare(&s->own, &s->prepared));
    s->count = (int64_t)strlen(a->input);
    s->input = gw_alloc(s->count, sizeof *s->input);
    s->carrier = gw_alloc(longest + 2, sizeof *s->carrier);
    if (!s->input || !s->carrier) return GW_ERR_MEMORY;
    GW_TRY(machine_input(&s->own, a->input, s->input));
    GW_TRY(machine_simulate(&s->own, s->input, s->count, 1, a->steps, &s->alone));
    GW_TRY(machine_simulate(&s->prepared, s->input, s->count, 0, a->float_steps, &s->truth));
    GW_TRY(gw_decoder_compile(&s->prepared, &s->decoder));
    printf("measure\tvalue\nmachine\t%s\nstates\t%d\nsymbols\t%d\nwidth\t%d\nweights\t%lld\nmachine_steps\t%lld\n",
           path, s->prepared.states, s->prepared.symbols, gw_decoder_width(s->decoder),
           (long long)gw_decoder_weights(s->decoder), (long long)s->alone.steps);
    if (s->alone.halted) print_tape("machine_tape", &s->own, &s->alone, -1);
    GW_TRY(run_exactly(s, a));
    // How many machine steps are right in floating point.
    const struct {
        const char *name;
        const gw_arithmetic *arithmetic;
        bool product;
    } rows[] = {{"f64", &gw_f64_arithmetic, false},
                {"f32", &gw_f32_arithmetic, false},
                {"product_f32", &gw_f32_arithmetic, true}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        gw_decoder_run run = {.truth = &s->truth,
                              .input = s->input,
                              .input_count = s->count,
                              .arithmetic = rows[i].arithmetic,
                              .product = rows[i].product,
                              .carrier = s->carrier};
        GW_TRY(gw_decoder_simulate(s->decoder, &run));
        printf("%s_equal_steps\t%lld\n%s_parts\t%s\n", rows[i].name, (long long)run.equal_steps - 1, rows[i].name,
               run.equal_steps <= s->truth.steps ? "yes" : "no");
    }
    return GW_OK;
}

static gw_status run(void *arguments, char **operands, int count) {
    const turing_arguments *a = arguments;
    (void)count;
    session *s = gw_alloc(1, sizeof *s);
    if (!s) return GW_ERR_MEMORY;
    const gw_status status = run_session(s, a, operands[0]);
    machine_run_free(&s->alone);
    machine_run_free(&s->truth);
    gw_decoder_free(s->decoder);
    free(s->input);
    free(s->carrier);
    free(s);
    return status;
}

const gw_command gw_theory_turing = {
    .name = "turing",
    .group = "Big Bird",
    .summary = "a Turing machine as a sparse decoder (appendix B)",
    .usage = "[-i WORD] [options] MACHINE.tm",
    .description =
        "Compiles the machine to the weights of four decoder layers whose attention has at most two edges a token, and "
        "runs them in exact rationals beside the textbook simulator: state, symbol and head are equal at every compute "
        "node, and each symbol comes from the last visit of its cell. A machine step takes as many decoder steps as "
        "there were machine steps before it. Then the same weights in f64, in f32, and in f32 with the look-up through "
        "godwit's attention: how many steps are right before they part.\n"
        "A machine file has a line 'state read write move next' for each transition (move L, R or S), 'blank X' and "
        "'start STATE' if they are not _ and the first line's, and comments after a semicolon. Where there is no line "
        "the machine halts.",
    .examples = "godwit-theory turing tools/theory/machines/increment.tm -i 1011 -o increment.svg\n"
                "godwit-theory turing tools/theory/machines/sweep.tm --steps 50 --float-steps 2000",
    GW_COMMAND_TAKES(1, 1),
    .run = run,
};
