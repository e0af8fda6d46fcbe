package org.millrace.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.env.Env;
import org.millrace.error.ErrorCode;
import org.millrace.testing.Eventually;
import org.millrace.testing.Seeds;
import org.millrace.wire.Address;

/** Frames that no client of ours would send to an acceptor; another client is never disturbed. */
final class HostilePeersTest {

  private static final long SECOND = 1_000_000_000L;
  private static final long LONG = 300 * SECOND;
  private static final long BOUND = 1 << 20;
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  @TempDir private Path folder;

  private final Env env = Env.real();
  private final TestEndpoint endpoint = new TestEndpoint(1 << 20);
  private Transport server;
  private Transport client;
  private Acceptor acceptor;
  private Link honest;

  /** No handshake is too late, however busy the machine is. */
  @BeforeEach
  void open() throws IOException {
    open(600 * SECOND);
  }

  /** Listens again, so that peers without a handshake are soon disconnected. */
  private void openWithShortTimeouts() throws IOException {
    close();
    open(SECOND / 2);
  }

  private void open(long handshakeNanos) throws IOException {
    TransportOptions options =
        TransportOptions.DEFAULT
            .withSharedMemory(false)
            .withTransferBytes(BOUND)
            .withConnections(200, handshakeNanos);
    server = Transport.open(env, new TestEndpoint.Words(), options);
    client = Transport.open(env, new TestEndpoint.Words(), options);
    acceptor = server.listen(new Address.Unix(folder.resolve("s").toString()));
    acceptor.serve("test", endpoint);
    honest = client.connect(acceptor.address(), "test", soon());
  }

  @AfterEach
  void close() throws IOException {
    assertHonestIsServed();
    honest.close();
    client.close();
    server.close();
  }

  private long soon() {
    return env.deadlineAfter(LONG);
  }

  private void assertHonestIsServed() throws IOException {
    byte[] some = new byte[100_000];
    honest.put(1, 0, MemorySegment.ofArray(some), 0, some.length, LONG);
    assertThat(honest.call(new TestEndpoint.Echo("still"), MemorySegment.NULL, soon()))
        .isEqualTo(new TestEndpoint.Echo("still"));
    awaitNoTransfers();
    assertThat(acceptor.peakTransferBytes("test")).isLessThanOrEqualTo(2 * BOUND);
  }

  /** A peer that sends bytes as it likes. */
  private final class Peer implements AutoCloseable {
    private final SocketChannel channel;

    Peer() throws IOException {
      channel = SocketChannel.open(UnixDomainSocketAddress.of(folder.resolve("s")));
    }

    Peer send(ByteBuffer bytes) throws IOException {
      try {
        while (bytes.hasRemaining()) {
          channel.write(bytes);
        }
      } catch (IOException e) {
        // the acceptor has closed it
      }
      return this;
    }

    private long sendAll(ByteBuffer[] from, int first, int count) throws IOException {
      for (int i = first; i < first + count; i++) {
        send(from[i]);
        from[i].position(from[i].limit()); // also where the acceptor has closed it
      }
      return count;
    }

    Peer send(FrameKind kind, ByteBuffer body) throws IOException {
      return send(kind, 0, 1, body, NOTHING);
    }

    Peer send(FrameKind kind, int flags, long id, ByteBuffer body, ByteBuffer payload)
        throws IOException {
      FrameHeader frame =
          new FrameHeader(kind, flags, 0, id, 0, body.remaining(), payload.remaining());
      Outgoing out = Outgoing.of(frame, body, payload, true, () -> {});
      while (!out.isWritten()) {
        long _ = out.writeTo(this::sendAll);
      }
      return this;
    }

    Peer afterHandshake() throws IOException {
      send(FrameKind.HELLO, new Handshake.Hello(Handshake.VERSION, "test", 0, "", "n", "").bytes());
      assertThat(next().kind).isEqualTo(FrameKind.WELCOME);
      return this;
    }

    private record Heard(FrameKind kind, ByteBuffer body) {}

    Heard next() throws IOException {
      ByteBuffer head = read(FrameHeader.HEAD);
      FrameHeader frame = FrameHeader.get(head, FrameHeader.MAX_BODY);
      ByteBuffer body = read(frame.body());
      read(frame.payload() + FrameHeader.SUM);
      return new Heard(frame.kind(), body);
    }

