/* What a disk does to a process, at an operation of its choice: loaded with LD_PRELOAD by
 * benchmarks/reliability/disk_faults.py, which compiles it.
 *
 * An operation is a write, a truncation, a rename, a removal or a sync of a file below one folder.
 * Always true here: nothing happens before faults_arm, and the same calls give the same fault.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum mode { COUNT, KILL, TORN, CUT, FULL, BROKEN, UNREADABLE };
enum { MOST_FILES = 256 };

struct change { /* not yet synced: what stood there, and what was written over it */
    int file;
    off_t at, size_before;
    size_t before, after;
    int truncation;
    char *old, *new;
    struct change *earlier, *later;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char folder[4096];
static size_t folder_length;
static int armed;
static enum mode mode;
static long at, operations, reads;
static unsigned long long state;
static struct { dev_t dev; ino_t ino; int fd; } files[MOST_FILES];
static int n_files;
static struct change *first, *last;

#define REAL(name) \
    static __typeof__(name) *real; \
    if (!real) real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

void faults_arm(const char *below, int what, long when, unsigned seed) {
    snprintf(folder, sizeof folder, "%s/", below);
    folder_length = strlen(folder);
    mode = what, at = when, state = seed * 2862933555777941757ULL + 3037000493ULL;
    operations = reads = 0;
    armed = 1;
}

long faults_operations(void) { return operations; }
long faults_reads(void) { return reads; }

static unsigned drawn(void) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return state >> 33;
}

static int below(int fd) {
    char link[64], path[4096];
    if (!armed) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, path, sizeof path - 1);
    return n > (ssize_t)folder_length && !strncmp(path, folder, folder_length);
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
    if (mode != CUT || file < 0) return;
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
    int file = mode == CUT ? file_of(fd) : -1;
    for (struct change *c = first, *next; c && file >= 0; c = next) {
        next = c->later;
        if (c->file != file) continue;
        if (c->earlier) c->earlier->later = next; else first = next;
        if (next) next->earlier = c->earlier; else last = c->earlier;
        free(c->old), free(c->new), free(c);
    }
}

/* The power fails: of what was not synced nothing, a part or the beginning is on the disk. */
static void cut(void) {
    for (struct change *c = last; c; c = c->earlier) {
        plain_pwrite(files[c->file].fd, c->old, c->before, c->at);
        plain_truncate(files[c->file].fd, c->size_before);
    }
    unsigned kind = drawn() % 3, begun = 1;
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
    if (now && mode == CUT) cut(), raise(SIGKILL);
    if (operations >= at && mode == FULL && writes) return ENOSPC;
    if (now && mode == BROKEN) return EIO;
    return 0;
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
    if (!done) synced(fd);
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

static int named_below(const char *path) {
    return armed && !strncmp(path, folder, folder_length);
}
int rename(const char *from, const char *to) {
    REAL(rename);
    FAILS(named_below(to), -1, NULL, 0, 0, 0)
    return real(from, to);
}
int unlink(const char *path) {
    REAL(unlink);
    FAILS(named_below(path), -1, NULL, 0, 0, 0)
    return real(path);
}

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
