/* What a disk does to a process, at an operation of its choice: loaded with LD_PRELOAD by
 * benchmarks/reliability/disk_faults.py, which compiles it.
 *
 * An operation is a write, a truncation, a sync, or the creation, rename or removal of a name below
 * one folder.
 * Invariant: nothing happens before faults_arm, and the same calls give the same fault.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum mode { COUNT, KILL, TORN, CUT, FULL, BROKEN, UNREADABLE, READ_ONLY, OFF };
enum { MOST_FILES = 256, PATH = 4096 };

struct change { /* not yet synced: what stood there, and what was written over it */
    int file;
    off_t at, size_before;
    size_t before, after;
    int truncation;
    char *old, *new;
    struct change *earlier, *later;
};

struct naming { /* not yet synced with its folder: a name made, moved or removed */
    char made[PATH], from[PATH], kept[PATH]; /* kept: another name of what was there before */
    struct naming *earlier;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char folder[PATH];
static size_t folder_length;
static int armed;
static enum mode mode;
static long at, operations, reads;
static unsigned long long state;
static struct { dev_t dev; ino_t ino; int fd; } files[MOST_FILES];
static int n_files;
static struct change *first, *last;
static struct naming *named;
static int n_named, n_kept;
#define LOSES (mode == CUT || mode == OFF)

#define REAL(name) \
    static __typeof__(name) *real; \
    if (!real) real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

void faults_arm(const char *below, int what, long when, unsigned seed) {
    snprintf(folder, sizeof folder, "%s/", below);
    folder_length = strlen(folder);
    mode = what, at = when, state = seed * 2862933555777941757ULL + 3037000493ULL;
    operations = reads = 0;
    if (LOSES) {
        char beside[PATH + 8];
        snprintf(beside, sizeof beside, "%s.lost", folder);
        mkdir(beside, 0700);
    }
    armed = 1;
}

long faults_operations(void) { return operations; }
long faults_reads(void) { return reads; }

static unsigned drawn(void) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return state >> 33;
}

static int below(int fd) {
    char link[64], path[PATH];
    if (!armed) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, path, sizeof path - 1);
    if (n <= 0) return 0;
    path[n] = 0;
    return !strncmp(path, folder, folder_length - 1) && (!path[folder_length - 1]
        || path[folder_length - 1] == '/');
}

static ssize_t plain_pwrite(int fd, const void *data, size_t n, off_t offset) {
    REAL(pwrite);
    return real(fd, data, n, offset);
}

static ssize_t plain_pread(int fd, void *data, size_t n, off_t offset) {
    REAL(pread);
    return real(fd, data, n, offset);
}

static int plain_truncate(int fd, off_t size) {
    REAL(ftruncate);
    return real(fd, size);
}

/* A descriptor of our own for a file, by its inode. */
static int file_of(int fd) {
    struct stat about;
    char link[64];
    if (fstat(fd, &about) || !S_ISREG(about.st_mode)) return -1;
    for (int n = 0; n < n_files; n++)
        if (files[n].dev == about.st_dev && files[n].ino == about.st_ino) return n;
    if (n_files == MOST_FILES) return -1;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    int own = open(link, O_RDWR | O_CLOEXEC);
    if (own < 0) return -1;
    files[n_files].dev = about.st_dev, files[n_files].ino = about.st_ino, files[n_files].fd = own;
    return n_files++;
}

static void remember(int fd, const void *data, size_t n, off_t offset, int truncation) {
    int file = file_of(fd);
    struct stat about;
    if (!LOSES || file < 0) return;
    fstat(files[file].fd, &about);
    struct change *c = calloc(1, sizeof *c);
    c->file = file, c->at = offset, c->size_before = about.st_size, c->truncation = truncation;
    size_t old = truncation ? (about.st_size > offset ? about.st_size - offset : 0) : n;
    c->old = malloc(old + 1);
    ssize_t found = plain_pread(files[file].fd, c->old, old, offset);
    c->before = found > 0 ? found : 0;
    if (!truncation) {
        c->new = malloc(n + 1), c->after = n;
        memcpy(c->new, data, n);
    }
    c->earlier = last;
    if (last) last->later = c; else first = c;
    last = c;
}

static void synced(int fd) {
    int file = LOSES ? file_of(fd) : -1;
    for (struct change *c = first, *next; c && file >= 0; c = next) {
        next = c->later;
        if (c->file != file) continue;
        if (c->earlier) c->earlier->later = next; else first = next;
        if (next) next->earlier = c->earlier; else last = c->earlier;
        free(c->old), free(c->new), free(c);
    }
}

/* The whole path of a name below the folder; 0: it lies elsewhere. */
static int named_below(const char *path, char *whole) {
    if (!armed) return 0;
    if (*path == '/') snprintf(whole, PATH, "%s", path);
    else if (getcwd(whole, PATH)) {
        size_t n = strlen(whole);
        snprintf(whole + n, PATH - n, "/%s", path);
    }
    return !strncmp(whole, folder, folder_length);
}