    private ByteBuffer read(int bytes) throws IOException {
      ByteBuffer into = ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
      while (into.hasRemaining()) {
        if (channel.read(into) < 0) {
          throw new IOException("closed");
        }
      }
      return into.flip();
    }

    /** Waits until the acceptor closes the connection. */
    void assertClosed() {
      assertThatThrownBy(
              () -> {
                while (true) {
                  next();
                }
              })
          .isInstanceOf(IOException.class);
    }

    @Override
    public void close() throws IOException {
      channel.close();
    }
  }

  @Test
  void refusalsAreTold() throws IOException {
    List<String> told = new CopyOnWriteArrayList<>();
    acceptor.tellRefusals(told::add);
    try (Peer old = new Peer()) {
      old.send(FrameKind.HELLO, new Handshake.Hello(1, "test", 0, "", "n", "").bytes());
      old.assertClosed();
    }
    try (Peer wrong = new Peer()) {
      wrong.send(FrameKind.PROOF, NOTHING);
      wrong.assertClosed();
    }
    try (Peer lost = new Peer()) { // came to the wrong place: nobody's trouble
      lost.send(
          FrameKind.HELLO, new Handshake.Hello(Handshake.VERSION, "no", 0, "", "n", "").bytes());
      lost.assertClosed();
    }
    assertThat(told)
        .satisfiesExactly(
            one -> assertThat(one).contains("refused a session").contains("you speak version 1"),
            two -> assertThat(two).contains("refused a connection: out of order"));
  }

  @Test
  void garbageIsClosed() throws IOException {
    openWithShortTimeouts();
    for (long seed : Seeds.of(30)) {
      Random random = new Random(seed);
      byte[] bytes = new byte[1 + random.nextInt(5000)];
      random.nextBytes(bytes);
      try (Peer peer = new Peer()) {
        peer.send(ByteBuffer.wrap(bytes)).assertClosed();
      }
    }
  }

  @Test
  void garbageAfterAGreetingIsClosed() throws IOException {
    for (long seed : Seeds.of(30)) {
      Random random = new Random(seed);
      byte[] bytes = new byte[100 + random.nextInt(5000)];
      random.nextBytes(bytes);
      try (Peer peer = new Peer()) {
        peer.afterHandshake().send(ByteBuffer.wrap(bytes)).assertClosed();
      }
    }
  }

