package org.millrace.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.layout.Layout;
import org.millrace.message.Link;
import org.millrace.message.MappedSlabs;
import org.millrace.protocol.NodeReply;
import org.millrace.protocol.NodeRequest;
import org.millrace.testing.Eventually;
import org.millrace.testing.Seeds;

/** Large writes into blocks that a real node keeps ahead of them, over a real connection. */
final class SequentialWritesTest {

  private static final int BLOCK = 4096;
  private static final int UNIT = 3 * BLOCK;
  private static final int WRITE = 10 * BLOCK + 100;
  private static final long MINUTE = 60_000_000_000L;

  @TempDir private Path directory;

  private final Layout layout = new Layout(UNIT, BLOCK, List.of(0, 1));
  private @Nullable NodeInReach there;
  private byte[] model = new byte[0];

  @AfterEach
  void close() throws IOException {
    if (there != null) {
      there.close();
    }
  }

  /** A node that has both strands, and the file as one session sees it. */
  private Strands start(long pinNanos) throws IOException {
    NodeInReach made = new NodeInReach(directory, layout, pinNanos);
    there = made;
    return made.open();
  }

  private NodeInReach there() {
    return Objects.requireNonNull(there);
  }

  private long counter(String name) throws IOException {
    return there().counter(name);
  }

  /** Writes at the end of what was written, and looks whether others know the size. */
  private void write(Strands to, Random random, int bytes) throws IOException {
    byte[] more = new byte[bytes];
    random.nextBytes(more);
    to.write(model.length, MemorySegment.ofArray(more), 0, bytes);
    int end = model.length;
    model = Arrays.copyOf(model, end + bytes);
    System.arraycopy(more, 0, model, end, bytes);
    long[] ends = new long[layout.strands()];
    for (int s = 0; s < ends.length; s++) {
      ends[s] =
          ((NodeReply.Count) there().ask(new NodeRequest.Size(NodeInReach.strand(s)))).bytes();
    }
    assertThat(layout.fileSize(ends)).isEqualTo(model.length);
  }

  private void check(Strands from) throws IOException {
    byte[] all = new byte[model.length + 1];
    assertThat(from.read(0, MemorySegment.ofArray(all), 0, all.length)).isEqualTo(model.length);
    assertThat(Arrays.copyOf(all, model.length)).isEqualTo(model);
  }

  @Test
  void writesThatFollowEachOtherNeedFewMessages() throws IOException {
    Strands file = start(MINUTE);
    Random random = new Random(1);
    for (int i = 0; i < 10; i++) {
      write(file, random, WRITE);
    }
    long before = counter("pin.count");
    long lists = counter("list.count") + counter("put.count");
    for (int i = 0; i < 100; i++) {
      write(file, random, WRITE);
    }
    long span = (long) KeptWindow.maxBlocks(BLOCK) * BLOCK;
    long windows = 100L * WRITE / span + 2L * layout.strands() + 4;
    assertThat(counter("pin.count") - before).isLessThanOrEqualTo(windows);
    assertThat(counter("list.count") + counter("put.count")).isEqualTo(lists);
    check(file);
    file.close();
    Eventually.holds("what was kept is given back", () -> counter("pinnedBytes") == 0);
    write(file, random, WRITE);
    check(file);
  }

  @Test
  void writesWithGapsAreMessages() throws IOException {
    Strands file = start(MINUTE);
    MemorySegment bytes = MemorySegment.ofArray(new byte[WRITE]);
    for (int i = 0; i < 50; i++) {
      file.write((long) i * (WRITE + 1), bytes, 0, WRITE);
    }
    assertThat(counter("pin.count") + counter("list.count")).isGreaterThanOrEqualTo(50);
  }

  @Test
  void aNodeThatTakesBlocksAwayAllTheTimeLosesNothing() throws IOException {
    Strands file = start(1_000_000);
    Random random = new Random(2);
    for (int i = 0; i < 300; i++) {
      write(file, random, 1 + random.nextInt(2 * WRITE));
    }
    check(file);
    Eventually.holds("nothing is kept for long", () -> counter("pinnedBytes") == 0);
    assertThat(counter("quarantinedBlocks")).isZero();
  }

  @Test
  void cutsFlushesAndWritesElsewhereChangeNothing() throws IOException {
    for (long seed : Seeds.of(3)) {
      model = new byte[0];
      Random random = new Random(seed);
      Strands file = start(MINUTE);
      for (int i = 0; i < 200; i++) {
        switch (random.nextInt(12)) {
          case 0 -> file.flush();
          case 1 -> {
            int size = model.length - random.nextInt(Math.min(model.length, WRITE) + 1);
            file.resize(size);
            model = Arrays.copyOf(model, size);
          }
          case 2 -> {
            int at = random.nextInt(model.length + 1);
            byte[] some = new byte[Math.min(model.length - at, WRITE)];
            random.nextBytes(some);
            file.write(at, MemorySegment.ofArray(some), 0, some.length);
            System.arraycopy(some, 0, model, at, some.length);
          }
          case 3 -> check(file);
          default -> write(file, random, WRITE);
        }
      }
      check(file);
      close();
    }
  }

  @Test
  void aLinkThatReturnsTakesNoWriteIntoOtherMemoryThanItsNodes() throws IOException {
    start(MINUTE);
    Link real = there().link();
    try (Link other = there().connect()) {
      MappedSlabs mine = Objects.requireNonNull(real.reached());
      MappedSlabs others = Objects.requireNonNull(other.reached());
      Link returning = new ReturningLink(there().carrier(), 0, () -> null);
      assertThat(returning.beginWriteInto(others)).isFalse();
      assertThat(returning.beginWriteInto(mine)).isTrue();
      returning.endWriteInto(true);
    }
  }
}
