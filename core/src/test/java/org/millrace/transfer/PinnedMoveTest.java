package org.millrace.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Lock;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.access.Access;
import org.millrace.access.Pattern;
import org.millrace.access.View;
import org.millrace.disk.MemoryDisk;
import org.millrace.env.Env;
import org.millrace.env.Signal;
import org.millrace.env.ThreadKind;
import org.millrace.env.Work;
import org.millrace.error.MillraceException;
import org.millrace.layout.Layout;
import org.millrace.message.Acceptor;
import org.millrace.message.Link;
import org.millrace.message.Links;
import org.millrace.message.MappedSlabs;
import org.millrace.message.Message;
import org.millrace.message.Payload;
import org.millrace.message.Peer;
import org.millrace.message.Transport;
import org.millrace.message.TransportOptions;
import org.millrace.node.Node;
import org.millrace.node.NodeOptions;
import org.millrace.protocol.NodeReply;
import org.millrace.protocol.NodeRequest;
import org.millrace.protocol.PinnedBlocks;
import org.millrace.protocol.StrandId;
import org.millrace.protocol.WireCodec;
import org.millrace.testing.Eventually;
import org.millrace.wire.Address;
import org.millrace.wire.Net;

/** Copies between a rank's memory and pinned blocks of a real node, over a real connection. */
final class PinnedMoveTest {

  private static final int BLOCK = 4096;
  private static final int BLOCKS = 64;
  private static final long FEW = 5; // windows of 16, 32 and 16 blocks, and what gives them back
  private static final StrandId STRAND = new StrandId(7, 0);
  private static final Layout LAYOUT = new Layout(BLOCK, BLOCK, List.of(0));

  /** Every second kibibyte of all blocks. */
  private static final Access ACCESS =
      new Access(new View(0, Pattern.run(1024), 2048), 0, BLOCKS * BLOCK / 2);

  @TempDir private Path directory;

  private Env env = Env.real();
  private Env ofNode = env;
  private final List<NodeRequest> asked = new ArrayList<>();
  private final List<Integer> announcedAfter = new ArrayList<>();
  private Transport transport;
  private @Nullable Node node;
  private @Nullable Acceptor acceptor;
  private @Nullable Link near;
  private final AtomicBoolean open = new AtomicBoolean();
  private @Nullable KnownBlocks known;
  private boolean connected = true;

  @BeforeEach
  void open() {
    transport = Transport.open(env, WireCodec.INSTANCE, TransportOptions.DEFAULT, Net.SOCKETS);
    assumeTrue(!transport.host().process().isEmpty(), "this system has no memory to share");
  }

  @AfterEach
  void close() throws IOException {
    if (near != null) {
      near.close();
    }
    if (acceptor != null) {
      acceptor.close();
    }
    if (node != null) {
      node.close();
    }
    transport.close();
  }

  /** A link to a new node with an empty strand, whose requests are written down. */
  private Link start(int cacheBlocks, long pinNanos, WatchedLink.Before before) throws IOException {
    NodeOptions options = NodeOptions.of((long) cacheBlocks * BLOCK).withPinNanos(pinNanos);
    Node made = new Node(ofNode, "node 0", new MemoryDisk("d"), options, transport.host());
    node = made;
    Address socket = new Address.Unix(directory.resolve("socket").toString());
    Acceptor opened = transport.listen(socket);
    acceptor = opened;
    opened.serve("node 0", made);
    near = Links.local(env, new Peer(1000, "test", List.of(), true), made);
    ask(new NodeRequest.Create(STRAND, BLOCK));
    return new WatchedLink(
        transport.connect(socket, "node 0", deadline()),
        request -> {
          before.sent(request);
          asked.add(request);
        },
        () -> connected);
  }

  private long deadline() {
    return env.deadlineAfter(60_000_000_000L);
  }

  private Message ask(NodeRequest request) throws IOException {
    return Objects.requireNonNull(near).call(request, MemorySegment.NULL, deadline());
  }

  private long counter(String name) throws IOException {
    var report = (NodeReply.Report) ask(new NodeRequest.AskReport());
    return Objects.requireNonNull(report.counters().get(name), name);
  }

