package org.millrace.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.millrace.env.Env;
import org.millrace.env.ThreadKind;
import org.millrace.error.CorruptBlockException;
import org.millrace.error.MillraceException;
import org.millrace.testing.Eventually;
import org.millrace.testing.Seeds;

/** Strands in a log and in files, through crashes. */
final class StrandLogTest {

  private static final int SMALL = 4096;

  private static StrandLog load(Disk disk) throws IOException {
    StrandLog log = new StrandLog(Env.real(), disk, SMALL, true, _ -> {});
    log.load();
    return log;
  }

  private static byte[] block(int used, int fill) {
    byte[] block = new byte[Blocks.SIZE];
    Arrays.fill(block, 0, used, (byte) fill);
    return block;
  }

  @Test
  void aStrandThatNobodyKnowsIsEmptyAndLeavesNothingOfItselfOnTheDisk() throws IOException {
    MemoryDisk disk = new MemoryDisk("d");
    try (StrandLog log = load(disk);
        StrandStore store = log.open(1, 0, Blocks.SIZE)) {
      assertThat(store.end()).isZero();
      assertThat(store.isUnknown()).isTrue();
      assertThat(Blocks.read(store, 3)).containsOnly(0);
      store.flush(0);
    }
    assertThat(disk.list()).containsExactly("epochs"); // the node's own
    assertThat(StrandLog.peek(disk)).isEmpty();
  }

  @Test
  void smallStrandHasNoFilesAndSurvivesACrash() throws IOException {
    MemoryDisk disk = new MemoryDisk("d");
    try (StrandLog log = load(disk);
        StrandStore store = log.open(1, 0, Blocks.SIZE)) {
      Blocks.write(store, 0, block(100, 7));
      store.flush(100);
      assertThat(disk.list()).containsExactly("epochs", "strands", "strands.mark");
      MemoryDisk after = disk.crash();
      try (StrandLog again = load(after);
          StrandStore found = again.open(1, 0, Blocks.SIZE)) {
        assertThat(found.end()).isEqualTo(100);
        assertThat(Blocks.read(found, 0)).isEqualTo(block(100, 7));
      }
    }
  }

  @Test
  void aStrandThatGrowsGetsFilesWithAllThatThereWas() throws IOException {
    MemoryDisk disk = new MemoryDisk("d");
    try (StrandLog log = load(disk);
        StrandStore store = log.open(1, 0, Blocks.SIZE)) {
      Blocks.write(store, 0, block(100, 7));
      store.flush(100);
      Blocks.write(store, 2, block(5000, 8));
      assertThat(StrandFiles.exist(disk, new StrandKey(1, 0))).isTrue();
      store.flush(2L * Blocks.SIZE + 5000);
    }
    MemoryDisk after = disk.crash();
    try (StrandLog again = load(after);
        StrandStore found = again.open(1, 0, Blocks.SIZE)) {
      assertThat(found.end()).isEqualTo(2L * Blocks.SIZE + 5000);
      assertThat(Blocks.read(found, 0)).isEqualTo(block(100, 7));
      assertThat(Blocks.read(found, 1)).containsOnly(0);
      assertThat(Blocks.read(found, 2)).isEqualTo(block(5000, 8));
    }
  }

  /** The hunt found that the files had the new end before the log knew of them. */
  @Test
  void aStrandWhoseFilesTheLogDoesNotKnowYetIsEmptyAfterACrash() throws IOException {
    MemoryDisk disk = new MemoryDisk("d");
    try (StrandLog log = load(disk);
        StrandStore store = log.open(1, 0, Blocks.SIZE)) {
      log.create(9, 0, 4096);
      store.resize(5000);
      Blocks.write(store, 0, block(100, 7));
      Blocks.write(store, 2, block(5000, 8));
      assertThat(store.isSmall()).isFalse();
      assertThat(store.end()).isEqualTo(5000);
      assertThat(Blocks.read(store, 0)).isEqualTo(block(100, 7));
      try (StrandLog again = load(disk.crash());
          StrandStore found = again.open(1, 0, Blocks.SIZE)) {
        assertThat(found.end()).isZero();
        assertThat(Blocks.read(found, 0)).containsOnly(0);
      }
    }
  }