  @Test
  void aBrowserIsClosed() throws IOException {
    openWithShortTimeouts();
    try (Peer peer = new Peer()) {
      byte[] http = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.UTF_8);
      peer.send(ByteBuffer.wrap(http)).assertClosed();
    }
  }

  @Test
  void anotherVersionIsRefusedPolitely() throws IOException {
    try (Peer peer = new Peer()) {
      peer.send(
          FrameKind.HELLO,
          new Encoder()
              .putBytes("MILLRACE".getBytes(StandardCharsets.US_ASCII))
              .putInt(Handshake.VERSION + 1)
              .written());
      Peer.Heard heard = peer.next();
      assertThat(heard.kind).isEqualTo(FrameKind.REFUSED);
      assertThat(Handshake.error(heard.body))
          .hasMessageContaining("version " + Handshake.VERSION)
          .hasMessageContaining("version " + (Handshake.VERSION + 1));
      peer.assertClosed();
    }
  }

  @Test
  void lengthsBeyondTheLimitsAreClosedBeforeAnythingIsStored() throws IOException {
    for (int[] lengths :
        new int[][] {
          {FrameHeader.MAX_BODY + 1, 0},
          {0, FrameHeader.MAX_PAYLOAD + 1},
          {-1, 0},
          {0, -1},
          {1 << 30, 1 << 30}
        }) {
      try (Peer peer = new Peer()) {
        ByteBuffer head = FrameHeader.buffer(FrameHeader.HEAD);
        new FrameHeader(FrameKind.REQUEST, 0, 0, 1, 0, lengths[0], lengths[1]).put(head);
        peer.afterHandshake().send(head.flip()).assertClosed();
      }
    }
    try (Peer peer = new Peer()) { // before the handshake even little is too much
      ByteBuffer head = FrameHeader.buffer(FrameHeader.HEAD);
      new FrameHeader(FrameKind.HELLO, 0, 0, 0, 0, FrameHeader.MAX_HANDSHAKE + 1, 0).put(head);
      peer.send(head.flip()).assertClosed();
    }
  }

  @Test
  void framesOutOfOrderAreClosed() throws IOException {
    ByteBuffer hello = new Handshake.Hello(Handshake.VERSION, "test", 0, "", "n", "").bytes();
    for (FrameKind kind : FrameKind.values()) {
      if (kind != FrameKind.HELLO) {
        try (Peer peer = new Peer()) {
          peer.send(kind, NOTHING.duplicate()).assertClosed();
        }
      }
    }
    for (FrameKind kind :
        List.of(
            FrameKind.HELLO,
            FrameKind.CHALLENGE,
            FrameKind.PROOF,
            FrameKind.WELCOME,
            FrameKind.REFUSED,
            FrameKind.REPLY,
            FrameKind.DONE,
            FrameKind.FAILED,
            FrameKind.PULL,
            FrameKind.SLAB)) {
      try (Peer peer = new Peer()) {
        peer.afterHandshake().send(kind, hello.duplicate()).assertClosed();
      }
    }
  }

  @Test
  void anUnknownKindIsClosed() throws IOException {
    try (Peer peer = new Peer()) {
      ByteBuffer head = FrameHeader.buffer(FrameHeader.HEAD + FrameHeader.SUM);
      new FrameHeader(FrameKind.PING, 0, 0, 1, 0, 0, 0).put(head);
      peer.afterHandshake().send(head.put(8, (byte) 99).rewind()).assertClosed();
    }
  }

  @Test
  void payloadsThatNobodyAskedForTakeNoMemory() throws IOException {
    ByteBuffer large = ByteBuffer.allocate(FrameHeader.EAGER + 1);
    ByteBuffer small = ByteBuffer.allocate(FrameHeader.EAGER);
    for (FrameKind kind :
        List.of(
            FrameKind.REQUEST, FrameKind.PUT, FrameKind.GET, FrameKind.HINT, FrameKind.ADVANCE)) {
      try (Peer peer = new Peer()) {
        peer.afterHandshake()
            .send(kind, 0, 1, NOTHING.duplicate(), large.duplicate())
            .assertClosed();
      }
      for (int i = 0; i < 40; i++) { // more than the bound, if it stayed
        try (Peer peer = new Peer()) {
          ByteBuffer body = FrameHeader.buffer(24).putLong(1).putLong(0).putLong(7).flip();
          peer.afterHandshake().send(kind, 0, 1, body, small.duplicate());
          peer.send(FrameKind.WELCOME, NOTHING.duplicate()).assertClosed();
        }
      }
    }
    try (Peer peer = new Peer()) { // a payload that was not pulled is skipped
      peer.afterHandshake().send(FrameKind.PAYLOAD, 0, 9, NOTHING.duplicate(), large.duplicate());
      peer.send(FrameKind.PING, NOTHING.duplicate());
      assertThat(peer.next().kind).isEqualTo(FrameKind.PONG);
    }
  }

  @Test
  void payloadsThatEndHalfWayTakeNoMemory() throws IOException {
    for (int i = 0; i < 60; i++) {
      try (Peer peer = new Peer()) {
        ByteBuffer head = FrameHeader.buffer(FrameHeader.HEAD + 24 + 1000);
        new FrameHeader(FrameKind.PUT, 0, 0, 1, 0, 24, FrameHeader.EAGER).put(head);
        peer.afterHandshake().send(head.rewind());
      }
    }
    awaitNoTransfers();
  }

  /** Returns when all memory for payloads has been given back: what was lost ends by and by. */
  private void awaitNoTransfers() throws IOException {
    Eventually.holds("no transfer holds memory", () -> acceptor.usedTransferBytes("test") == 0);
  }

  @Test
  void whoSaysNothingIsClosed() throws IOException {
    openWithShortTimeouts();
    try (Peer silent = new Peer();
        Peer slow = new Peer()) {
      ByteBuffer start = FrameHeader.buffer(FrameHeader.HEAD);
      new FrameHeader(FrameKind.HELLO, 0, 0, 0, 0, 100, 0).put(start);
      slow.send(start.flip().limit(10));
      silent.assertClosed();
      slow.assertClosed();
    }
  }

  @Test
  void moreConnectionsThanAllowedAreClosedAtOnceAndOthersGoOn() throws IOException {
    openWithShortTimeouts();
    List<Peer> peers = new ArrayList<>();
    try {
      for (int i = 0; i < 2000; i++) {
        peers.add(new Peer());
        if (i % 500 == 0) {
          assertHonestIsServed();
        }
      }
      for (Peer one : peers) {
        one.assertClosed();
      }
    } finally {
      for (Peer one : peers) {
        one.close();
      }
    }
    try (Link late = client.connect(acceptor.address(), "test", soon())) {
      assertThat(late.call(new TestEndpoint.Echo("late"), MemorySegment.NULL, soon()))
          .isEqualTo(new TestEndpoint.Echo("late"));
    }
  }

  @Test
  void whoDoesNotReadItsAnswersHoldsNobodyUp() throws IOException {
    try (Peer deaf = new Peer()) {
      deaf.afterHandshake();
      ByteBuffer body = FrameHeader.buffer(24).putLong(1).putLong(0).putLong(4096).flip();
      for (int id = 1; id <= 1000; id++) {
        deaf.send(FrameKind.GET, 0, id, body.duplicate(), NOTHING.duplicate());
      }
      assertThat(honest.call(new TestEndpoint.Echo("x"), MemorySegment.NULL, soon()))
          .isEqualTo(new TestEndpoint.Echo("x"));
      honest.put(1, 0, MemorySegment.ofArray(new byte[4096]), 0, 4096, LONG);
    }
    awaitNoTransfers();
  }

  @Test
  void whoDoesNotReadLargeAnswersHoldsNobodyUp() throws IOException {
    try (Peer deaf = new Peer()) {
      deaf.afterHandshake();
      ByteBuffer body =
          FrameHeader.buffer(24).putLong(1).putLong(0).putLong(FrameHeader.SLICE).flip();
      for (int id = 1; id <= 64; id++) {
        deaf.send(FrameKind.GET, 0, id, body.duplicate(), NOTHING.duplicate());
      }
      byte[] mine = new byte[300_000];
      assertThat(honest.get(1, 0, MemorySegment.ofArray(mine), 0, mine.length, LONG))
          .isEqualTo(mine.length);
    }
    awaitNoTransfers();
  }

  @Test
  void sessionsAreResumedByWhoHasTheTokenOnly() throws IOException {
    try (Peer first = new Peer()) {
      first.send(
          FrameKind.HELLO, new Handshake.Hello(Handshake.VERSION, "test", 0, "", "n", "").bytes());
      Handshake.Welcome welcome = Handshake.Welcome.of(first.next().body);
      for (String token : List.of("", "guess", welcome.token() + "0")) {
        try (Peer thief = new Peer()) {
          thief.send(
              FrameKind.HELLO,
              new Handshake.Hello(Handshake.VERSION, "test", welcome.session(), token, "n", "")
                  .bytes());
          Peer.Heard heard = thief.next();
          assertThat(heard.kind).isEqualTo(FrameKind.REFUSED);
          assertThat(Handshake.error(heard.body).code()).isEqualTo(ErrorCode.RESTARTED);
        }
      }
      first.send(FrameKind.PING, NOTHING.duplicate());
      assertThat(first.next().kind).isEqualTo(FrameKind.PONG);
    }
  }

  @Test
  void manySmallWritesAtOnceAreAllTaken() throws IOException {
    List<Pending> writes = new ArrayList<>();
    MemorySegment bytes = MemorySegment.ofArray(new byte[60_000]);
    for (int i = 0; i < 200; i++) {
      writes.add(honest.start(new TestEndpoint.Write(0, 60_000), bytes));
    }
    for (Pending one : writes) {
      assertThat(one.await(soon())).isEqualTo(new TestEndpoint.Total(60_000));
    }
  }
}
