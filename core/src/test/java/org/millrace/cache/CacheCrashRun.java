package org.millrace.cache;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Predicate;
import org.millrace.disk.BlockFile;
import org.millrace.disk.BlockSize;
import org.millrace.disk.Faults;
import org.millrace.disk.FaultyDisk;
import org.millrace.disk.MemoryDisk;
import org.millrace.env.Env;
import org.millrace.env.ThreadKind;

/**
 * One run of the crash campaign: random writes, flushes and resizes of a small strand through the
 * cache, a loss of power in the midst, and then a look at every byte; several lives. A byte may be
 * as last acknowledged or as written since. With several threads each owns a stretch of the strand,
 * flushes for itself, and nobody resizes. Under the seeded scheduler one thread runs at a time.
 */
final class CacheCrashRun {

  private static final int BLOCKS = 6;
  private static final int LIVES = 3;
  private static final int STEPS = 30;

  /** Bytes that may have reached the disk since the last acknowledgement. */
  private static final class Written {
    private final int from;
    private final byte[] bytes;

    Written(int from, byte[] bytes) {
      this.from = from;
      this.bytes = bytes;
    }
  }

  private final int blockBytes;
  private final int max;
  private final Env env;
  private final Random random;
  private final int threads;
  private final Faults faults;
  private MemoryDisk memory = new MemoryDisk("memory");

  private byte[] now;
  private byte[] acknowledged;
  private final List<List<Written>> since = new ArrayList<>();
  private final List<Long> ends = new ArrayList<>();
  private long end;
  private long acknowledgedEnd;
  private int powerCuts;

  CacheCrashRun(Env env, int blockBytes, long seed, int threads, Predicate<String> droppedForces) {
    this.blockBytes = blockBytes;
    this.max = BLOCKS * blockBytes;
    this.now = new byte[max];
    this.acknowledged = new byte[max];
    this.env = env;
    this.random = new Random(seed);
    this.threads = threads;
    this.faults = Faults.seeded(seed).dropForces(droppedForces);
    for (int t = 0; t < threads; t++) {
      since.add(new ArrayList<>());
    }
  }

  int powerCuts() {
    return powerCuts;
  }