  @Test
  void aStrandWhoseRecordFailedIsStoredBeforeItsFilesAre() throws IOException {
    MemoryDisk memory = new MemoryDisk("d");
    FaultyDisk disk = new FaultyDisk(memory, Faults.seeded(1));
    try (StrandLog log = load(disk);
        StrandStore store = log.open(1, 0, Blocks.SIZE)) {
      log.create(9, 0, 4096);
      Blocks.write(store, 0, block(100, 7));
      disk.faults().fail(Faults.Operation.WRITE, name -> name.startsWith("strands"), 0, 2);
      assertThatThrownBy(() -> store.flush(100)).hasMessageContaining("WRITE failed");
      assertThatThrownBy(() -> Blocks.write(store, 2, block(5000, 8)))
          .hasMessageContaining("WRITE failed");
      Blocks.write(store, 2, block(5000, 8));
      assertThat(store.isSmall()).isFalse();
      try (StrandLog again = load(memory.crash());
          StrandStore found = again.open(1, 0, Blocks.SIZE)) {
        assertThat(found.end()).isEqualTo(100);
        assertThat(Blocks.read(found, 0)).isEqualTo(block(100, 7));
      }
    }
  }

  /** The log's thread once waited for a lock that is held until it has ended the next record. */
  @Test
  void aFlushThatFailsBesideAnotherOneEnds() throws Exception {
    FaultyDisk disk = new FaultyDisk(new MemoryDisk("d"), Faults.seeded(1));
    try (StrandLog log = load(disk);
        StrandStore store = log.open(1, 0, Blocks.SIZE)) {
      log.create(9, 0, 4096);
      disk.faults().fail(Faults.Operation.WRITE, name -> name.startsWith("strands"), 1, 1);
      CountDownLatch blocked = new CountDownLatch(1);
      CountDownLatch ended = new CountDownLatch(1);
      log.start(new StrandRecord.Gone(new StrandKey(5000, 0)), _ -> await(blocked));
      Blocks.write(store, 0, block(100, 7));
      assertThat(store.flushTogether(100, _ -> ended.countDown())).isTrue();
      Blocks.write(store, 0, block(100, 8));
      Thread other = Env.real().start(ThreadKind.SERVICE, "other", () -> tryFlush(store));
      Eventually.holds(
          "the other flush waits for the log", () -> other.getState() == Thread.State.WAITING);
      blocked.countDown();
      ended.await();
      other.join();
      store.flush(100);
    }
  }

  private static void tryFlush(StrandStore store) {
    try {
      store.flush(200);
    } catch (IOException e) {
      assertThat(e).hasMessageContaining("WRITE failed");
    }
  }

  @Test
  void lostLogIsReportedAndNeverTakenForANewDisk() throws IOException {
    MemoryDisk disk = new MemoryDisk("d");
    try (StrandLog log = load(disk)) {
      log.create(1, 0, 4096);
    }
    disk.delete("strands");
    assertThatThrownBy(() -> load(disk)).hasMessageContaining("the strands in d is missing");
  }

  /** With its mark, as a backup has it. The node's memory of it is forced by starts and stops. */
  @Test
  void anOlderCopyOfTheLogIsReportedThoughThePowerFailed() throws IOException {
    MemoryDisk disk = new MemoryDisk("d");
    List<NodeMemory.Run> coordinator = List.of(new NodeMemory.Run(1, 11));
    Map<String, byte[]> older = new HashMap<>();
    for (int life = 0; life < 2; life++) {
      try (StrandLog log = load(disk);
          StrandStore store = log.open(1, 0, Blocks.SIZE)) {
        log.begin(life, coordinator);
        Blocks.write(store, 0, block(100, life + 1));
        store.flush(100);
      }
      for (String name : List.of("strands", "strands.mark")) {
        older.putIfAbsent(name, Blocks.file(disk, name));
      }
    }
    assertThatThrownBy(() -> load(with(disk.crash(), older))).hasMessageContaining("older copy");
    try (StrandLog log = load(disk)) {
      log.begin(2, coordinator);
      assertThatThrownBy(() -> load(with(disk.crash(), older))).hasMessageContaining("older copy");
    }
    load(disk.crash()).close();
  }

