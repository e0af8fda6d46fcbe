package org.millrace.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.millrace.disk.Faults.Operation;
import org.millrace.error.CorruptBlockException;
import org.millrace.testing.Seeds;

/** The log gives back what was appended, cuts a torn end, and survives one bad sector. */
final class LogTest {

  private static final int SECTOR = LogFrame.SECTOR;

  /** The smallest sector of disks: several of them are one of the log's. */
  private static final int SMALL_SECTOR = 512;

  private static List<byte[]> batch(String... records) {
    List<byte[]> batch = new ArrayList<>();
    for (String record : records) {
      batch.add(record.getBytes(StandardCharsets.US_ASCII));
    }
    return batch;
  }

  private static List<String> texts(Log log) {
    return log.takeRecords().stream().map(r -> new String(r, StandardCharsets.US_ASCII)).toList();
  }

  /** A disk with a log of three batches; fills {@code ends} with the sizes after each. */
  private static MemoryDisk written(List<Long> ends) throws IOException {
    MemoryDisk disk = new MemoryDisk("memory");
    Log log = Log.create(disk.create("log"), 1);
    disk.force();
    ends.add(log.size());
    for (List<byte[]> batch :
        List.of(batch("one", "", "two"), batch("a longer third record"), batch("x"))) {
      log.append(batch);
      ends.add(log.size());
    }
    return disk;
  }

  private static final List<List<String>> AFTER =
      List.of(
          List.of(),
          List.of("one", "", "two"),
          List.of("one", "", "two", "a longer third record"),
          List.of("one", "", "two", "a longer third record", "x"));

  private static DiskFile with(byte[] content) throws IOException {
    DiskFile file = new MemoryDisk("memory").create("log");
    int written = content.length; // a log ends with much room, and these tests make many logs
    while (written > 0 && content[written - 1] == 0) {
      written--;
    }
    file.write(0, MemorySegment.ofArray(content).asSlice(0, written));
    file.resize(content.length);
    file.force();
    return file;
  }

  private static byte[] content(MemoryDisk disk) throws IOException {
    DiskFile file = disk.open("log");
    byte[] content = new byte[(int) file.size()];
    file.read(0, MemorySegment.ofArray(content));
    return content;
  }

  @Test
  void recordsAreReplayedAndMoreCanFollow() throws IOException {
    MemoryDisk disk = written(new ArrayList<>()).crash();
    Log log = Log.open(disk.open("log"));
    assertThat(texts(log)).isEqualTo(AFTER.get(3));
    assertThat(log.takeRecords()).isEmpty();
    assertThat(log.cutBytes()).isZero();
    log.append(batch("y"));
    assertThat(texts(Log.open(disk.crash().open("log")))).endsWith("x", "y").hasSize(6);
  }

  @Test
  void aLogThatWasCutAnywhereIsAnError() throws IOException {
    byte[] content = content(written(new ArrayList<>()));
    assertThat(content).hasSize(2 * Log.ROOM);
    for (int length = 0; length < content.length; length += length < 2 * SECTOR ? 1 : 997) {
      DiskFile file = with(Arrays.copyOf(content, length));
      assertThatThrownBy(() -> Log.open(file))
          .as("length " + length)
          .isInstanceOf(CorruptBlockException.class)
          .hasMessageContaining(length < SECTOR ? "not a log" : "was cut");
    }
  }

  @Test
  void aLogGrowsBeyondItsRoomAndIsAnErrorIfCutThere() throws IOException {
    MemoryDisk disk = new MemoryDisk("memory");
    Log log = Log.create(disk.create("log"), 1);
    for (int i = 0; i < 100; i++) {
      log.append(batch("record " + i));
    }
    assertThat(log.size()).isGreaterThan(Log.ROOM);
    disk.force();
    byte[] content = content(disk.crash());
    assertThat(texts(Log.open(with(content)))).hasSize(100).endsWith("record 99");
    for (int length = SECTOR; length < content.length; length += SECTOR) {
      DiskFile file = with(Arrays.copyOf(content, length));
      assertThatThrownBy(() -> Log.open(file))
          .as("length " + length)
          .isInstanceOf(CorruptBlockException.class);
    }
  }

