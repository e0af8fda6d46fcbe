package org.millrace.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.millrace.access.Access;
import org.millrace.access.Pattern;
import org.millrace.access.View;
import org.millrace.cache.CacheOptions;
import org.millrace.disk.Faults;
import org.millrace.disk.FaultyDisk;
import org.millrace.disk.MemoryDisk;
import org.millrace.disk.StrandLog;
import org.millrace.env.Env;
import org.millrace.env.SeededEnv;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.layout.Layout;
import org.millrace.message.Link;
import org.millrace.message.Links;
import org.millrace.message.Message;
import org.millrace.message.Peer;
import org.millrace.protocol.NodeReply;
import org.millrace.protocol.NodeRequest;
import org.millrace.protocol.StrandId;
import org.millrace.testing.Eventually;
import org.millrace.testing.Seeds;

class NodeTest {

  private static final Env ENV = Env.real();
  private static final int FEW = 2;

  private final MemoryDisk disk = new MemoryDisk("d");
  private Node node;
  private Link link;

  @BeforeEach
  void start() {
    node =
        new Node(
            ENV,
            "node 0",
            disk,
            new NodeOptions(
                CacheOptions.of(1 << 20),
                FEW,
                1L << 40,
                2,
                1 << 20,
                1L << 31,
                0,
                true,
                0,
                CopyVerdict::of));
    link = Links.local(ENV, new Peer(1, "u"), node);
  }

  @AfterEach
  void stop() throws IOException {
    link.close();
    node.close();
  }

  private Message ask(NodeRequest request, byte[] payload) throws IOException {
    return link.call(request, MemorySegment.ofArray(payload), Env.NEVER);
  }

  private void create(long file) throws IOException {
    ask(new NodeRequest.Create(new StrandId(file, 0), Layout.DEFAULT_BLOCK_BYTES), new byte[0]);
  }

  private void put(long file, long offset, byte[] bytes) throws IOException {
    link.put(
        StrandId.key(file, 0), offset, MemorySegment.ofArray(bytes), 0, bytes.length, Env.NEVER);
  }

  private byte[] get(long file, long offset, int length) throws IOException {
    byte[] bytes = new byte[length];
    long got =
        link.get(StrandId.key(file, 0), offset, MemorySegment.ofArray(bytes), 0, length, Env.NEVER);
    return Arrays.copyOf(bytes, (int) got);
  }

  @Test
  void whatIsPutIsGotAndShortAtTheEnd() throws IOException {
    create(1);
    put(1, 10, new byte[] {1, 2, 3});
    assertThat(get(1, 9, 10)).containsExactly(0, 1, 2, 3);
    assertThat(get(1, 13, 10)).isEmpty();
  }

  @Test
  void aStrandComesIntoBeingWithItsFirstBytes() throws IOException {
    assertThat(get(7, 0, 1)).isEmpty();
    assertThat(disk.list()).containsExactly("epochs");
    put(7, 0, new byte[] {1, 2});
    assertThat(get(7, 0, 10)).containsExactly(1, 2);
    ask(new NodeRequest.Flush(new StrandId(7, 0)), new byte[0]);
    assertThat(disk.list()).contains("strands");
  }

  @Test
  void aStrandThatNobodyWroteMayStillBeMadeWithOtherBlocks() throws IOException {
    assertThat(get(7, 0, 1)).isEmpty(); // the node takes its blocks to be of the usual size
    ask(new NodeRequest.Create(new StrandId(7, 0), 4096), new byte[0]);
    put(7, 5000, new byte[] {1});
    assertThat(get(7, 5000, 10)).containsExactly(1);
    assertThatThrownBy(() -> ask(new NodeRequest.Create(new StrandId(7, 0), 8192), new byte[0]))
        .hasMessageContaining("4096");
  }

  /** The hunt found it: the second time the strand was there, but its name was not durable. */
  @Test
  void aStrandWhoseMakingFailedIsDurableWhenItSucceedsTheSecondTime() throws IOException {
    MemoryDisk memory = new MemoryDisk("d");
    FaultyDisk faulty = new FaultyDisk(memory, Faults.seeded(1));
    var options =
        new NodeOptions(
            CacheOptions.of(1 << 20),
            FEW,
            1L << 40,
            2,
            1 << 20,
            1L << 31,
            0,
            true,
            0,
            CopyVerdict::of);
    try (Node other = new Node(ENV, "node 1", faulty, options);
        Link to = Links.local(ENV, new Peer(1, "u"), other)) {
      var making = new NodeRequest.Create(new StrandId(3, 0), Layout.DEFAULT_BLOCK_BYTES);
      faulty.faults().fail(Faults.Operation.FORCE, _ -> true, 1, 1); // that of the names
      assertThatThrownBy(() -> to.call(making, MemorySegment.NULL, Env.NEVER))
          .hasMessageContaining("FORCE failed");
      to.call(making, MemorySegment.NULL, Env.NEVER);
      assertThat(StrandLog.holds(memory.crash(), 3, 0)).isTrue();
    }
  }