  private static MemoryDisk with(MemoryDisk disk, Map<String, byte[]> files) throws IOException {
    for (Map.Entry<String, byte[]> one : files.entrySet()) {
      disk.delete(one.getKey());
      try (DiskFile file = disk.create(one.getKey())) {
        file.write(0, MemorySegment.ofArray(one.getValue()));
      }
    }
    return disk;
  }

  @Test
  void filesThatTheLogMustKnowAndDoesNotAreReported() throws IOException {
    MemoryDisk disk = new MemoryDisk("d");
    try (StrandLog log = load(disk)) {
      log.create(9, 0, 4096);
    }
    try (BlockFile stray = BlockFile.create(disk, 1, 0, Blocks.SIZE)) {
      Blocks.write(stray, 0, block(10, 1));
      stray.flush(10);
    }
    try (StrandLog log = load(disk)) {
      assertThatThrownBy(() -> log.open(1, 0, Blocks.SIZE))
          .isInstanceOf(CorruptBlockException.class)
          .hasMessageContaining("older copy");
    }
  }

  @Test
  void strandsFromBeforeTheLogAreTakenOver() throws IOException {
    MemoryDisk disk = new MemoryDisk("d");
    try (BlockFile old = BlockFile.create(disk, 1, 0, Blocks.SIZE)) {
      Blocks.write(old, 0, block(10, 1));
      old.flush(10);
    }
    for (int i = 0; i < 2; i++) {
      try (StrandLog log = load(disk)) {
        try (StrandStore store = log.open(1, 0, Blocks.SIZE)) {
          assertThat(Blocks.read(store, 0)).isEqualTo(block(10, 1));
        }
        log.create(2 + i, 0, 4096);
      }
    }
  }

  @Test
  void missingFilesOfAKnownStrandAreAnError() throws IOException {
    MemoryDisk disk = new MemoryDisk("d");
    try (StrandLog log = load(disk)) {
      try (StrandStore store = log.open(1, 0, Blocks.SIZE)) {
        Blocks.write(store, 0, block(Blocks.SIZE, 1));
        store.flush(Blocks.SIZE);
      }
      StrandFiles.remove(disk, new StrandKey(1, 0));
      assertThatThrownBy(() -> log.open(1, 0, Blocks.SIZE)).hasMessageContaining("is missing");
    }
  }

  @Test
  void aRemovedStrandIsNotTakenForANewOne() throws IOException {
    MemoryDisk disk = new MemoryDisk("d");
    try (StrandLog log = load(disk)) {
      log.create(1, 0, 4096);
      log.remove(1, 0);
      assertThatThrownBy(() -> log.open(1, 0, 4096)).hasMessageContaining("is missing");
      log.create(1, 0, 4096);
      log.open(1, 0, 4096).close();
    }
    assertThat(StrandLog.peek(disk)).containsExactly(new StrandKey(1, 0));
  }

