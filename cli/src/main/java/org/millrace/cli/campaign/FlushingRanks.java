package org.millrace.cli.campaign;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;
import org.millrace.cluster.RunningCluster;
import org.millrace.env.Env;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/**
 * Ranks that write and flush files of their own, and read these and a large one that all share,
 * while nodes are lost. A rank may be told that writes are lost which it had not flushed: then it
 * opens its file again, and goes on. Any other error is a finding.
 *
 * <p>{@link #run} belongs to one thread, whose ranks it starts; everything else may be called by
 * another.
 */
final class FlushingRanks {

  /** The file that all read; its sectors have its number in their stamps. */
  static final String LARGE = "large";

  static final int LARGE_NUMBER = 100;

  private static final int SECTORS = 512;
  private static final int MOST_AT_ONCE = 64;
  private static final int READ_BYTES = 256 << 10;

  // constant after construction
  private final Env env;
  private final int ranks;
  private final long seed;
  private final long largeBytes;
  private final List<SectorModel[]> models = new ArrayList<>();
  private final AtomicLongArray flushes;
  private final AtomicLong reads = new AtomicLong();
  private final AtomicLong told = new AtomicLong();
  private final AtomicLong longestNanos = new AtomicLong();
  private final ConcurrentLinkedQueue<String> findings = new ConcurrentLinkedQueue<>();

  private volatile boolean over;

  FlushingRanks(Env env, int ranks, long seed, long largeBytes) {
    this.env = env;
    this.ranks = ranks;
    this.seed = seed;
    this.largeBytes = largeBytes;
    this.flushes = new AtomicLongArray(ranks);
    for (int r = 0; r < ranks; r++) {
      models.add(Stream.generate(SectorModel::new).limit(SECTORS).toArray(SectorModel[]::new));
    }
  }

  static String path(int rank) {
    return "own-" + rank;
  }

  /** Flushes that were acknowledged to the rank with the fewest. */
  long fewestFlushes() {
    long fewest = Long.MAX_VALUE;
    for (int r = 0; r < ranks; r++) {
      fewest = Math.min(fewest, flushes.get(r));
    }
    return fewest;
  }

  long flushes() {
    long all = 0;
    for (int r = 0; r < ranks; r++) {
      all += flushes.get(r);
    }
    return all;
  }

  long reads() {
    return reads.get();
  }

  /** How often a rank was told that writes are lost. */
  long told() {
    return told.get();
  }

  /** The longest call. */
  long longestNanos() {
    return longestNanos.get();
  }

  List<String> findings() {
    return List.copyOf(findings);
  }

  void end() {
    over = true;
  }

  /** All ranks, until they are told to end. */
  void run(RunningCluster cluster) {
    try {
      cluster.run(ranks, this::work);
    } catch (IOException | RuntimeException e) {
      findings.add("the ranks cannot work: " + e);
    }
  }

  private void work(Rank together) throws IOException {
    int number = together.number();
    Rank rank = together.alone();
    RandomGenerator random = new SplittableRandom(seed + number);
    try (Arena arena = Arena.ofConfined();
        SharedFile large = rank.open(LARGE, OpenOptions.read())) {
      MemorySegment memory = arena.allocate(READ_BYTES);
      while (!over) {
        try {
          writeAndFlush(rank, number, random, memory, large);
        } catch (MillraceException e) {
          if (e.code() != ErrorCode.LOST) {
            throw e;
          }
          told.incrementAndGet();
          reread(rank, number, memory);
        }
      }
    } catch (IOException | RuntimeException e) {
      findings.add("rank " + number + " failed: " + e);
    }
  }

  private void writeAndFlush(
      Rank rank, int number, RandomGenerator random, MemorySegment memory, SharedFile large)
      throws IOException {
    SharedFile file = rank.open(path(number), OpenOptions.create());
    boolean good = false;
    try {
      while (!over) {
        int first = random.nextInt(SECTORS - MOST_AT_ONCE);
        int count = 1 + random.nextInt(MOST_AT_ONCE);
        stamp(number, first, count, env.nanoTime(), memory);
        timed(() -> file.at((long) first * Sector.BYTES).write(slice(memory, count)));
        timed(
            () -> {
              file.flush();
              return 0;
            });
        acknowledged(number);
        check(number, file, random.nextInt(SECTORS - MOST_AT_ONCE), memory);
        readLarge(large, random, memory);
      }
      good = true;
    } finally {
      close(file, good);
    }
  }

