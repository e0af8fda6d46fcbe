package org.millrace.disk;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Predicate;
import org.millrace.error.CorruptBlockException;

/**
 * One run of the crash campaign: random writes, flushes and resizes of a small strand, a loss of
 * power in the midst, often another one during recovery, and then a look at every byte. A byte may
 * be as last acknowledged or as written since. The disk may also fail now and then, or be full for
 * a while: calls fail then, and what they should have done may have been done.
 */
final class CrashRun {

  private static final int BLOCKS = 5;
  private static final StrandKey ID = new StrandKey(77, 2);

  private final int size;
  private final long seed;
  private final BlockFileOptions tuning;
  private final Random random;
  private final Faults faults;
  private final boolean failing;
  private MemoryDisk memory = new MemoryDisk("memory");

  // What the strand should hold now, and all it may hold after a crash: the acknowledged state
  // first.
  private final byte[][] now;
  private final List<List<byte[]>> versions = new ArrayList<>();
  private final Set<Long> ends = new HashSet<>();
  private long end;
  private boolean cut;
  private int torn;
  private int failures;

  /** A run over blocks of {@code size} bytes. */
  CrashRun(int size, long seed, boolean intending, Predicate<String> droppedForces) {
    this(size, seed, intending, droppedForces, false);
  }

  /** A run over blocks of {@code size} bytes, on a disk that fails now and then. */
  static CrashRun failing(int size, long seed) {
    return new CrashRun(size, seed, true, name -> false, true);
  }

  private CrashRun(
      int size, long seed, boolean intending, Predicate<String> droppedForces, boolean failing) {
    this.failing = failing;
    this.size = size;
    this.now = new byte[BLOCKS][size];
    this.seed = seed;
    this.random = new Random(seed);
    // Small bounds in two of three runs, so that flushes happen inside writes as well.
    int bound = new int[] {1, 2, 256}[random.nextInt(3)];
    this.tuning = new BlockFileOptions(intending, random.nextBoolean() ? bound : 256, bound);
    this.faults = Faults.seeded(seed).dropForces(droppedForces);
  }

  int torn() {
    return torn;
  }

  /** How many calls the disk has made fail. */
  int failures() {
    return failures;
  }

  boolean wasCut() {
    return cut;
  }

  void run() throws IOException {
    for (int b = 0; b < BLOCKS; b++) {
      versions.add(new ArrayList<>());
    }
    BlockFile.create(memory, ID.fileId(), ID.strand(), size).close();
    acknowledge();
    for (int life = 0; life < 3; life++) {
      live();
      boolean powerLost = random.nextInt(4) > 0; // else the process is killed
      if (powerLost) {
        memory = memory.crash(random.nextLong());
      }
      recover(powerLost);
    }
  }

  private void live() throws IOException {
    faults.cutPowerAfter(random.nextInt(60));
    try (BlockFile file = BlockFile.open(new FaultyDisk(memory, faults), ID, tuning)) {
      boolean usable = true;
      for (int step = 0; usable && step < 25; step++) {
        usable = failing ? stepOrFail(file) : step(file);
      }
    } catch (IOException e) {
      String message = String.valueOf(e.getMessage());
      cut = message.contains("no power");
      assertThat(cut || failing && message.contains("injected")).as(message).isTrue();
    }
    if (failing) {
      faults.clear();
    }
  }

  /** Whether the strand need not be opened anew. */
  private boolean stepOrFail(BlockFile file) throws IOException {
    long before = end;
    if (random.nextInt(5) == 0) {
      trouble();
    }
    try {
      return step(file);
    } catch (IOException e) {
      String message = String.valueOf(e.getMessage());
      if (message.contains("no power")) {
        throw e;
      }
      assertThat(e).isNotInstanceOf(CorruptBlockException.class).hasMessageContaining("injected");
      failures++;
      end = Math.max(before, file.end());
      return resync(file);
    }
  }

  private void trouble() {
    String suffix = List.of("", ".strand", ".sums", ".intents").get(random.nextInt(4));
    switch (random.nextInt(3)) {
      case 0 -> faults.fullAfter(random.nextInt(4 * size));
      case 1 -> faults.fullAfter(Long.MAX_VALUE).shortTransfers(random.nextInt(3) * 0.05);
      default -> {
        Faults.Operation[] all = Faults.Operation.values();
        Faults.Operation operation = all[random.nextInt(all.length)];
        faults.fail(
            operation,
            name -> name.endsWith(suffix),
            random.nextInt(8),
            1 + random.nextInt(operation == Faults.Operation.FORCE ? 1 : 3));
      }
    }
  }

  /** Learns what the blocks hold after a call that failed. */
  private boolean resync(BlockFile file) throws IOException {
    for (int b = 0; b < BLOCKS; b++) {
      for (int tries = 0; ; tries++) {
        try {
          now[b] = Blocks.read(file, b);
          break;
        } catch (IOException e) {
          String message = String.valueOf(e.getMessage());
          if (message.contains("half-way")) {
            return false;
          }
          if (message.contains("no power")) {
            throw e;
          }
          assertThat(e).hasMessageContaining("injected");
          assertThat(tries).as("reads that fail").isLessThan(100);
        }
      }
      for (int i = 0; i < size; i++) {
        if (!isKnown(b, i, now[b][i])) {
          throw new AssertionError("seed " + seed + ": byte " + i + " of block " + b);
        }
      }
      versions.get(b).add(now[b]);
    }
    return true;
  }