  @Test
  void flushesThatComeTogetherAreForcedTogether() throws Exception {
    FaultyDisk disk = new FaultyDisk(new MemoryDisk("d"), Faults.seeded(1));
    List<StrandStore> stores = new ArrayList<>();
    try (StrandLog log = load(disk)) {
      log.create(1000, 0, 4096); // the log is there
      for (int i = 0; i < 100; i++) {
        StrandStore store = log.open(1 + i, 0, Blocks.SIZE);
        Blocks.write(store, 0, block(100, i + 1));
        stores.add(store);
      }
      CountDownLatch blocked = new CountDownLatch(1);
      CountDownLatch ended = new CountDownLatch(100);
      log.start(new StrandRecord.Gone(new StrandKey(5000, 0)), _ -> await(blocked));
      long before = disk.faults().operations();
      for (StrandStore store : stores) {
        assertThat(store.flushTogether(100, error -> ended.countDown())).isTrue();
      }
      blocked.countDown();
      ended.await();
      // at most two batches, each a write and a force
      assertThat(disk.faults().operations() - before).isBetween(2L, 6L);
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void aFailedForceIsToldAndTheNextFlushWritesTheLogAnew() throws IOException {
    MemoryDisk memory = new MemoryDisk("d");
    FaultyDisk disk = new FaultyDisk(memory, Faults.seeded(1));
    List<MillraceException> noted = new ArrayList<>();
    StrandLog log = new StrandLog(Env.real(), disk, SMALL, true, noted::add);
    log.load();
    try (log;
        StrandStore one = log.open(1, 0, Blocks.SIZE);
        StrandStore two = log.open(2, 0, Blocks.SIZE)) {
      Blocks.write(one, 0, block(10, 1));
      one.flush(10);
      disk.faults().fail(Faults.Operation.FORCE, _ -> true, 0, 1);
      Blocks.write(two, 0, block(20, 2));
      assertThatThrownBy(() -> two.flush(20)).hasMessageContaining("FORCE failed");
      assertThat(noted).isNotEmpty();
      two.flush(20);
      try (StrandLog again = load(memory.crash())) {
        assertThat(Blocks.read(again.open(1, 0, Blocks.SIZE), 0)).isEqualTo(block(10, 1));
        assertThat(Blocks.read(again.open(2, 0, Blocks.SIZE), 0)).isEqualTo(block(20, 2));
      }
    }
  }

  /** What a flush acknowledged is there after a crash, whatever was under way; else old or new. */
  @Test
  void acknowledgedContentSurvivesACrashAtAnyPoint() throws IOException {
    for (long seed : Seeds.of(100)) {
      crash(seed, Faults.seeded(seed));
    }
  }

  @Test
  void acknowledgedContentSurvivesACrashOfADiskThatFails() throws IOException {
    for (long seed : Seeds.of(200)) {
      Random random = new Random(seed);
      Faults faults = Faults.seeded(seed);
      for (int i = 0; i < 3; i++) {
        Faults.Operation[] all = Faults.Operation.values();
        String prefix = List.of("", "strands", "0").get(random.nextInt(3));
        faults.fail(
            all[random.nextInt(all.length)],
            name -> name.startsWith(prefix),
            random.nextInt(40),
            1 + random.nextInt(2));
      }
      crash(seed, faults);
    }
  }

  @Test
  void withoutForcesSomethingIsLost() {
    assertThatThrownBy(
            () -> {
              for (long seed = 0; seed < 300; seed++) {
                crash(seed, Faults.seeded(seed).dropForces(name -> name.startsWith("strands")));
              }
            })
        .isInstanceOfAny(AssertionError.class, CorruptBlockException.class);
  }

  private static void crash(long seed, Faults faults) throws IOException {
    Random random = new Random(seed);
    MemoryDisk memory = new MemoryDisk("d");
    FaultyDisk disk = new FaultyDisk(memory, faults.cutPowerAfter(random.nextInt(120)));
    Map<Integer, byte[]> acknowledged = new HashMap<>();
    Map<Integer, List<byte[]>> tried = new HashMap<>();
    try (StrandLog log = load(disk)) {
      Map<Integer, StrandStore> open = new HashMap<>();
      for (int i = 0; i < 60; i++) {
        int file = 1 + random.nextInt(5);
        if (random.nextInt(6) == 0 && open.containsKey(file)) {
          tolerate(open.remove(file)::close);
        }
        List<byte[]> since = tried.computeIfAbsent(file, _ -> new ArrayList<>());
        // only ever longer, so that old, new and mixed are told apart by length and first byte
        int length =
            (since.isEmpty() ? 0 : lengthOf(since.getLast()))
                + 1
                + random.nextInt(random.nextInt(8) == 0 ? 9000 : 500);
        byte[] next = block(Math.min(length, Blocks.SIZE), i + 1);
        since.add(next);
        boolean longer = random.nextInt(6) == 0;
        tolerate(
            () -> {
              StrandStore store = open.get(file);
              if (store == null) {
                store = log.open(file, 0, Blocks.SIZE);
                open.put(file, store);
              }
              if (longer) {
                store.resize(Math.max(store.end(), lengthOf(next)));
              }
              Blocks.write(store, 0, next);
              store.flush(lengthOf(next));
              acknowledged.put(file, next);
              since.subList(0, since.size() - 1).clear();
            });
      }
    } catch (MillraceException e) {
      assertThat(e).as(Seeds.replay(seed)).hasMessageContaining("injected");
    }
    try (StrandLog log = load(memory.crash(seed))) {
      for (int file = 1; file <= 5; file++) {
        byte[] expected = acknowledged.getOrDefault(file, block(0, 0));
        try (StrandStore store = log.open(file, 0, Blocks.SIZE)) {
          byte[] found = Blocks.read(store, 0);
          assertThat(store.end()).as(Seeds.replay(seed)).isGreaterThanOrEqualTo(lengthOf(expected));
          int wrong = firstWrong(found, expected, tried.getOrDefault(file, List.of()));
          assertThat(wrong).as("%s: byte of file %d", Seeds.replay(seed), file).isEqualTo(-1);
        }
      }
    }
  }

  private interface Call {
    void run() throws IOException;
  }

  /** Goes on after a call that the disk has made fail, as long as there is power. */
  private static void tolerate(Call call) throws IOException {
    try {
      call.run();
    } catch (MillraceException e) {
      assertThat(e).isNotInstanceOf(CorruptBlockException.class).hasMessageContaining("injected");
      if (String.valueOf(e.getMessage()).contains("power")) {
        throw e;
      }
    }
  }

  /** The first acknowledged byte that is neither as acknowledged nor as tried since; or -1. */
  private static int firstWrong(byte[] found, byte[] expected, List<byte[]> tried) {
    int length = lengthOf(expected);
    for (int i = 0; i < length; i++) {
      int at = i;
      if (found[i] != expected[i] && tried.stream().noneMatch(one -> one[at] == found[at])) {
        return i;
      }
    }
    return -1;
  }

  private static int lengthOf(byte[] block) {
    int length = block.length;
    while (length > 0 && block[length - 1] == 0) {
      length--;
    }
    return length;
  }

  @Test
  void recordsHaveTheBytesThatFormatsPromise() throws IOException {
    StrandKey id = new StrandKey(0x0102, 3);
    assertThat(
            HexFormat.of()
                .formatHex(new StrandRecord.Small(id, 65536, 7, 0, new byte[] {5, 6}).encode()))
        .isEqualTo(
            "01" + "0201000000000000" + "03000000" + "00000100" + "0700000000000000" + "0506");
    byte[] timed = new StrandRecord.Small(id, 65536, 7, 0x0a0b, new byte[] {5, 6}).encode();
    assertThat(HexFormat.of().formatHex(timed))
        .isEqualTo(
            "04"
                + "0201000000000000"
                + "03000000"
                + "00000100"
                + "0700000000000000"
                + "0b0a000000000000"
                + "0506");
    assertThat(((StrandRecord.Small) StrandRecord.decode(timed, "here")).modified())
        .isEqualTo(0x0a0b);
    assertThat(HexFormat.of().formatHex(new StrandRecord.InFiles(id).encode()))
        .isEqualTo("02" + "0201000000000000" + "03000000" + "00000000" + "0000000000000000");
    assertThat(HexFormat.of().formatHex(new StrandRecord.Gone(id).encode()))
        .isEqualTo("03" + "0201000000000000" + "03000000" + "00000000" + "0000000000000000");
    byte[] unknown = new StrandRecord.Gone(id).encode();
    unknown[0] = 9;
    assertThatThrownBy(() -> StrandRecord.decode(unknown, "here")).hasMessageContaining("kind 9");
  }
}
