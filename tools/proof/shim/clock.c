/* A clock that somebody moves, loaded into redis-server: SKEW_FILE names a file of 4 KiB whose first eight bytes are
   what to add to the real time, in microseconds. It allocates nothing, since it is called before an allocator is there. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static const char *variable(const char *name) {
  for (char **each = environ; each && *each; each++) {
    const char *have = *each, *want = name;
    while (*want && *have == *want) { have++; want++; }
    if (!*want && *have == '=') return have + 1;
  }
  return 0;
}

/* By openat: ARM has no other call that opens a file. */
static long long skew_us(void) {
  static volatile long long *skew;
  static int tried;
  if (!tried) {
    tried = 1;
    const char *path = variable("SKEW_FILE");
    int file = path ? (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY) : -1;
    if (file >= 0) {
      void *page = (void *)syscall(SYS_mmap, 0, 4096, PROT_READ, MAP_SHARED, file, 0);
      if (page != MAP_FAILED) skew = page;
      syscall(SYS_close, file);
    }
  }
  return skew ? *skew : 0;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  int failed = (int)syscall(SYS_clock_gettime, clock, time);
  if (!failed && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
    long long us = time->tv_sec * 1000000LL + time->tv_nsec / 1000 + skew_us();
    time->tv_sec = us / 1000000;
    time->tv_nsec = us % 1000000 * 1000;
  }
  return failed;
}

int gettimeofday(struct timeval *time, void *zone) {
  (void)zone;
  struct timespec now;
  int failed = clock_gettime(CLOCK_REALTIME, &now);
  if (!failed && time) {
    time->tv_sec = now.tv_sec;
    time->tv_usec = now.tv_nsec / 1000;
  }
  return failed;
}

time_t time(time_t *seconds) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (seconds) *seconds = now.tv_sec;
  return now.tv_sec;
}