  @Test
  void moreStrandsThanMayBeOpenAreAllServed() throws IOException {
    int files = 5 * FEW;
    for (int f = 1; f <= files; f++) {
      create(f);
      put(f, 0, new byte[] {(byte) f});
    }
    for (int round = 0; round < 3; round++) {
      for (int f = 1; f <= files; f++) {
        assertThat(get(f, 0, 1)).containsExactly(f);
        put(f, round + 1, new byte[] {(byte) round});
      }
    }
    assertThat(get(3, 0, 4)).containsExactly(3, 0, 1, 2);
  }

  @Test
  void ranksThatUseMoreStrandsThanMayBeOpenNeverMissAByte() throws Exception {
    int threads = 4;
    int files = 3 * FEW;
    for (int f = 1; f <= files; f++) {
      create(f);
    }
    Thread[] running = new Thread[threads];
    Throwable[] failures = new Throwable[threads];
    for (int t = 0; t < threads; t++) {
      int me = t;
      running[t] =
          Thread.ofVirtual()
              .start(
                  () -> {
                    try {
                      for (int i = 0; i < 200; i++) {
                        int f = 1 + (i * 7 + me) % files;
                        put(f, me * 1000L + i, new byte[] {(byte) (i + me)});
                        assertThat(get(f, me * 1000L + i, 1)).containsExactly(i + me);
                      }
                    } catch (Throwable e) {
                      failures[me] = e;
                    }
                  });
    }
    for (Thread t : running) {
      t.join();
    }
    assertThat(failures).containsOnlyNulls();
  }

  @Test
  void gatherAndScatterFollowTheViewOnTheirStrandOnly() throws IOException {
    Layout layout = Layout.of(4, 1, 0);
    StrandId odd = new StrandId(9, 1);
    ask(new NodeRequest.Create(odd, Layout.DEFAULT_BLOCK_BYTES), new byte[0]);
    View everySecond = new View(0, Pattern.run(1), 2);
    byte[] source = {10, 11, 12, 13, 14, 15, 16, 17};
    ask(new NodeRequest.Scatter(odd, layout, new Access(everySecond, 0, 8), false), source);
    // bytes 0, 2, 4, ... 14 of the file; 4..7 and 12..15 are strand 1's
    byte[] strand = new byte[8];
    link.get(odd.key(), 0, MemorySegment.ofArray(strand), 0, 8, Env.NEVER);
    assertThat(strand).containsExactly(12, 0, 13, 0, 16, 0, 17, 0);
    byte[] target = new byte[8];
    ask(new NodeRequest.Gather(odd, layout, new Access(everySecond, 0, 8)), target);
    assertThat(target).containsExactly(0, 0, 12, 13, 0, 0, 16, 17);
  }

  /** The control is a list that is not to be flushed: nothing of it goes to the disk. */
  @Test
  void theDiskBeginsWithAListThatIsToBeFlushedBeforeTheFlushComes() throws IOException {
    int block = Layout.DEFAULT_BLOCK_BYTES;
    Layout layout = Layout.of(block, 0);
    View blocks = new View(0, Pattern.run(block), 2L * block); // every second
    Access access = new Access(blocks, 0, 2L * block);
    for (boolean toFlush : new boolean[] {false, true}) {
      create(toFlush ? 2 : 1);
      StrandId id = new StrandId(toFlush ? 2 : 1, 0);
      ask(new NodeRequest.Scatter(id, layout, access, toFlush), new byte[2 * block]);
    }
    Eventually.holds("something is written", () -> writtenBytes() > 0);
    ask(new NodeRequest.Flush(new StrandId(2, 0)), new byte[0]); // all of the second, at the latest
    assertThat(writtenBytes()).isEqualTo(2L * block);
  }

  private long writtenBytes() throws IOException {
    NodeReply.Report report = (NodeReply.Report) ask(new NodeRequest.AskReport(), new byte[0]);
    return report.counters().getOrDefault("bytesWritten", -1L);
  }

  @Test
  void removedStrandsLeaveNothingOnTheDisk() throws IOException {
    create(1);
    put(1, 0, new byte[100_000]);
    ask(new NodeRequest.Flush(new StrandId(1, 0)), new byte[0]);
    assertThat(disk.list()).isNotEmpty();
    ask(new NodeRequest.Remove(new StrandId(1, 0)), new byte[0]);
    assertThat(disk.list()).containsExactly("epochs", "strands", "strands.mark");
    assertThatThrownBy(() -> get(1, 0, 1)).isInstanceOf(MillraceException.class);
  }

  @Test
  void aStrandMadeAgainAfterRemovalIsEmpty() throws IOException {
    create(1);
    put(1, 0, new byte[] {1});
    ask(new NodeRequest.Remove(new StrandId(1, 0)), new byte[0]);
    create(1);
    assertThat(get(1, 0, 1)).isEmpty();
  }

