// SPDX-License-Identifier: MIT
// Finds a plugin's file and reads its ELF header before anything of it runs.
#include "base/plugin_file.h"

#include "base/memory.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_there(const char *path) {
    return access(path, F_OK) == 0;
}

static gw_status find_named(const char *named, const char *file, char **path) {
    struct stat info;
    if (stat(named, &info) != 0) return gw_fail(GW_ERR_IO, "GODWIT_PLUGIN_PATH: %s: %s", named, strerror(errno));
    if (!S_ISDIR(info.st_mode)) {
        // Without a slash the system's loader would look elsewhere.
        *path = gw_strprintf("%s%s", strchr(named, '/') ? "" : "./", named);
        return *path ? GW_OK : GW_ERR_MEMORY;
    }
    *path = gw_strprintf("%s/%s", named, file);
    if (!*path) return GW_ERR_MEMORY;
    if (is_there(*path)) return GW_OK;
    free(*path);
    *path = NULL;
    return gw_fail(GW_ERR_IO, "GODWIT_PLUGIN_PATH: %s has no %s", named, file);
}

// A file that GODWIT_PLUGIN_PATH names is the CUDA plugin; a folder may hold any.
static bool names(const char *named, const char *file) {
    struct stat info;
    if (!named || !*named) return false;
    return strcmp(file, GW_PLUGIN_FILE) == 0 || (stat(named, &info) == 0 && S_ISDIR(info.st_mode));
}

gw_status gw_plugin_find(const char *file, char **path) {
    *path = NULL;
    const char *named = getenv("GODWIT_PLUGIN_PATH");
    if (names(named, file)) return find_named(named, file, path);
    char self[4096];
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length <= 0) return gw_fail(GW_ERR_IO, "/proc/self/exe: %s", strerror(errno));
    self[length] = 0;
    *strrchr(self, '/') = 0;
    static const char *const beside[] = {"", "/../lib/godwit"};
    for (size_t i = 0; i < sizeof beside / sizeof beside[0]; i++) {
        *path = gw_strprintf("%s%s/%s", self, beside[i], file);
        if (!*path) return GW_ERR_MEMORY;
        if (is_there(*path)) return GW_OK;
        free(*path);
        *path = NULL;
    }
    return gw_fail(GW_ERR_IO, "no %s in %s or %s/../lib/godwit: this build left it out", file, self, self);
}

#if UINTPTR_MAX > UINT32_MAX
enum { OWN_CLASS = ELFCLASS64 };
typedef Elf64_Ehdr elf_header;
typedef Elf64_Phdr elf_segment;
#else
enum { OWN_CLASS = ELFCLASS32 };
typedef Elf32_Ehdr elf_header;
typedef Elf32_Phdr elf_segment;
#endif

// The kind of processor that this program was compiled for stands in its own header.
static int own_machine(void) {
    elf_header header = {.e_machine = EM_NONE};
    FILE *file = fopen("/proc/self/exe", "rb");
    if (file && fread(&header, sizeof header, 1, file) != 1) header.e_machine = EM_NONE;
    if (file) fclose(file);
    return header.e_machine;
}

static gw_status check_header(FILE *file, const char *path, elf_header *header) {
    if (fread(header, sizeof *header, 1, file) != 1 || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0)
        return gw_fail(GW_ERR_FORMAT, "%s is not a shared library", path);
    if (header->e_ident[EI_CLASS] != OWN_CLASS || header->e_machine != own_machine())
        return gw_fail(GW_ERR_FORMAT, "%s is for another processor: its ELF machine is %d, this program's %d", path,
                       header->e_machine, own_machine());
    if (header->e_type != ET_DYN || header->e_phentsize != sizeof(elf_segment))
        return gw_fail(GW_ERR_FORMAT, "%s is not a shared library", path);
    return GW_OK;
}

static gw_status check_segments(FILE *file, const char *path, const elf_header *header, uint64_t size) {
    for (int i = 0; i < header->e_phnum; i++) {
        elf_segment segment;
        const uint64_t at = header->e_phoff + (uint64_t)i * sizeof segment;
        const bool inside = at < size && fseeko(file, (off_t)at, SEEK_SET) == 0;
        if (!inside || fread(&segment, sizeof segment, 1, file) != 1)
            return gw_fail(GW_ERR_FORMAT, "%s is truncated: %llu bytes end within its header", path,
                           (unsigned long long)size);
        if (segment.p_filesz > size || segment.p_offset > size - segment.p_filesz)
            return gw_fail(GW_ERR_FORMAT, "%s is truncated: %llu bytes, it needs %llu at least", path,
                           (unsigned long long)size, (unsigned long long)(segment.p_offset + segment.p_filesz));
    }
    return GW_OK;
}

gw_status gw_plugin_check_file(const char *path) {
    FILE *file = fopen(path, "rb");
    struct stat info;
    if (!file || fstat(fileno(file), &info) != 0) {
        const int fault = errno;
        if (file) fclose(file);
        return gw_fail(GW_ERR_IO, "%s: %s", path, strerror(fault));
    }
    elf_header header;
    gw_status status = check_header(file, path, &header);
    if (status == GW_OK) status = check_segments(file, path, &header, (uint64_t)info.st_size);
    fclose(file);
    return status;
}

gw_status gw_plugin_open(const char *path, const char *entry, void **symbol) {
    GW_TRY(gw_plugin_check_file(path));
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) return gw_fail(GW_ERR_IO, "cannot load it: %s", dlerror());
    *symbol = dlsym(library, entry);
    if (*symbol) return GW_OK;
    dlclose(library);
    return gw_fail(GW_ERR_FORMAT, "%s has no %s: it is not a plugin of godwit", path, entry);
}

gw_status gw_plugin_check_abi(const char *path, uint32_t found, uint32_t expected) {
    if (found == expected) return GW_OK;
    return gw_fail(GW_ERR_MISMATCH, "%s was built for another godwit: its ABI is %08x, this program's %08x", path,
                   (unsigned)found, (unsigned)expected);
}

static bool has_line(const char *path, const char *chip) {
    char line[512];
    bool found = false;
    FILE *file = fopen(path, "r");
    while (file && !found && fgets(line, sizeof line, file)) {
        line[strcspn(line, " \n")] = 0;
        found = strcmp(line, chip) == 0;
    }
    if (file) fclose(file);
    return found;
}

bool gw_plugin_has_passed(int major, int minor) {
    char *plugin, chip[32];
    if (gw_plugin_find(GW_PLUGIN_FILE, &plugin) != GW_OK) return false;
    char *path = gw_strprintf("%s.passed", plugin);
    snprintf(chip, sizeof chip, "sm_%d%d", major, minor);
    const bool passed = path && has_line(path, chip);
    free(path);
    free(plugin);
    return passed;
}
