// SPDX-License-Identifier: MIT
// The reader of machine files, the preparation and the simulator.
#include "tools/theory/turing_decoder.h"

#include "base/memory.h"
#include "base/output.h"

#include <stdlib.h>
#include <string.h>

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

gw_status gw_machine_read(const char *path, gw_machine *out) {
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

gw_status gw_machine_prepare(const gw_machine *machine, gw_machine *m) {
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

gw_status gw_machine_input(const gw_machine *machine, const char *text, int *symbols) {
    for (size_t i = 0; text[i]; i++) {
        const char *found = memchr(machine->symbol, text[i], (size_t)machine->symbols);
        if (!found || found == machine->symbol)
            return gw_fail(GW_ERR_FORMAT, "the input's symbol '%c' is %s", text[i],
                           found ? "the blank, which ends it" : "not one of the machine's");
        symbols[i] = (int)(found - machine->symbol);
    }
    return GW_OK;
}

gw_status gw_machine_simulate(const gw_machine *machine, const int *input, int64_t count, int64_t head, int64_t most,
                              gw_machine_run *out) {
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

void gw_machine_run_free(gw_machine_run *run) {
    free(run->moment);
    free(run->tape);
    *run = (gw_machine_run){0};
}
