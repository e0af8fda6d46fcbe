package org.millrace.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.disk.MemoryDisk;
import org.millrace.env.Env;
import org.millrace.message.Acceptor;
import org.millrace.message.Link;
import org.millrace.message.Links;
import org.millrace.message.MappedSlabs;
import org.millrace.message.Message;
import org.millrace.message.Peer;
import org.millrace.message.Transport;
import org.millrace.message.TransportOptions;
import org.millrace.node.Node;
import org.millrace.node.NodeOptions;
import org.millrace.protocol.KeptCells;
import org.millrace.protocol.NodeReply;
import org.millrace.protocol.NodeRequest;
import org.millrace.protocol.PinnedBlocks.WantedBlocks;
import org.millrace.protocol.StrandId;
import org.millrace.protocol.WireCodec;
import org.millrace.testing.Eventually;
import org.millrace.wire.Address;
import org.millrace.wire.HostMemory;
import org.millrace.wire.Net;

/** Small writes into blocks that a real node keeps for them, over a real connection. */
final class KeptBlocksTest {

  private static final int BLOCK = 4096;
  private static final int RECORD = 100;
  private static final int WRITERS = 4;
  private static final StrandId STRAND = new StrandId(7, 0);
  private static final long MINUTE = 60_000_000_000L;

  @TempDir private Path directory;

  private final Env env = Env.real();
  private Transport transport;
  private @Nullable Node node;
  private @Nullable Acceptor acceptor;
  private @Nullable Link near;
  private @Nullable Link link;

  @BeforeEach
  void open() {
    transport = Transport.open(env, WireCodec.INSTANCE, TransportOptions.DEFAULT, Net.SOCKETS);
    assumeTrue(!transport.host().process().isEmpty(), "this system has no memory to share");
  }

  @AfterEach
  void close() throws IOException {
    for (Link one : Arrays.asList(near, link)) {
      if (one != null) {
        one.close();
      }
    }
    if (acceptor != null) {
      acceptor.close();
    }
    if (node != null) {
      node.close();
    }
    transport.close();
  }

  private Link start(int cacheBlocks, long pinNanos) throws IOException {
    NodeOptions options = NodeOptions.of((long) cacheBlocks * BLOCK).withPinNanos(pinNanos);
    Node made = new Node(env, "node 0", new MemoryDisk("d"), options, transport.host());
    node = made;
    Acceptor opened = transport.listen(socket());
    acceptor = opened;
    opened.serve("node 0", made);
    near = Links.local(env, new Peer(1000, "test", List.of(), true), made);
    ask(new NodeRequest.Create(STRAND, BLOCK));
    Link connected = transport.connect(socket(), "node 0", deadline());
    link = connected;
    return connected;
  }

  private Address socket() {
    return new Address.Unix(directory.resolve("socket").toString());
  }

  private long deadline() {
    return env.deadlineAfter(MINUTE);
  }

  private Message ask(NodeRequest request) throws IOException {
    return Objects.requireNonNull(near).call(request, MemorySegment.NULL, deadline());
  }

  private long counter(String name) throws IOException {
    var report = (NodeReply.Report) ask(new NodeRequest.AskReport());
    return Objects.requireNonNull(report.counters().get(name), name);
  }

  private long size() throws IOException {
    return ((NodeReply.Count) ask(new NodeRequest.Size(STRAND))).bytes();
  }

  /** Appends records as {@link Strands} does; returns how many went by a put. */
  private int append(KeptBlocks kept, Link by, int from, int to) throws IOException {
    int puts = 0;
    for (int i = from; i < to; i++) {
      byte[] bytes = new byte[RECORD];
      Arrays.fill(bytes, (byte) i);
      MemorySegment memory = MemorySegment.ofArray(bytes);
      if (!kept.tryWrite(by, (long) i * RECORD, memory, 0, RECORD)) {
        by.put(STRAND.key(), (long) i * RECORD, memory, 0, RECORD, MINUTE);
        puts++;
      }
      assertThat(size()).isEqualTo((i + 1L) * RECORD);
    }
    return puts;
  }

  private KeptBlocks keeper() {
    return new KeptBlocks(env, MINUTE, STRAND, BLOCK, HostMemory.MIN_WRITES);
  }

  private void check(int records) throws IOException {
    byte[] all = new byte[records * RECORD];
    long got =
        Objects.requireNonNull(near)
            .get(STRAND.key(), 0, MemorySegment.ofArray(all), 0, all.length, MINUTE);
    assertThat(got).isEqualTo(all.length);
    for (int i = 0; i < all.length; i++) {
      assertThat(all[i]).isEqualTo((byte) (i / RECORD));
    }
  }

  @Test
  void writesThatFollowEachOtherNeedNoMessages() throws IOException {
    Link by = start(1024, MINUTE);
    assertThat(append(keeper(), by, 0, 1000)).isLessThan(10);
    assertThat(counter("put.count")).isLessThan(10);
    check(1000);
  }

  @Test
  void scatteredWritesGoByPuts() throws IOException {
    Link by = start(1024, MINUTE);
    KeptBlocks kept = keeper();
    MemorySegment bytes = MemorySegment.ofArray(new byte[RECORD]);
    for (int i = 0; i < 100; i++) {
      assertThat(kept.tryWrite(by, i * 1_000_003L % 50 << 20, bytes, 0, RECORD)).isFalse();
    }
  }

  @Test
  void whatIsKeptIsGivenBackAndTheFileCanBeUsedOn() throws IOException {
    Link by = start(1024, MINUTE);
    KeptBlocks kept = keeper();
    append(kept, by, 0, 100);
    assertThat(counter("pinnedBytes")).isPositive();
    kept.close();
    Eventually.holds("its memory is given back", () -> counter("pinnedBytes") == 0);
    append(kept, by, 100, 200);
    check(200);
  }