  private void move(Link link, boolean write, byte[] memory, int first, int max)
      throws IOException {
    MappedSlabs slabs = Objects.requireNonNull(link.reached());
    PinTarget strand = new PinTarget(env, link, slabs, STRAND, LAYOUT);
    var target =
        new PinnedMove.Target(
            strand,
            (long) first * BLOCK,
            (long) max * BLOCK,
            known,
            () -> announcedAfter.add(asked.size()));
    new PinnedMove(target, write, ACCESS, Payload.of(MemorySegment.ofArray(memory)))
        .await(deadline());
  }

  private static byte[] some() {
    byte[] bytes = new byte[(int) ACCESS.size()];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) (i * 31 >> 5);
    }
    return bytes;
  }

  private void checkWritten(byte[] memory) throws IOException {
    byte[] strand = new byte[BLOCKS * BLOCK - 1024];
    long got =
        Objects.requireNonNull(near)
            .get(STRAND.key(), 0, MemorySegment.ofArray(strand), 0, strand.length, 60_000_000_000L);
    assertThat(got).isEqualTo(strand.length);
    for (int i = 0; i < strand.length; i++) {
      byte expected = i % 2048 < 1024 ? memory[i / 2048 * 1024 + i % 2048] : 0;
      assertThat(strand[i]).isEqualTo(expected);
    }
  }

  private long count(Class<? extends NodeRequest> kind) {
    return asked.stream().filter(kind::isInstance).count();
  }

  @Test
  void windowsGrowSoThatFewAreAskedFor() throws IOException {
    Link link = start(1024, 60_000_000_000L, _ -> {});
    byte[] memory = some();
    move(link, true, memory, 4, 16);
    checkWritten(memory);
    assertThat(asked)
        .filteredOn(NodeRequest.Pin.class::isInstance)
        .extracting(one -> blocks((NodeRequest.Pin) one))
        .containsExactly(4, 8, 16, 16, 16, 4, 0);
    assertThat(count(NodeRequest.Scatter.class)).isZero();
    byte[] back = new byte[memory.length];
    move(link, false, back, 4, 16);
    assertThat(back).isEqualTo(memory);
    link.close();
  }

  @Test
  void windowsForWhichThereIsNoRoomGoByListsAndLaterOnesAreSmall() throws IOException {
    Link link = start(32, 60_000_000_000L, _ -> {}); // 8 blocks can be pinned
    byte[] memory = some();
    move(link, true, memory, 4, 32);
    checkWritten(memory);
    assertThat(count(NodeRequest.Scatter.class)).isPositive();
    assertThat(asked)
        .filteredOn(NodeRequest.Pin.class::isInstance)
        .extracting(one -> blocks((NodeRequest.Pin) one))
        .startsWith(4, 8)
        .endsWith(2, 2, 0)
        .allMatch(blocks -> blocks <= 32);
    link.close();
  }

  @Test
  void aWriterThatIsAlwaysTooLateWritesEachWindowOnceMoreAndEnds() throws IOException {
    WatchedLink.Before returned =
        request -> {
          if (request instanceof NodeRequest.Pin pin && !pin.returned().isEmpty()) {
            Eventually.holds("all is taken away", this::isNothingLent);
          }
        };
    Link link = start(1024, 1_000_000, returned);
    byte[] memory = some();
    move(link, true, memory, 8, 8);
    checkWritten(memory);
    assertThat(count(NodeRequest.Scatter.class)).isEqualTo(BLOCKS / 8);
    Eventually.holds("its memory is given back", () -> counter("pinnedBytes") == 0);
    link.close();
  }

  @Test
  void readsThatFollowEachOtherDoNotWakeTheThreadThatWatchesPins() throws IOException {
    AtomicInteger waits = new AtomicInteger();
    ofNode = new Waits("node 0 pins", waits);
    Link link = start(1024, 60_000_000_000L, _ -> {});
    byte[] memory = some();
    move(link, true, memory, 64, 64);
    for (int i = 0; i < 100; i++) {
      byte[] back = new byte[memory.length];
      move(link, false, back, 64, 64);
      assertThat(back).isEqualTo(memory);
    }
    assertThat(waits).as("waits of the thread").hasValueLessThan(10);
    link.close();
  }

  @Test
  void theThreadThatWatchesPinsWakesForOneThatComesAfterALongRest() throws IOException {
    Link link = start(1024, 1_000_000, _ -> {});
    byte[] memory = some();
    move(link, true, memory, 64, 64);
    Eventually.holds("nothing is pinned", () -> counter("pinnedBytes") == 0);
    for (int i = 0; i < 3; i++) {
      var wanted = List.of(new PinnedBlocks.WantedBlocks(0, 4, false));
      String process = transport.host().process();
      var pin = new NodeRequest.Pin(STRAND, BLOCK, false, process, wanted, List.of());
      link.start(pin, Payload.of(MemorySegment.NULL)).await(deadline());
      Eventually.holds("a reader's pin is taken away", this::isNothingLent);
    }
    link.close();
  }

  /** Reads all, and returns how often the node was asked for blocks. */
  private long asksToRead(Link link, byte[] expected) throws IOException {
    long before = count(NodeRequest.Pin.class);
    byte[] back = new byte[expected.length];
    move(link, false, back, 16, 32);
    assertThat(back).isEqualTo(expected);
    return count(NodeRequest.Pin.class) - before;
  }

  private Link startWithKnown(byte[] memory) throws IOException {
    Link link = start(1024, 60_000_000_000L, _ -> {});
    known = new KnownBlocks(BLOCK, open::get);
    move(link, true, memory, 16, 32);
    assertThat(asksToRead(link, memory)).isBetween(1L, FEW);
    assertThat(asksToRead(link, memory)).isZero();
    return link;
  }

  @Test
  void blocksThatAreWhereTheyWereAreReadWithoutARequest() throws IOException {
    byte[] memory = some();
    Link link = startWithKnown(memory);
    Arrays.fill(memory, 3 * 1024, 4 * 1024, (byte) 99); // the fourth piece
    Objects.requireNonNull(near)
        .put(STRAND.key(), 6144, MemorySegment.ofArray(memory), 3 * 1024, 1024, 60_000_000_000L);
    assertThat(asksToRead(link, memory)).as("after a put").isZero();
    byte[] other = some();
    Arrays.fill(other, 0, other.length, (byte) 5);
    move(link, true, other, 16, 32);
    assertThat(asksToRead(link, other)).as("after a write into pinned blocks").isZero();
    link.close();
  }

  @Test
  void theDiskIsToldOnceBeforeTheFirstRequestAndNotWhereBlocksAreKnown() throws IOException {
    byte[] memory = some();
    Link link = start(1024, 60_000_000_000L, _ -> {});
    known = new KnownBlocks(BLOCK, open::get);
    move(link, true, memory, 16, 32);
    announcedAfter.clear();
    int before = asked.size();
    assertThat(asksToRead(link, memory)).isPositive();
    assertThat(announcedAfter).containsExactly(before);
    assertThat(asksToRead(link, memory)).isZero();
    assertThat(announcedAfter).as("all blocks were known").containsExactly(before);
    link.close();
  }

  @Test
  void blocksThatWereCutOffAreAskedFor() throws IOException {
    byte[] memory = some();
    Link link = startWithKnown(memory);
    ask(new NodeRequest.Resize(STRAND, 0));
    Arrays.fill(memory, (byte) 0);
    assertThat(asksToRead(link, memory)).isPositive();
    assertThat(asksToRead(link, memory)).as("holes are nowhere").isPositive();
    move(link, true, memory, 16, 32);
    assertThat(asksToRead(link, memory)).isPositive();
    assertThat(asksToRead(link, memory)).isZero();
    link.close();
  }

  @Test
  void blocksOfARemovedStrandAreNotReadAnyMore() throws IOException {
    byte[] memory = some();
    Link link = startWithKnown(memory);
    ask(new NodeRequest.Remove(STRAND));
    assertThatThrownBy(() -> asksToRead(link, memory)).isInstanceOf(MillraceException.class);
    link.close();
  }

  @Test
  void placesAreUsedForASecondWhereItCannotBeSeenThatTheFileIsOpen() throws IOException {
    AtomicLong passed = new AtomicLong();
    env = new Later(passed);
    byte[] memory = some();
    Link link = startWithKnown(memory);
    passed.set(KnownBlocks.LASTING_NANOS / 2);
    assertThat(asksToRead(link, memory)).isZero();
    passed.set(2 * KnownBlocks.LASTING_NANOS);
    assertThat(asksToRead(link, memory)).isPositive();
    assertThat(asksToRead(link, memory)).isZero();
    link.close();
  }

  @Test
  void placesLastAsLongAsItIsSeenThatTheFileIsOpen() throws IOException {
    AtomicLong passed = new AtomicLong();
    env = new Later(passed);
    byte[] memory = some();
    Link link = startWithKnown(memory);
    open.set(true);
    passed.set(100 * KnownBlocks.LASTING_NANOS);
    assertThat(asksToRead(link, memory)).isZero();
    open.set(false); // closed by somebody else, or the coordinator has gone
    passed.set(101 * KnownBlocks.LASTING_NANOS);
    assertThat(asksToRead(link, memory)).as("a second has not passed").isZero();
    passed.set(102 * KnownBlocks.LASTING_NANOS);
    assertThat(asksToRead(link, memory)).isPositive();
    link.close();
  }

  @Test
  void memoryOfANodeThatHasEndedIsNotUsed() throws IOException {
    byte[] memory = some();
    Link link = startWithKnown(memory);
    connected = false;
    assertThat(asksToRead(link, memory)).as("as far as is known").isPositive();
    connected = true;
    assertThat(asksToRead(link, memory)).isZero();
    Objects.requireNonNull(acceptor).close();
    Objects.requireNonNull(node).close();
    assertThatThrownBy(() -> asksToRead(link, memory)).isInstanceOf(IOException.class);
    link.close();
  }

  /** All of the strand, pinned at once. */
  private RangePins pinAll(Link link, boolean write) {
    MappedSlabs slabs = Objects.requireNonNull(link.reached());
    PinTarget strand = new PinTarget(env, link, slabs, STRAND, LAYOUT);
    var range = new RangePins.Range(write, 0, BLOCKS * BLOCK);
    return RangePins.ask(this::deadline, List.of(strand), range).orElseThrow();
  }

  private static long fill(List<RangePins.Piece> pieces, byte with) {
    long next = 0;
    for (RangePins.Piece piece : pieces) {
      assertThat(piece.at()).isEqualTo(next);
      Objects.requireNonNull(piece.memory()).fill(with);
      next += piece.bytes();
    }
    return next;
  }

  private byte[] strand() throws IOException {
    byte[] all = new byte[BLOCKS * BLOCK];
    Link there = Objects.requireNonNull(near);
    int got =
        (int)
            there.get(STRAND.key(), 0, MemorySegment.ofArray(all), 0, all.length, 60_000_000_000L);
    return Arrays.copyOf(all, got);
  }

  @Test
  void aRangeIsWrittenInPlaceWithTwoRequests() throws IOException {
    Link link = start(1024, 60_000_000_000L, _ -> {});
    RangePins range = pinAll(link, true);
    assertThat(fill(range.pieces(), (byte) 7)).isEqualTo(BLOCKS * BLOCK);
    assertThat(strand()).as("before it is committed").isEmpty();
    range.commit();
    assertThat(range.isAccepted()).isTrue();
    assertThat(strand()).hasSize(BLOCKS * BLOCK).containsOnly(7);
    assertThat(counter("pinnedBytes")).isZero();
    assertThat(asked).hasOnlyElementsOfTypes(NodeRequest.Pin.class, NodeRequest.AskSlab.class);
    assertThat(count(NodeRequest.Pin.class)).isEqualTo(2);
    link.close();
  }

  @Test
  void aRangeThatIsReleasedWasNotWritten() throws IOException {
    Link link = start(1024, 60_000_000_000L, _ -> {});
    RangePins range = pinAll(link, true);
    fill(range.pieces(), (byte) 7);
    range.release();
    RangePins unanswered = pinAll(link, true);
    unanswered.release();
    Eventually.holds("all is given back", () -> counter("pinnedBytes") == 0);
    assertThat(strand()).isEmpty();
    link.close();
  }

  @Test
  void aRangeThatWasHeldForTooLongIsNotAccepted() throws IOException {
    Link link = start(1024, 1_000_000, _ -> {});
    RangePins range = pinAll(link, true);
    List<RangePins.Piece> pieces = range.pieces();
    Eventually.holds("all is taken away", () -> isNothingLent() && counter("pinnedBytes") > 0);
    fill(pieces, (byte) 7); // into memory that no block has any more
    range.commit();
    assertThat(range.isAccepted()).isFalse();
    assertThat(strand()).isEmpty();
    Eventually.holds("its memory is given back", () -> counter("pinnedBytes") == 0);
    link.close();
  }

  @Test
  void aRangeForWhichThereIsNoRoomIsNotPinned() throws IOException {
    Link link = start(32, 60_000_000_000L, _ -> {}); // 8 blocks can be pinned
    assertThat(pinAll(link, true).pieces()).isEmpty();
    assertThat(counter("pinnedBytes")).isZero();
    link.close();
  }

  @Test
  void holesOfARangeHaveNoMemory() throws IOException {
    Link link = start(1024, 60_000_000_000L, _ -> {});
    byte[] some = {1, 2, 3};
    Link there = Objects.requireNonNull(near);
    long last = (BLOCKS - 1) * (long) BLOCK;
    there.put(STRAND.key(), last, MemorySegment.ofArray(some), 0, 3, 60_000_000_000L);
    RangePins range = pinAll(link, false);
    List<RangePins.Piece> pieces = range.pieces();
    assertThat(pieces.stream().mapToLong(RangePins.Piece::bytes).sum()).isEqualTo(BLOCKS * BLOCK);
    assertThat(pieces.getFirst().memory()).isNull();
    MemorySegment end = Objects.requireNonNull(pieces.getLast().memory());
    assertThat(end.asSlice(0, 3).mismatch(MemorySegment.ofArray(some))).isEqualTo(-1);
    range.release();
    Eventually.holds("all is given back", () -> counter("pinnedBytes") == 0);
    link.close();
  }

  /** Counts how often a thread of that name begins to wait. */
  private record Waits(String thread, AtomicInteger count) implements Env {

    @Override
    public Signal signal(Lock lock) {
      Signal real = Env.real().signal(lock);
      return new Signal() {
        @Override
        public boolean await(long deadlineNanos) {
          if (Thread.currentThread().getName().equals(thread)) {
            count.incrementAndGet();
          }
          return real.await(deadlineNanos);
        }

        @Override
        public void signal() {
          real.signal();
        }

        @Override
        public void signalAll() {
          real.signalAll();
        }
      };
    }

    @Override
    public long nanoTime() {
      return Env.real().nanoTime();
    }

    @Override
    public long wallMillis() {
      return Env.real().wallMillis();
    }

    @Override
    public RandomGenerator random(String purpose) {
      return Env.real().random(purpose);
    }

    @Override
    public Thread start(ThreadKind kind, String name, Runnable body) {
      return Env.real().start(kind, name, body);
    }

    @Override
    public long threadNumber() {
      return Env.real().threadNumber();
    }

    @Override
    public void sleep(long nanos) throws InterruptedException {
      Env.real().sleep(nanos);
    }

    @Override
    public void charge(Work work, long amount) {
      Env.real().charge(work, amount);
    }
  }

  /** The real one, with a clock that is ahead by so much. */
  private record Later(AtomicLong nanos) implements Env {

    @Override
    public Signal signal(Lock lock) {
      return Env.real().signal(lock);
    }

    @Override
    public long nanoTime() {
      return Env.real().nanoTime();
    }

    @Override
    public long coarseNanoTime() {
      return nanos.get();
    }

    @Override
    public long wallMillis() {
      return Env.real().wallMillis();
    }

    @Override
    public RandomGenerator random(String purpose) {
      return Env.real().random(purpose);
    }

    @Override
    public Thread start(ThreadKind kind, String name, Runnable body) {
      return Env.real().start(kind, name, body);
    }

    @Override
    public long threadNumber() {
      return Env.real().threadNumber();
    }

    @Override
    public void sleep(long nanos) throws InterruptedException {
      Env.real().sleep(nanos);
    }

    @Override
    public void charge(Work work, long amount) {
      Env.real().charge(work, amount);
    }
  }

  /** Whether what is pinned is in quarantine. */
  private boolean isNothingLent() throws IOException {
    return counter("quarantinedBlocks") * BLOCK == counter("pinnedBytes");
  }

  private static int blocks(NodeRequest.Pin pin) {
    return pin.wanted().stream().mapToInt(run -> run.count()).sum();
  }
}