  /** The control of the next: both copies of one frame gone is more than one bad sector. */
  @Test
  void bothCopiesDestroyedIsDamageUnlessItIsTheLastBatch() throws IOException {
    List<Long> ends = new ArrayList<>();
    byte[] content = content(written(ends));
    for (int frame = 0; frame < 3; frame++) {
      byte[] bad = content.clone();
      Arrays.fill(bad, ends.get(frame).intValue(), ends.get(frame + 1).intValue(), (byte) 9);
      DiskFile file = with(bad);
      if (frame < 2) {
        assertThatThrownBy(() -> Log.open(file))
            .isInstanceOf(CorruptBlockException.class)
            .hasMessageContaining("at offset " + ends.get(frame));
      } else {
        Log log = Log.open(file);
        assertThat(texts(log)).isEqualTo(AFTER.get(2));
        assertThat(log.cutBytes()).isEqualTo(ends.get(3) - ends.get(2));
      }
    }
  }

  @Test
  void everyFlippedBitIsRepaired() throws IOException {
    List<Long> ends = new ArrayList<>();
    byte[] content = content(written(ends));
    int used = ends.getLast().intValue();
    for (int bit = 0; bit < 8 * used; bit += bit / 8 % SECTOR < 64 ? 1 : 997) {
      byte[] flipped = content.clone();
      flipped[bit / 8] ^= (byte) (1 << bit % 8);
      checkRepaired(flipped);
    }
  }

  @Test
  void everyZeroedOrSwappedSectorIsRepaired() throws IOException {
    List<Long> ends = new ArrayList<>();
    byte[] content = content(written(ends));
    int used = ends.getLast().intValue();
    for (int bytes : new int[] {SECTOR, SMALL_SECTOR}) {
      for (int sector = 0; sector < used; sector += bytes) {
        byte[] zeroed = content.clone();
        Arrays.fill(zeroed, sector, sector + bytes, (byte) 0);
        checkRepaired(zeroed);
        for (int other = 0; other < used; other += SECTOR) { // only the first part is ever used
          byte[] swapped = content.clone();
          System.arraycopy(content, other, swapped, sector, bytes);
          System.arraycopy(content, sector, swapped, other, bytes);
          checkRepaired(swapped);
        }
      }
    }
  }

  private static void checkRepaired(byte[] rotten) throws IOException {
    DiskFile file = with(rotten);
    Log log = Log.open(file);
    assertThat(texts(log)).isEqualTo(AFTER.get(3));
    Log again = Log.open(file);
    assertThat(again.repaired()).isZero();
    assertThat(texts(again)).isEqualTo(AFTER.get(3));
  }

  @Test
  void aFrameOfManySectorsSurvivesTheLossOfAnyOfThem() throws IOException {
    MemoryDisk disk = new MemoryDisk("memory");
    Log log = Log.create(disk.create("log"), 5);
    String large = "x".repeat(6 * SECTOR);
    log.append(batch("first"));
    log.append(batch(large, "y"));
    log.append(batch("last"));
    byte[] content = content(disk);
    for (int sector = 0; sector < log.size(); sector += SECTOR) {
      byte[] zeroed = content.clone();
      Arrays.fill(zeroed, sector, sector + SECTOR, (byte) 0);
      assertThat(texts(Log.open(with(zeroed)))).containsExactly("first", large, "y", "last");
    }
  }

  /** Sectors of different places in the two copies of one frame: both are bad then. */
  @Test
  void twoSectorsOfTheLastFrameThatChangedPlacesTakeNothingAway() throws IOException {
    MemoryDisk disk = new MemoryDisk("memory");
    Log log = Log.create(disk.create("log"), 5);
    log.append(batch("first"));
    int from = (int) log.size();
    StringBuilder large = new StringBuilder();
    for (int i = 0; large.length() < 2 * SECTOR; i++) {
      large.append(i).append(' ');
    }
    log.append(batch(large.toString()));
    byte[] content = content(disk);
    int to = (int) log.size();
    for (int one = from; one < to; one += SMALL_SECTOR) {
      for (int other = from; other < one; other += SMALL_SECTOR) {
        byte[] swapped = content.clone();
        System.arraycopy(content, other, swapped, one, SMALL_SECTOR);
        System.arraycopy(content, one, swapped, other, SMALL_SECTOR);
        DiskFile file = with(swapped);
        assertThat(texts(Log.open(file)))
            .as("%d and %d", one, other)
            .containsExactly("first", large.toString());
        assertThat(Log.open(file).repaired()).isZero();
      }
    }
  }

