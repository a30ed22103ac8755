/* A disk that fills up, and one that forgets with its power what was not synced, loaded into redis-server: DISK_FILE
   names a file of 4 KiB. Its first eight bytes are how many bytes more the append-only log may take, -1 for any number;
   the next eight how many calls are syncing at the moment; from the sixteenth on it holds, for each file that was synced, its inode and the size that is safe. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define SYNCED_MAX 250

struct synced { unsigned long long inode, size; };
struct disk { volatile long long room, syncing; struct synced synced[SYNCED_MAX]; };

static struct disk *disk(void) {
  static struct disk *known;
  static int tried;
  if (!tried) {
    tried = 1;
    const char *path = getenv("DISK_FILE");
    int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (file >= 0) {
      void *page = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
      if (page != MAP_FAILED) known = page;
      close(file);
    }
  }
  return known;
}

static int is_log(int file) {
  char link[32], path[1024];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  return strstr(path, "/appendonlydir/") != 0;
}

/* How many of the bytes fit, as on a disk that takes the first part of a write; -1 when none does. */
static ssize_t fitting(int file, size_t wanted) {
  struct disk *here = disk();
  if (!here || here->room < 0 || !wanted || !is_log(file)) return (ssize_t)wanted;
  size_t fits = (size_t)here->room < wanted ? (size_t)here->room : wanted;
  if (!fits) { errno = ENOSPC; return -1; }
  here->room -= (long long)fits;
  return (ssize_t)fits;
}

ssize_t write(int file, const void *bytes, size_t count) {
  ssize_t fits = fitting(file, count);
  return fits < 0 ? -1 : syscall(SYS_write, file, bytes, fits);
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t at) {
  ssize_t fits = fitting(file, count);
  return fits < 0 ? -1 : syscall(SYS_pwrite64, file, bytes, fits, at);
}

/* Of the parts, the first alone: the writer has to go on with the rest anyway. */
ssize_t writev(int file, const struct iovec *parts, int count) {
  struct disk *here = disk();
  if (here && here->room >= 0 && count > 0 && is_log(file)) return write(file, parts[0].iov_base, parts[0].iov_len);
  return syscall(SYS_writev, file, parts, count);
}

/* The size is taken before the call, so that no byte is called safe that came after it. */
static int sync_noted(int file, long number) {
  struct stat before;
  int known = !fstat(file, &before) && S_ISREG(before.st_mode);
  struct disk *here = disk();
  if (here) __atomic_add_fetch(&here->syncing, 1, __ATOMIC_SEQ_CST);
  int failed = (int)syscall(number, file);
  if (here) __atomic_sub_fetch(&here->syncing, 1, __ATOMIC_SEQ_CST);
  for (int at = 0; known && !failed && here && at < SYNCED_MAX; at++) {
    struct synced *each = &here->synced[at];
    if (each->inode && each->inode != before.st_ino) continue;
    each->inode = before.st_ino;
    each->size = (unsigned long long)before.st_size;
    break;
  }
  return failed;
}

int fsync(int file) { return sync_noted(file, SYS_fsync); }
int fdatasync(int file) { return sync_noted(file, SYS_fdatasync); }