  @Test
  void aNodeThatTakesBlocksAwayAllTheTimeLosesNothing() throws IOException {
    Link by = start(1024, 1_000_000);
    KeptBlocks kept = keeper();
    append(kept, by, 0, 3000);
    check(3000);
    Eventually.holds("nothing is kept for long", () -> counter("pinnedBytes") == 0);
    assertThat(counter("quarantinedBlocks")).isZero();
  }

  /**
   * Each record is there for others as soon as its write has returned, and at the end, though the
   * node takes blocks away, is flushed, and other records go to the same blocks.
   */
  @Test
  void writersOfTheSameBlocksLoseNothingWhileTheseAreTakenAway() throws IOException {
    start(1024, 1_000_000);
    AtomicInteger next = new AtomicInteger();
    try (ExecutorService threads = Executors.newFixedThreadPool(WRITERS)) {
      List<CompletableFuture<Void>> all = new ArrayList<>();
      for (int w = 0; w < WRITERS; w++) {
        all.add(CompletableFuture.runAsync(() -> appendBeside(next, 4000), threads));
      }
      all.forEach(CompletableFuture::join);
    }
    check(4000);
    Eventually.holds("nothing is kept for long", () -> counter("pinnedBytes") == 0);
    assertThat(counter("quarantinedBlocks")).isZero();
  }

  private void appendBeside(AtomicInteger next, int records) {
    try (Link by = transport.connect(socket(), "node 0", deadline())) {
      KeptBlocks kept = keeper();
      byte[] found = new byte[RECORD];
      for (int i = next.getAndIncrement(); i < records; i = next.getAndIncrement()) {
        byte[] bytes = new byte[RECORD];
        Arrays.fill(bytes, (byte) i);
        MemorySegment memory = MemorySegment.ofArray(bytes);
        long at = (long) i * RECORD;
        if (!kept.tryWrite(by, at, memory, 0, RECORD)) {
          by.put(STRAND.key(), at, memory, 0, RECORD, MINUTE);
        }
        if (i % 3 == 0) {
          long got =
              Objects.requireNonNull(near)
                  .get(STRAND.key(), at, MemorySegment.ofArray(found), 0, RECORD, MINUTE);
          assertThat(got).isEqualTo(RECORD);
          assertThat(found).isEqualTo(bytes);
        } else if (i % 100 == 1) {
          ask(new NodeRequest.Flush(STRAND));
        }
      }
      kept.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void aHolderThatStallsInAWriteIsPassedBy() throws IOException {
    Link by = start(1024, 50_000_000);
    MappedSlabs slabs = Objects.requireNonNull(by.reached());
    var request =
        new NodeRequest.Keep(
            STRAND, BLOCK, slabs.process(), List.of(new WantedBlocks(0, 2, false)), 0);
    var stalled = (NodeReply.Kept) by.call(request, MemorySegment.NULL, deadline());
    MemorySegment cells =
        Objects.requireNonNull(NodeSlabs.mapCells(by, slabs, deadline()), "can be mapped");
    assertThat(KeptCells.begin(cells, stalled.cell(), stalled.pin())).isTrue();
    KeptBlocks kept = keeper();
    append(kept, by, 0, 20);
    Eventually.holds("its blocks are taken away", () -> counter("quarantinedBlocks") == 2);
    append(kept, by, 20, 100);
    assertThat(KeptCells.end(cells, stalled.cell(), stalled.pin(), 1, 50_000)).isFalse();
    var returned = new NodeRequest.Keep(STRAND, BLOCK, slabs.process(), List.of(), stalled.pin());
    by.call(returned, MemorySegment.NULL, deadline());
    Eventually.holds("its memory is given back", () -> counter("quarantinedBlocks") == 0);
    check(100);
  }

  @Test
  void aCutEndsWhatIsKept() throws IOException {
    Link by = start(1024, MINUTE);
    KeptBlocks kept = keeper();
    append(kept, by, 0, 100);
    ask(new NodeRequest.Resize(STRAND, 50 * RECORD));
    assertThat(size()).isEqualTo(50 * RECORD);
    append(kept, by, 50, 120);
    check(120);
  }

  /** Found by the hunt: a node that was killed had writes acknowledged until it was back. */
  @Test
  void nothingIsWrittenIntoTheMemoryOfANodeThatCannotBeReached() throws IOException {
    Link real = start(1024, MINUTE);
    AtomicBoolean connected = new AtomicBoolean(true);
    Link by =
        (Link)
            Proxy.newProxyInstance(
                Link.class.getClassLoader(),
                new Class<?>[] {Link.class},
                (_, method, arguments) ->
                    method.getName().equals("isConnected")
                        ? connected.get()
                        : method.invoke(real, arguments));
    KeptBlocks kept = keeper();
    append(kept, by, 0, 100);
    MemorySegment memory = MemorySegment.ofArray(new byte[RECORD]);
    connected.set(false);
    assertThat(kept.tryWrite(by, 100 * RECORD, memory, 0, RECORD)).isFalse();
    connected.set(true);
    assertThat(kept.tryWrite(by, 100 * RECORD, memory, 0, RECORD)).as("again").isTrue();
  }

  @Test
  void whatASessionKeptIsClosedWhenItEnds() throws IOException {
    Link by = start(1024, MINUTE);
    KeptBlocks kept = keeper();
    append(kept, by, 0, 100);
    by.close();
    assertThat(kept.tryWrite(by, 100 * RECORD, MemorySegment.ofArray(new byte[1]), 0, 1)).isFalse();
    Eventually.holds("nothing is kept", () -> counter("pinnedBytes") == 0);
    check(100);
  }
}
