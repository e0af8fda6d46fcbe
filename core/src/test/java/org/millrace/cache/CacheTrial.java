package org.millrace.cache;

import com.sun.management.ThreadMXBean;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.millrace.disk.BlockStore;
import org.millrace.env.Env;
import org.millrace.env.ThreadKind;

/** Measures this layer alone; to look at while working on it, not a test. */
final class CacheTrial {

  private static final long MIB = 1 << 20;
  private static final long SIZE = 512 * MIB;
  private static final int ROUNDS = 4;

  private CacheTrial() {}

  private static final class Nowhere implements BlockStore {
    @Override
    public String name() {
      return "nowhere";
    }

    @Override
    public long end() {
      return 0;
    }

    @Override
    public void read(long firstBlock, List<MemorySegment> into) {
      into.forEach(each -> each.fill((byte) 0));
    }

    @Override
    public void write(long firstBlock, MemorySegment from) {}

    @Override
    public void flush(long end) {}

    @Override
    public void resize(long end) {}

    @Override
    public void preallocate(long end) {}

    @Override
    public void close() {}
  }

  private interface Body {
    void run() throws Exception;
  }

  private static long nanos(Body body) throws Exception {
    long start = System.nanoTime();
    body.run();
    return System.nanoTime() - start;
  }

  private static void together(int threads, Body body) throws Exception {
    List<Thread> started = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      started.add(
          Env.real()
              .start(
                  ThreadKind.RANK,
                  "rank-" + i,
                  () -> {
                    try {
                      body.run();
                    } catch (Exception e) {
                      throw new IllegalStateException(e);
                    }
                  }));
    }
    for (Thread thread : started) {
      thread.join();
    }
  }

  public static void main(String[] args) throws Exception {
    try (Arena arena = Arena.ofShared();
        BlockCache cache =
            new BlockCache(
                Env.real(),
                "trial",
                CacheOptions.of(SIZE + 64 * MIB).withWriteBehindPercent(100))) {
      CachedStrand strand = cache.attach(new Nowhere());
      MemorySegment plain = arena.allocate(SIZE);
      MemorySegment one = arena.allocate(MIB);
      for (long at = 0; at < SIZE; at += MIB) {
        strand.write(at, one, 0, MIB);
      }
      for (int round = 0; round < ROUNDS; round++) {
        System.out.println("round " + round);
        if (args.length > 0) {
          small(strand, plain, arena);
          continue;
        }
        for (int threads : new int[] {1, 2}) {
          large(threads, strand, plain, arena);
        }
        small(strand, plain, arena);
        for (int threads = 1; threads <= 4; threads *= 2) {
          append(threads, cache, arena, 64);
          append(threads, cache, arena, 1024);
        }
        strided(strand, plain, arena, 16);
        strided(strand, plain, arena, 4096);
      }
      strand.detach(true);
    }
  }

  private static void large(int threads, CachedStrand strand, MemorySegment plain, Arena arena)
      throws Exception {
    int count = 1500;
    long copy =
        nanos(
            () ->
                together(
                    threads,
                    () -> {
                      MemorySegment into = arena.allocate(MIB);
                      SplittableRandom random = new SplittableRandom(1);
                      for (int i = 0; i < count; i++) {
                        MemorySegment.copy(plain, random.nextLong(SIZE - MIB), into, 0, MIB);
                      }
                    }));
    long read =
        nanos(
            () ->
                together(
                    threads,
                    () -> {
                      MemorySegment into = arena.allocate(MIB);
                      SplittableRandom random = new SplittableRandom(1);
                      for (int i = 0; i < count; i++) {
                        strand.read(random.nextLong(SIZE - MIB), into, 0, MIB);
                      }
                    }));
    long copyIn =
        nanos(
            () ->
                together(
                    threads,
                    () -> {
                      MemorySegment from = arena.allocate(MIB);
                      SplittableRandom random = new SplittableRandom(1);
                      for (int i = 0; i < count; i++) {
                        MemorySegment.copy(from, 0, plain, random.nextLong(SIZE - MIB), MIB);
                      }
                    }));
    long write =
        nanos(
            () ->
                together(
                    threads,
                    () -> {
                      MemorySegment from = arena.allocate(MIB);
                      SplittableRandom random = new SplittableRandom(1);
                      for (int i = 0; i < count; i++) {
                        strand.write(random.nextLong(SIZE - MIB), from, 0, MIB);
                      }
                    }));
    double bytes = (double) threads * count * MIB;
    System.out.printf(
        "1 MiB, %d threads: copy %.1f read %.1f GB/s = %.2f; copy in %.1f write %.1f GB/s = %.2f%n",
        threads,
        bytes / copy,
        bytes / read,
        (double) copy / read,
        bytes / copyIn,
        bytes / write,
        (double) copyIn / write);
  }

  private static void small(CachedStrand strand, MemorySegment plain, Arena arena)
      throws Exception {
    int count = 3_000_000;
    MemorySegment into = arena.allocate(64);
    SplittableRandom random = new SplittableRandom(1);
    ThreadMXBean bean = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long copy = -bean.getCurrentThreadCpuTime();
    for (int i = 0; i < count; i++) {
      MemorySegment.copy(plain, random.nextLong(SIZE - 64), into, 0, 64);
    }
    copy += bean.getCurrentThreadCpuTime();
    System.out.printf("64 B random copies: %.0f ns each%n", (double) copy / count);
    for (int threads : new int[] {1, 2}) {
      long time =
          nanos(
              () ->
                  together(
                      threads,
                      () -> {
                        MemorySegment mine = arena.allocate(64);
                        SplittableRandom where =
                            new SplittableRandom(Thread.currentThread().threadId());
                        for (int i = 0; i < count; i++) {
                          strand.read(where.nextLong(SIZE - 64), mine, 0, 64);
                        }
                      }));
      System.out.printf(
          "64 B random reads, %d threads: %.0f ns each per thread, %.1f million/s%n",
          threads, (double) time / count, threads * count * 1e3 / time);
    }
    long before = bean.getCurrentThreadAllocatedBytes();
    long readNanos = -bean.getCurrentThreadCpuTime();
    for (int i = 0; i < count; i++) {
      strand.read(random.nextLong(SIZE - 64), into, 0, 64);
    }
    readNanos += bean.getCurrentThreadCpuTime();
    long reads = bean.getCurrentThreadAllocatedBytes() - before;
    long writeNanos = -bean.getCurrentThreadCpuTime();
    for (int i = 0; i < count; i++) {
      strand.write(random.nextLong(SIZE - 64), into, 0, 64);
    }
    writeNanos += bean.getCurrentThreadCpuTime();
    long writes = bean.getCurrentThreadAllocatedBytes() - before - reads;
    System.out.printf(
        "CPU time: copy %.0f read %.0f write %.0f ns%n",
        (double) copy / count, (double) readNanos / count, (double) writeNanos / count);
    System.out.printf("allocated by %d: reads %d B, writes %d B%n", count, reads, writes);
  }

  private static void append(int threads, BlockCache cache, Arena arena, int length)
      throws Exception {
    CachedStrand log = cache.attach(new Nowhere());
    long total = length == 64 ? 4_000_000 : 40_000;
    java.util.concurrent.atomic.AtomicLong pointer = new java.util.concurrent.atomic.AtomicLong();
    long time =
        nanos(
            () ->
                together(
                    threads,
                    () -> {
                      MemorySegment from = arena.allocate(length);
                      for (long i = 0; i < total / threads; i++) {
                        long at = pointer.getAndAdd(length) & (32 * MIB - 1);
                        log.write(at, from, 0, length);
                      }
                    }));
    System.out.printf(
        "%d B appends, %d threads: %.1f million/s%n", length, threads, total * 1e3 / time);
    log.detach(true);
  }

  private static void strided(CachedStrand strand, MemorySegment plain, Arena arena, long stride)
      throws Exception {
    long count = Math.min(4 * MIB / 8, 256 * MIB / stride);
    MemorySegment into = arena.allocate(count * 8);
    int times = stride == 16 ? 20 : 60;
    long hand =
        nanos(
            () -> {
              for (int t = 0; t < times; t++) {
                CopyLoops.gather(plain, 0, 8, stride, count, into, 0);
              }
            });
    long gather =
        nanos(
            () -> {
              for (int t = 0; t < times; t++) {
                strand.gather(0, 8, stride, count, into, 0);
              }
            });
    long scatter =
        nanos(
            () -> {
              for (int t = 0; t < times; t++) {
                strand.scatter(0, 8, stride, count, into, 0);
              }
            });
    double all = (double) count * times;
    System.out.printf(
        "8 B every %d: by hand %.2f, gather %.2f, scatter %.2f ns each; ratio %.2f%n",
        stride, hand / all, gather / all, scatter / all, (double) hand / gather);
  }
}
