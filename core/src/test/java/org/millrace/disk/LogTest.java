package org.millrace.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.millrace.disk.Faults.Operation;
import org.millrace.error.CorruptBlockException;
import org.millrace.testing.Seeds;

/** The log gives back what was appended, cuts a torn end, and refuses damage. */
final class LogTest {

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
    Log log = Log.open(disk.create("log"));
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
    file.write(0, MemorySegment.ofArray(content));
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
  void truncationAtEveryLengthLeavesTheWholeBatches() throws IOException {
    List<Long> ends = new ArrayList<>();
    byte[] content = content(written(ends));
    for (int length = 0; length <= content.length; length++) {
      DiskFile file = with(java.util.Arrays.copyOf(content, length));
      Log log = Log.open(file);
      int whole = 0;
      for (int i = 0; i < ends.size(); i++) {
        whole = ends.get(i) <= length ? i : whole;
      }
      assertThat(texts(log)).as("length " + length).isEqualTo(AFTER.get(whole));
      long kept = length < ends.get(0) ? 0 : ends.get(whole);
      assertThat(log.cutBytes()).as("length " + length).isEqualTo(length - kept);
      log.append(batch("next"));
      assertThat(texts(Log.open(file))).endsWith("next").hasSize(AFTER.get(whole).size() + 1);
    }
  }

  @Test
  void flipAtEveryBitIsDamageUnlessItIsTheLastBatch() throws IOException {
    List<Long> ends = new ArrayList<>();
    byte[] content = content(written(ends));
    for (int bit = 0; bit < 8 * content.length; bit++) {
      byte[] flipped = content.clone();
      flipped[bit / 8] ^= (byte) (1 << bit % 8);
      DiskFile file = with(flipped);
      if (bit / 8 < ends.get(2)) {
        int at = bit / 8;
        long frame = ends.stream().filter(e -> e <= at).max(Long::compare).orElse(0L);
        assertThatThrownBy(() -> Log.open(file))
            .as("bit " + bit)
            .isInstanceOf(CorruptBlockException.class)
            .hasMessageContaining("at offset " + frame);
      } else {
        Log log = Log.open(file);
        assertThat(texts(log)).as("bit " + bit).isEqualTo(AFTER.get(2));
        assertThat(log.cutBytes()).isEqualTo(ends.get(3) - ends.get(2));
      }
    }
  }

  @Test
  void crashAtEveryOperationLeavesWholeAcknowledgedBatches() throws IOException {
    for (long seed : Seeds.of(50)) {
      for (int operations = 0; operations < 14; operations++) {
        MemoryDisk memory = new MemoryDisk("memory");
        memory.create("log");
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
    Log log = Log.open(disk.create("log"));
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
    Log log = Log.open(new MemoryDisk("memory").create("log"));
    assertThatThrownBy(() -> log.append(List.of(new byte[Log.MAX_FRAME_BYTES])))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("at most " + Log.MAX_FRAME_BYTES);
  }
}