  void run() {
    try {
      BlockFile.create(memory, 7, 1, blockBytes).close();
      acknowledgeAll();
      for (int life = 0; life < LIVES; life++) {
        live();
        memory = memory.crash(random.nextLong());
        recover();
      }
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private BlockCache cache() {
    return new BlockCache(
        env,
        "crash",
        CacheOptions.of(
                Math.max(BlockSize.DEFAULT_BYTES, (1 + random.nextInt(8)) * (long) blockBytes))
            .withReadAheadBytes((long) random.nextInt(5) * blockBytes)
            .withRunBytes((1 + random.nextInt(4)) * (long) blockBytes)
            .withWriteBehindPercent(random.nextInt(101))
            .withDiskThreads(1 + random.nextInt(3)));
  }

  private void live() throws IOException, InterruptedException {
    faults.cutPowerAfter(random.nextInt(150));
    List<AssertionError> failures = new ArrayList<>();
    try (BlockFile file = BlockFile.open(new FaultyDisk(memory, faults), 7, 1);
        BlockCache cache = cache()) {
      CachedStrand strand = cache.attach(file);
      List<Thread> started = new ArrayList<>();
      for (int t = 0; t < threads; t++) {
        int thread = t;
        long seed = random.nextLong();
        Runnable body = () -> steps(strand, thread, new Random(seed), failures);
        started.add(env.start(ThreadKind.RANK, "rank-" + t, body));
      }
      for (Thread thread : started) {
        thread.join();
      }
    } catch (IOException e) {
      if (!isLossOfPower(e)) {
        throw new AssertionError(e);
      }
    }
    if (!failures.isEmpty()) {
      throw failures.getFirst();
    }
  }

  private void steps(
      CachedStrand strand, int thread, Random chance, List<AssertionError> failures) {
    try {
      for (int i = 0; i < STEPS; i++) {
        step(strand, thread, chance);
        strand.checkInvariants();
      }
    } catch (IOException e) {
      powerCuts++;
      if (!isLossOfPower(e)) {
        failures.add(new AssertionError(e));
      }
    } catch (AssertionError | RuntimeException e) {
      failures.add(new AssertionError(e));
    }
  }

  private static boolean isLossOfPower(IOException e) {
    String message = String.valueOf(e.getMessage());
    return message.contains("no power") || message.contains("half-way");
  }

  private void step(CachedStrand strand, int thread, Random chance) throws IOException {
    int from = thread * (max / threads);
    int to = from + max / threads;
    int kind = chance.nextInt(20);
    if (kind == 0 && threads == 1) {
      resize(strand, chance.nextInt(max));
    } else if (kind < 5) {
      // What this thread wrote before is acknowledged; what others write meanwhile is not.
      byte[] mine = Arrays.copyOfRange(now, from, to);
      long reached = end;
      strand.flush();
      acknowledgedEnd = Math.max(acknowledgedEnd, reached);
      System.arraycopy(mine, 0, acknowledged, from, to - from);
      since.get(thread).clear();
      if (threads == 1) {
        ends.clear();
        ends.add(end);
      }
    } else if (kind < 8) {
      byte[] read = new byte[to - from];
      long count = strand.read(from, MemorySegment.ofArray(read), 0, read.length);
      if (Arrays.mismatch(read, 0, (int) count, now, from, from + (int) count) >= 0) {
        throw new AssertionError("read wrong bytes");
      }
    } else {
      write(strand, thread, from, to, chance);
    }
  }

  private void write(CachedStrand strand, int thread, int from, int limit, Random chance)
      throws IOException {
    int at = from + chance.nextInt(limit - from);
    int length = 1 + chance.nextInt(chance.nextBoolean() ? 600 : 2 * blockBytes);
    byte[] fresh = new byte[Math.min(limit - at, length)];
    chance.nextBytes(fresh);
    System.arraycopy(fresh, 0, now, at, fresh.length);
    since.get(thread).add(new Written(at, fresh));
    // A write of several blocks moves the end block by block.
    for (int to = at; to < at + fresh.length; ) {
      to = Math.min(at + fresh.length, (to / blockBytes + 1) * blockBytes);
      ends.add(Math.max(end, to));
    }
    strand.write(at, MemorySegment.ofArray(fresh), 0, fresh.length);
    end = Math.max(end, at + fresh.length);
  }

  private void resize(CachedStrand strand, int to) throws IOException {
    Arrays.fill(now, to, max, (byte) 0);
    since.getFirst().add(new Written(to, new byte[max - to]));
    end = to;
    ends.add(end);
    strand.resize(to);
  }

  private void acknowledgeAll() {
    acknowledged = now.clone();
    since.forEach(List::clear);
    ends.clear();
    ends.add(end);
    acknowledgedEnd = end;
  }

  private void recover() throws IOException {
    faults.cutPowerAfter(Long.MAX_VALUE);
    byte[] found = new byte[max];
    try (BlockFile file = BlockFile.open(new FaultyDisk(memory, faults), 7, 1);
        BlockCache cache = cache()) {
      CachedStrand strand = cache.attach(file);
      checkEnd(strand.end());
      strand.read(0, MemorySegment.ofArray(found), 0, max);
    } catch (IOException e) {
      throw new AssertionError("after the crash: " + e.getMessage(), e);
    }
    for (int i = 0; i < max; i++) {
      if (!isAllowed(i, found[i])) {
        throw new AssertionError("byte " + i + " of " + end + " is " + found[i]);
      }
    }
    now = found;
    acknowledgeAll();
  }

  private void checkEnd(long found) {
    boolean known = ends.contains(found) && (threads == 1 || found >= acknowledgedEnd);
    if (!known) {
      throw new AssertionError("end " + found + ", not one of " + ends);
    }
    end = found;
  }

  private boolean isAllowed(int at, byte found) {
    if (at >= end) {
      return found == 0;
    }
    if (acknowledged[at] == found) {
      return true;
    }
    for (List<Written> ofThread : since) {
      for (Written written : ofThread) {
        int in = at - written.from;
        if (in >= 0 && in < written.bytes.length && written.bytes[in] == found) {
          return true;
        }
      }
    }
    return false;
  }
}