  @Test
  void aCutWithinALargeFrameIsNotTakenForATornEnd() throws IOException {
    MemoryDisk disk = new MemoryDisk("memory");
    Log log = Log.create(disk.create("log"), 5);
    log.append(batch("first"));
    int from = (int) log.size();
    log.append(batch("x".repeat(3 * Log.ROOM)));
    byte[] content = content(disk);
    for (int length = from + SECTOR; length < log.size(); length += 16 * SECTOR + 1) {
      DiskFile file = with(Arrays.copyOf(content, length));
      assertThatThrownBy(() -> Log.open(file))
          .as("length " + length)
          .isInstanceOf(CorruptBlockException.class)
          .hasMessageContaining("was cut");
    }
  }

  @Test
  void aMarkTellsAnOlderLogFromTheLast() throws IOException {
    List<Long> ends = new ArrayList<>();
    MemoryDisk disk = written(ends);
    Log whole = Log.open(disk.open("log"));
    EndMark.of(whole).write(disk.create("mark"));
    EndMark mark = EndMark.read(disk, "mark").orElseThrow();
    assertThat(mark).isEqualTo(new EndMark(1, 3));
    assertThat(mark.isAhead(EndMark.of(whole))).isFalse();
    byte[] before = content(disk);
    Arrays.fill(before, ends.get(2).intValue(), before.length, (byte) 0);
    Log cut = Log.open(with(before));
    assertThat(mark.isAhead(EndMark.of(cut))).isTrue();
    assertThat(mark.isAhead(new EndMark(2, 0))).as("written anew").isFalse();
    for (int bit = 0; bit < 8 * 36; bit++) {
      FaultyDisk faulty = new FaultyDisk(disk, Faults.seeded(1));
      faulty.flipBit("mark", bit);
      assertThat(EndMark.read(disk, "mark").filter(m -> !m.equals(mark))).isEmpty();
      faulty.flipBit("mark", bit);
    }
  }

  @Test
  void whatIsNoLogIsRefused() throws IOException {
    byte[] earlier = "MILLLOG1".getBytes(StandardCharsets.US_ASCII);
    for (byte[] content : List.of(new byte[0], new byte[512], new byte[2048], earlier)) {
      assertThatThrownBy(() -> Log.open(with(content)))
          .isInstanceOf(CorruptBlockException.class)
          .hasMessageContaining("not a log");
    }
  }

  @Test
  void crashAtEveryOperationLeavesWholeAcknowledgedBatches() throws IOException {
    for (long seed : Seeds.of(50)) {
      for (int operations = 0; operations < 14; operations++) {
        MemoryDisk memory = new MemoryDisk("memory");
        Log.create(memory.create("log"), 3).close();
        memory.force();
        FaultyDisk disk = new FaultyDisk(memory, Faults.seeded(seed).cutPowerAfter(operations));
        int acknowledged = 0;
        try {
          Log log = Log.open(disk.open("log"));
          for (int i = 0; i < 5; i++) {
            log.append(batch("a" + i, "b".repeat(700), "c" + i));
            acknowledged++;
          }
        } catch (IOException e) {
          assertThat(e).hasMessageContaining("no power");
        }
        List<String> left = texts(Log.open(memory.crash(seed + operations).open("log")));
        assertThat(left.size()).as(Seeds.replay(seed)).isIn(3 * acknowledged, 3 * acknowledged + 3);
        if (acknowledged > 0) {
          assertThat(left.get(3 * acknowledged - 1)).isEqualTo("c" + (acknowledged - 1));
        }
      }
    }
  }

  @Test
  void failedAppendIsFinalUntilTheLogIsOpenedAgain() throws IOException {
    Faults faults = Faults.seeded(1);
    FaultyDisk disk = new FaultyDisk(new MemoryDisk("memory"), faults);
    Log log = Log.create(disk.create("log"), 1);
    log.append(batch("a"));
    faults.fail(Operation.WRITE, name -> true, 0, 1);
    assertThatThrownBy(() -> log.append(batch("b"))).hasMessageContaining("injected");
    assertThatThrownBy(() -> log.append(batch("c"))).hasMessageContaining("earlier append");
    Log again = Log.open(disk.open("log"));
    assertThat(texts(again)).containsExactly("a");
    again.append(batch("d"));
  }

  @Test
  void tooLargeAFrameIsRefused() throws IOException {
    Log log = Log.create(new MemoryDisk("memory").create("log"), 1);
    assertThatThrownBy(() -> log.append(List.of(new byte[Log.MAX_FRAME_BYTES])))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("at most " + Log.MAX_FRAME_BYTES);
  }
}