/* Gives what has that name another one, so that it can come back. */
static void keep(const char *path, char *kept) {
    struct stat about;
    if (lstat(path, &about) || !S_ISREG(about.st_mode)) return;
    snprintf(kept, PATH, "%.*s.lost/%d", (int)folder_length, folder, n_kept++);
    if (link(path, kept)) *kept = 0;
}

static void remember_name(const char *made, const char *from, const char *kept) {
    struct naming *n = calloc(1, sizeof *n);
    snprintf(n->made, PATH, "%s", made), snprintf(n->from, PATH, "%s", from);
    snprintf(n->kept, PATH, "%s", kept);
    n->earlier = named, named = n, n_named++;
}

/* A folder was synced, or the system has: the names in it are on the disk. */
static void names_synced(int fd) {
    struct stat about;
    if (!LOSES || fstat(fd, &about) || !S_ISDIR(about.st_mode)) return;
    for (struct naming *n = named, *next; n; n = next) next = n->earlier, free(n);
    named = NULL, n_named = 0;
}

static int plain_rename(const char *from, const char *to) {
    REAL(rename);
    return real(from, to);
}

static int plain_unlink(const char *path) {
    REAL(unlink);
    return real(path);
}

/* Of the names not synced the last so many are as they were before. */
static void cut_names(int lost) {
    for (; lost > 0; lost--, named = named->earlier) {
        if (*named->from) plain_rename(named->made, named->from);
        else if (!*named->kept) plain_unlink(named->made);
        if (*named->kept && link(named->kept, named->made)) abort();
    }
}

/* The power fails: of what was not synced nothing (0), a part (1) or the beginning is on the disk. */
static void cut(unsigned kind) {
    for (struct change *c = last; c; c = c->earlier) {
        plain_pwrite(files[c->file].fd, c->old, c->before, c->at);
        plain_truncate(files[c->file].fd, c->size_before);
    }
    unsigned begun = 1;
    for (struct change *c = first; c; c = c->later) {
        if (kind == 2 && drawn() % 4 == 0) begun = 0;
        if (kind == 0 || !begun || (kind == 1 && drawn() % 2)) continue;
        if (c->truncation) plain_truncate(files[c->file].fd, c->at);
        else plain_pwrite(files[c->file].fd, c->new, c->after, c->at);
    }
}

/* Counts an operation; what it is to fail with, 0 for nothing. */
static int fault(int fd, const void *data, size_t n, off_t offset, int writes) {
    int now = ++operations == at;
    if (now && mode == TORN && data && n) {
        plain_pwrite(fd, data, drawn() % n, offset);
        raise(SIGKILL);
    }
    if (now && (mode == KILL || mode == TORN)) raise(SIGKILL);
    if (now && mode == CUT) cut(drawn() % 3), cut_names(drawn() % (n_named + 1)), raise(SIGKILL);
    if (operations >= at && mode == FULL && writes) return ENOSPC;
    if (operations >= at && mode == READ_ONLY) return EROFS;
    if (now && mode == BROKEN) return EIO;
    return 0;
}

/* The power fails now: all that was not synced is lost. */
void faults_off(void) {
    pthread_mutex_lock(&lock);
    cut(0), cut_names(n_named);
    armed = 0;
    pthread_mutex_unlock(&lock);
}

#define FAILS(condition, ...) \
    if (condition) { \
        pthread_mutex_lock(&lock); \
        int error = fault(__VA_ARGS__); \
        pthread_mutex_unlock(&lock); \
        if (error) { errno = error; return -1; } \
    }

static ssize_t written(int fd, const void *data, size_t n, off_t offset, int moves) {
    REAL(write);
    int ours = below(fd);
    FAILS(ours, fd, data, n, offset, 1)
    pthread_mutex_lock(&lock);
    if (ours) remember(fd, data, n, offset, 0);
    ssize_t done = moves ? real(fd, data, n) : plain_pwrite(fd, data, n, offset);
    pthread_mutex_unlock(&lock);
    return done;
}

static off_t place(int fd) {
    struct stat about;
    if (fcntl(fd, F_GETFL) & O_APPEND && !fstat(fd, &about)) return about.st_size;
    return lseek(fd, 0, SEEK_CUR);
}

ssize_t write(int fd, const void *data, size_t n) {
    REAL(write);
    return below(fd) ? written(fd, data, n, place(fd), 1) : real(fd, data, n);
}

ssize_t pwrite(int fd, const void *data, size_t n, off_t offset) {
    return written(fd, data, n, offset, 0);
}
ssize_t pwrite64(int fd, const void *data, size_t n, off64_t offset) {
    return written(fd, data, n, offset, 0);
}