  /** A close after an error may fail, too. */
  private static void close(SharedFile file, boolean good) throws IOException {
    try {
      file.close();
    } catch (MillraceException e) {
      if (good) {
        throw e;
      }
    }
  }

  private static MemorySegment slice(MemorySegment memory, int sectors) {
    return memory.asSlice(0, (long) sectors * Sector.BYTES);
  }

  private void stamp(int number, int first, int count, long sequence, MemorySegment memory) {
    for (int i = 0; i < count; i++) {
      Sector.stamp(memory, (long) i * Sector.BYTES, number, first + i, sequence);
      models.get(number)[first + i].written(sequence);
    }
  }

  private void acknowledged(int number) {
    for (SectorModel one : models.get(number)) {
      one.acknowledged();
    }
    flushes.incrementAndGet(number);
  }

  private interface Timed {
    long run() throws IOException;
  }

  private long timed(Timed call) throws IOException {
    long began = env.nanoTime();
    long result = call.run();
    long took = env.nanoTime() - began;
    longestNanos.accumulateAndGet(took, Math::max);
    return result;
  }

  private void check(int number, SharedFile file, int first, MemorySegment memory)
      throws IOException {
    long got = timed(() -> file.at((long) first * Sector.BYTES).read(slice(memory, MOST_AT_ONCE)));
    for (int i = 0; i < MOST_AT_ONCE; i++) {
      compare(number, first + i, found(number, first, i, got, memory));
    }
    reads.incrementAndGet();
  }

  private static long found(int number, int first, int i, long got, MemorySegment memory) {
    return (i + 1L) * Sector.BYTES <= got
        ? Sector.read(memory, (long) i * Sector.BYTES, number, first + i)
        : Sector.NEVER;
  }

  private void compare(int number, int sector, long found) {
    SectorModel model = models.get(number)[sector];
    if (!model.mayHold(found)) {
      findings.add(
          "%s: sector %s holds %s, must hold %s"
              .formatted(
                  path(number),
                  sector,
                  found == Sector.WRONG ? "what nobody wrote" : found,
                  model));
    }
  }

  private void readLarge(SharedFile large, RandomGenerator random, MemorySegment memory)
      throws IOException {
    long first = random.nextLong(largeBytes / READ_BYTES) * READ_BYTES / Sector.BYTES;
    long got = timed(() -> large.at(first * Sector.BYTES).read(memory));
    if (got != READ_BYTES) {
      findings.add("%s: %s bytes were read, not %s".formatted(LARGE, got, READ_BYTES));
    }
    for (long at = 0; at < got; at += Sector.BYTES) {
      long sector = first + at / Sector.BYTES;
      if (Sector.read(memory, at, LARGE_NUMBER, sector) != 1) {
        findings.add(LARGE + ": sector " + sector + " is not what was written");
        return;
      }
    }
    reads.incrementAndGet();
  }

  /** What is there after a loss is what counts from then on; all that was flushed must be. */
  private void reread(Rank rank, int number, MemorySegment memory) throws IOException {
    try (SharedFile file = rank.open(path(number), OpenOptions.create())) {
      for (int first = 0; first < SECTORS; first += MOST_AT_ONCE) {
        check(number, file, first, memory);
        long got = Math.clamp(file.size() - (long) first * Sector.BYTES, 0, READ_BYTES);
        for (int i = 0; i < MOST_AT_ONCE; i++) {
          models.get(number)[first + i].found(found(number, first, i, got, memory));
        }
      }
    }
  }

  /** Reads everything once more. */
  void checkAll(Rank rank) throws IOException {
    try (Arena arena = Arena.ofConfined();
        SharedFile large = rank.open(LARGE, OpenOptions.read())) {
      MemorySegment memory = arena.allocate(READ_BYTES);
      for (int number = 0; number < ranks; number++) {
        try (SharedFile file = rank.open(path(number), OpenOptions.create())) {
          for (int first = 0; first < SECTORS; first += MOST_AT_ONCE) {
            check(number, file, first, memory);
          }
        }
      }
      for (long at = 0; at < largeBytes; at += READ_BYTES) {
        long place = at / READ_BYTES;
        readLarge(large, new Fixed(place), memory);
      }
    }
  }

  /** Always the same number. */
  private record Fixed(long value) implements RandomGenerator {

    @Override
    public long nextLong() {
      return value;
    }

    @Override
    public long nextLong(long bound) {
      return value;
    }
  }
}