  private boolean step(BlockFile file) throws IOException {
    int kind = random.nextInt(20);
    if (kind == 0) {
      resize(file);
    } else if (kind < 6) {
      ends.add(end);
      file.flush(end);
      acknowledge();
    } else if (kind < 8) {
      int block = random.nextInt(BLOCKS);
      assertThat(Arrays.equals(Blocks.read(file, block), now[block])).isTrue();
    } else {
      write(file);
    }
    return true;
  }

  private void write(BlockFile file) throws IOException {
    int first = random.nextInt(BLOCKS);
    int count = 1 + random.nextInt(Math.min(3, BLOCKS - first));
    int from = random.nextInt(size);
    int to = Math.min(count * size, from + 1 + random.nextInt(count * size));
    byte[] all = new byte[count * size];
    for (int b = 0; b < count; b++) {
      System.arraycopy(now[first + b], 0, all, b * size, size);
    }
    byte[] fresh = new byte[to - from];
    random.nextBytes(fresh);
    System.arraycopy(fresh, 0, all, from, to - from);
    end = Math.max(end, (long) first * size + to);
    for (int b = 0; b < count; b++) {
      now[first + b] = Arrays.copyOfRange(all, b * size, (b + 1) * size);
      versions.get(first + b).add(now[first + b]);
    }
    file.write(first, MemorySegment.ofArray(all), changes(first, count, from, to));
  }

  /** What the cache would say that the write changes; sometimes it does not know. */
  private List<BlockChanges> changes(int first, int count, int from, int to) {
    boolean unknown = random.nextInt(4) == 0;
    List<BlockChanges> changes = new ArrayList<>();
    for (int b = 0; b < count; b++) {
      BlockChanges one = new BlockChanges(Math.clamp(end - (long) (first + b) * size, 0, size));
      one.add(Math.max(0, from - b * size), Math.min(size, to - b * size));
      changes.add(unknown ? BlockChanges.all() : one);
    }
    return changes;
  }

  private void resize(BlockFile file) throws IOException {
    end = random.nextInt(BLOCKS * size);
    ends.add(end);
    for (int b = 0; b < BLOCKS; b++) {
      int kept = Math.clamp(end - (long) b * size, 0, size);
      now[b] = Arrays.copyOf(Arrays.copyOf(now[b], kept), size);
      versions.get(b).add(now[b]);
    }
    int edge = (int) (end / size);
    if (end % size != 0) {
      Blocks.write(file, edge, now[edge]);
    }
    file.resize(end);
  }

  private void acknowledge() {
    for (int b = 0; b < BLOCKS; b++) {
      versions.get(b).clear();
      versions.get(b).add(now[b]);
    }
    ends.clear();
    ends.add(end);
  }

  private void recover(boolean powerLost) throws IOException {
    if (random.nextBoolean()) {
      faults.cutPowerAfter(random.nextInt(16));
      try (BlockFile file = BlockFile.open(new FaultyDisk(memory, faults), ID, tuning)) {
        torn += file.recovery().torn();
      } catch (IOException e) {
        assertThat(e).hasMessageContaining("no power");
      }
      memory = memory.crash(random.nextLong());
    }
    faults.cutPowerAfter(Long.MAX_VALUE);
    try (BlockFile file = BlockFile.open(new FaultyDisk(memory, faults), ID, tuning)) {
      torn += file.recovery().torn();
      check(file);
    }
    try (BlockFile file = BlockFile.open(new FaultyDisk(memory, faults), ID, tuning)) {
      check(file);
      assertThat(file.recovery().torn()).isZero();
    }
    if (powerLost) {
      acknowledge();
    } else { // what was seen may not be durable
      ends.add(end);
      for (int b = 0; b < BLOCKS; b++) {
        versions.get(b).add(now[b]);
      }
    }
  }

  private void check(BlockFile file) {
    assertThat(ends).as("seed %d: end", seed).contains(file.end());
    end = file.end();
    for (int b = 0; b < BLOCKS; b++) {
      byte[] found;
      try {
        found = Blocks.read(file, b);
      } catch (IOException e) {
        throw new AssertionError("seed " + seed + ": block " + b + " of " + end + " bytes", e);
      }
      for (int i = 0; i < size; i++) {
        if (!isAllowed(b, i, found[i])) {
          throw new AssertionError(
              "seed " + seed + ": byte " + i + " of block " + b + " is " + found[i]);
        }
      }
      now[b] = found;
    }
  }

  private boolean isAllowed(int block, int at, byte found) {
    if ((long) block * size + at >= end) {
      return found == 0;
    }
    return isKnown(block, at, found);
  }

  private boolean isKnown(int block, int at, byte found) {
    for (byte[] version : versions.get(block)) {
      if (version[at] == found) {
        return true;
      }
    }
    return false;
  }
}