ssize_t writev(int fd, const struct iovec *parts, int n) {
    REAL(writev);
    ssize_t total = 0;
    if (!below(fd)) return real(fd, parts, n);
    for (int k = 0; k < n; k++) {
        ssize_t done = write(fd, parts[k].iov_base, parts[k].iov_len);
        if (done < 0) return total ? total : done;
        total += done;
    }
    return total;
}

static int truncated(int fd, off_t size) {
    struct stat about;
    int ours = below(fd), grows = !fstat(fd, &about) && size > about.st_size;
    FAILS(ours, fd, NULL, 0, size, grows)
    pthread_mutex_lock(&lock);
    if (ours) remember(fd, NULL, 0, size, 1);
    int done = plain_truncate(fd, size);
    pthread_mutex_unlock(&lock);
    return done;
}
int ftruncate(int fd, off_t size) { return truncated(fd, size); }
int ftruncate64(int fd, off64_t size) { return truncated(fd, size); }

static int after_sync(int fd, int done) {
    pthread_mutex_lock(&lock);
    if (!done) synced(fd), names_synced(fd);
    pthread_mutex_unlock(&lock);
    return done;
}
int fsync(int fd) {
    REAL(fsync);
    int ours = below(fd);
    FAILS(ours, fd, NULL, 0, 0, 0)
    return ours ? after_sync(fd, real(fd)) : real(fd);
}
int fdatasync(int fd) {
    REAL(fdatasync);
    int ours = below(fd);
    FAILS(ours, fd, NULL, 0, 0, 0)
    return ours ? after_sync(fd, real(fd)) : real(fd);
}

int rename(const char *from, const char *to) {
    char before[PATH], after[PATH], kept[PATH] = "";
    if (!named_below(to, after) || !named_below(from, before)) return plain_rename(from, to);
    FAILS(1, -1, NULL, 0, 0, 0)
    pthread_mutex_lock(&lock);
    if (LOSES) keep(after, kept);
    int done = plain_rename(from, to);
    if (!done && LOSES) remember_name(after, before, kept);
    pthread_mutex_unlock(&lock);
    return done;
}

int unlink(const char *path) {
    char whole[PATH], kept[PATH] = "";
    if (!named_below(path, whole) || access(whole, F_OK)) return plain_unlink(path);
    FAILS(1, -1, NULL, 0, 0, 0)
    pthread_mutex_lock(&lock);
    if (LOSES) keep(whole, kept);
    int done = plain_unlink(path);
    if (!done && *kept) remember_name(whole, "", kept);
    pthread_mutex_unlock(&lock);
    return done;
}

int remove(const char *path) {
    REAL(remove);
    struct stat about;
    return !lstat(path, &about) && !S_ISDIR(about.st_mode) ? unlink(path) : real(path);
}

int mkdir(const char *path, mode_t rights) {
    REAL(mkdir);
    char whole[PATH];
    FAILS(named_below(path, whole) && access(whole, F_OK), -1, NULL, 0, 0, 1)
    return real(path, rights);
}

/* Whether a file is opened that was not there, or, where all is read-only, to be written. */
static int opened(int flags, const char *path, char *whole) {
    int writes = (flags & O_ACCMODE) != O_RDONLY && (flags & O_TMPFILE) != O_TMPFILE;
    if (!named_below(path, whole)) return 0;
    return (flags & O_CREAT && access(whole, F_OK)) || (writes && mode == READ_ONLY);
}
#define OPENS(name, parameters, ...) \
    int name parameters { \
        REAL(name); \
        char whole[PATH]; \
        va_list more; \
        va_start(more, flags); \
        mode_t rights = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0; \
        va_end(more); \
        int makes = opened(flags, path, whole); \
        FAILS(makes, -1, NULL, 0, 0, 1) \
        int fd = real(__VA_ARGS__, rights); \
        if (makes && fd >= 0 && LOSES) { \
            pthread_mutex_lock(&lock); \
            remember_name(whole, "", ""); \
            pthread_mutex_unlock(&lock); \
        } \
        return fd; \
    }
OPENS(open, (const char *path, int flags, ...), path, flags)
OPENS(open64, (const char *path, int flags, ...), path, flags)

static int unreadable(int fd) {
    return below(fd) && __atomic_add_fetch(&reads, 1, __ATOMIC_SEQ_CST) == at
        && mode == UNREADABLE;
}
#define READS(type, name, parameters, ...) \
    type name parameters { \
        REAL(name); \
        if (unreadable(fd)) { errno = EIO; return -1; } \
        return real(__VA_ARGS__); \
    }
READS(ssize_t, read, (int fd, void *data, size_t n), fd, data, n)
READS(ssize_t, pread, (int fd, void *data, size_t n, off_t offset), fd, data, n, offset)
READS(ssize_t, pread64, (int fd, void *data, size_t n, off64_t offset), fd, data, n, offset)