  @Test
  void aFailedForceIsToldAndStaysInTheReport() throws IOException {
    FaultyDisk faulty = new FaultyDisk(new MemoryDisk("d"), Faults.seeded(1));
    List<String> told = new ArrayList<>();
    try (Node other = new Node(ENV, "node 1", faulty, NodeOptions.of(1 << 20));
        Link to = Links.local(ENV, new Peer(1, "u"), other)) {
      other.tellTroubles(told::add);
      StrandId id = new StrandId(3, 0);
      to.put(id.key(), 0, MemorySegment.ofArray(new byte[] {1}), 0, 1, Env.NEVER);
      faulty.faults().fail(Faults.Operation.FORCE, _ -> true, 0, 1);
      assertThatThrownBy(() -> to.call(new NodeRequest.Flush(id), MemorySegment.NULL, Env.NEVER))
          .hasMessageContaining("FORCE failed");
      to.call(new NodeRequest.Flush(id), MemorySegment.NULL, Env.NEVER);
      var report =
          (NodeReply.Report) to.call(new NodeRequest.AskReport(), MemorySegment.NULL, Env.NEVER);
      assertThat(report.counters().get("trouble.disk")).isPositive();
      assertThat(told).anyMatch(line -> line.startsWith("trouble: ") && line.contains("FORCE"));
    }
  }

  /** How many come together in one force depends on the schedule, so a seed decides it. */
  @Test
  void smallStrandsThatMakeRoomAreForcedTogether() {
    for (long seed : Seeds.of(4)) {
      SeededEnv env = SeededEnv.of(seed);
      env.run(() -> makeRoom(env));
    }
  }

  private static void makeRoom(Env env) {
    FaultyDisk disk = new FaultyDisk(new MemoryDisk("d"), Faults.seeded(1));
    AtomicInteger forces = new AtomicInteger();
    disk.faults().dropForces(file -> file.startsWith("strands") && forces.incrementAndGet() < 0);
    int files = 400;
    NodeOptions few = NodeOptions.of(1 << 20).withOpenStrands(64);
    try (Node other = new Node(env, "node 1", disk, few);
        Link to = Links.local(env, new Peer(1, "u"), other)) {
      for (int i = 1; i <= files; i++) {
        long key = new StrandId(i, 0).key();
        to.put(key, 0, MemorySegment.ofArray(new byte[] {(byte) i}), 0, 1, Env.NEVER);
      }
      assertThat(forces.get()).as("forces").isPositive().isLessThan(files / 3);
      for (int i = 1; i <= files; i++) {
        byte[] found = new byte[1];
        to.get(new StrandId(i, 0).key(), 0, MemorySegment.ofArray(found), 0, 1, Env.NEVER);
        assertThat(found[0]).isEqualTo((byte) i);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void resizeCutsAndExtendsWithZeros() throws IOException {
    create(1);
    put(1, 0, new byte[] {1, 2, 3, 4});
    ask(new NodeRequest.Resize(new StrandId(1, 0), 2), new byte[0]);
    ask(new NodeRequest.Resize(new StrandId(1, 0), 6), new byte[0]);
    assertThat(get(1, 0, 10)).containsExactly(1, 2, 0, 0, 0, 0);
    var size = (NodeReply.Count) ask(new NodeRequest.Size(new StrandId(1, 0)), new byte[0]);
    assertThat(size.bytes()).isEqualTo(6);
  }

  @Test
  void extendNeverCuts() throws IOException {
    create(1);
    put(1, 0, new byte[] {1, 2, 3, 4});
    ask(new NodeRequest.Extend(new StrandId(1, 0), 2), new byte[0]);
    assertThat(get(1, 0, 10)).containsExactly(1, 2, 3, 4);
    ask(new NodeRequest.Extend(new StrandId(1, 0), 6), new byte[0]);
    assertThat(get(1, 0, 10)).containsExactly(1, 2, 3, 4, 0, 0);
  }

  @Test
  void aForeignRequestIsRefused() {
    assertThatThrownBy(() -> link.call(new Message() {}, MemorySegment.NULL, Env.NEVER))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.PROTOCOL));
  }

  @Test
  void afterClosingEverythingIsDurableAndRefused() throws IOException {
    create(1);
    put(1, 0, new byte[] {5});
    node.close();
    assertThatThrownBy(() -> get(2, 0, 1)).isInstanceOf(MillraceException.class);
    MemoryDisk after = disk.crash();
    try (Node again = new Node(ENV, "node 0", after, NodeOptions.of(1 << 20))) {
      byte[] bytes = new byte[1];
      again.onGet(new Peer(1, "u"), StrandId.key(1, 0), 0, MemorySegment.ofArray(bytes), 0, 1);
      assertThat(bytes).containsExactly(5);
    }
  }
}
