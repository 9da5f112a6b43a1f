// SPDX-License-Identifier: MIT
// Faults that the emulator finds, in words: one line for each kind and place.
#include "state.h"

#include <dlfcn.h>
#include <set>
#include <stdarg.h>
#include <stdio.h>

namespace emu {

enum { MOST_LINES = 40 };

bool fresh(const std::string &key) {
    static std::set<std::string> said;
    tally.faults++;
    return said.size() < MOST_LINES && said.insert(key).second;
}

void tell(const char *format, ...) {
    va_list list;
    va_start(list, format);
    fprintf(stderr, "emulator: ");
    vfprintf(stderr, format, list);
    fprintf(stderr, "\n");
    va_end(list);
}

// The innermost line of addr2line's answer that is in no header of barriers and instructions.
static std::string innermost(FILE *answer) {
    char line[1024] = "?", best[1024] = "";
    while (fgets(line, sizeof line, answer)) {
        line[strcspn(line, " \n")] = 0;
        if (!best[0] && !strstr(line, "emulator.h") && !strstr(line, "gpu.h") && !strstr(line, "_sm90.h"))
            strcpy(best, line);
    }
    return best[0] ? best : line;
}

std::string source_line(const void *pc) {
    Dl_info info;
    if (!pc || !dladdr(pc, &info) || !info.dli_fname) return "?";
    char command[4096];
    const unsigned long offset = (unsigned long)((const char *)pc - (const char *)info.dli_fbase) - 1;
    snprintf(command, sizeof command, "addr2line -i -s -e '%s' %#lx 2>/dev/null", info.dli_fname, offset);
    FILE *answer = popen(command, "r");
    if (!answer) return "?";
    const std::string line = innermost(answer);
    pclose(answer);
    return line;
}

std::string name_of(const thread *t) {
    char text[96];
    snprintf(text, sizeof text, "thread %d (warp %d, lane %d) of block (%u,%u,%u)", t->number, t->warp, t->lane,
             now.block_index.x, now.block_index.y, now.block_index.z);
    return text;
}

std::string key_of(const char *kind, const void *pc) {
    char text[64];
    snprintf(text, sizeof text, "%.30s%p", kind, pc);
    return text;
}

std::string key_of(const char *kind, const emu_site &site) {
    return std::string(kind) + site.file + std::to_string(site.line);
}

} // namespace emu
