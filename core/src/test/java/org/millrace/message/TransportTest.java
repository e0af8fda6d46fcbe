package org.millrace.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.access.Pattern;
import org.millrace.access.copy.Places;
import org.millrace.env.Env;
import org.millrace.error.DeadlineException;
import org.millrace.error.DiskFullException;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.testing.Eventually;
import org.millrace.wire.Address;
import org.millrace.wire.Security;

/** Links, acceptors and sessions between two transports, over Unix-domain sockets. */
class TransportTest {

  /** Whether both sides share memory. */
  boolean shares() {
    return false;
  }

  private static final long SECOND = 1_000_000_000L;
  private static final long LONG = 300 * SECOND;

  Address address(Path in) {
    return new Address.Unix(in.resolve("s").toString());
  }

  Security security() throws IOException {
    return Security.LOCAL;
  }

  /** The identity that the acceptor sees for the client. */
  String user() {
    return System.getProperty("user.name");
  }

  @TempDir private Path folder;

  private final Env env = Env.real();
  private TestEndpoint endpoint = new TestEndpoint(3 << 20);
  private Transport server;
  private Transport client;
  private Acceptor acceptor;
  private Link link;

  @BeforeEach
  void connect() throws IOException {
    endpoint = new TestEndpoint(3 << 20);
    TransportOptions options =
        TransportOptions.DEFAULT
            .withSharedMemory(shares())
            .withTransferBytes(8 << 20)
            .withSecurity(security());
    server = Transport.open(env, new TestEndpoint.Words(), options);
    client = Transport.open(env, new TestEndpoint.Words(), options);
    acceptor = server.listen(address(folder));
    acceptor.serve("test", endpoint);
    link = client.connect(acceptor.address(), "test", soon());
  }

  @AfterEach
  void close() {
    client.close();
    server.close();
  }

  private long soon() {
    return env.deadlineAfter(LONG);
  }

  private static byte[] random(int bytes, long seed) {
    byte[] made = new byte[bytes];
    new Random(seed).nextBytes(made);
    return made;
  }

  @Test
  void whatIsTooLongForAFrameIsRefusedAndTheConnectionGoesOn() throws IOException {
    int max = FrameHeader.MAX_BODY - 5; // what is beside an echo's characters
    Pending waits = link.start(new TestEndpoint.Wait(), MemorySegment.NULL);
    for (Message tooLong :
        List.of(new TestEndpoint.Repeat(max + 1), new TestEndpoint.Echo("x".repeat(max + 1)))) {
      assertThatThrownBy(() -> link.call(tooLong, MemorySegment.NULL, soon()))
          .isInstanceOfSatisfying(
              MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.REFUSED))
          .hasMessageContaining("at most " + FrameHeader.MAX_BODY);
    }
    assertThat(waits.isDone()).isFalse();
    var longest =
        (TestEndpoint.Echo) link.call(new TestEndpoint.Repeat(max), MemorySegment.NULL, soon());
    assertThat(longest.text()).hasSize(max);
  }

  @Test
  void requestIsAnswered() throws IOException {
    assertThat(link.call(new TestEndpoint.Echo("h\u00e9"), MemorySegment.NULL, soon()))
        .isEqualTo(new TestEndpoint.Echo("h\u00e9"));
    assertThat(endpoint.lastPeer.user()).isEqualTo(user());
  }

  @Test
  void bytesOfAllLengthsGoThereAndBack() throws IOException {
    for (int length : new int[] {0, 1, 64, 2049, 4096, 65536, 65537, 262144, 262145, 2_000_003}) {
      byte[] out = random(length, length);
      MemorySegment source = MemorySegment.ofArray(out);
      link.put(1, 5, source, 0, length, LONG);
      byte[] back = new byte[length + 2];
      assertThat(link.get(1, 5, MemorySegment.ofArray(back), 1, length, LONG)).isEqualTo(length);
      assertThat(MemorySegment.ofArray(back).asSlice(1, length).toArray(ValueLayout.JAVA_BYTE))
          .as("%d bytes", length)
          .isEqualTo(out);
      assertThat(back[0]).isZero();
      assertThat(back[length + 1]).isZero();
    }
  }

  @Test
  void allKindsOfMemoryCanBeFilled() throws IOException {
    byte[] out = random(80_000, 3);
    link.put(1, 0, MemorySegment.ofArray(out), 0, out.length, LONG);
    double[] doubles = new double[10_000];
    link.get(1, 0, MemorySegment.ofArray(doubles), 0, 80_000, LONG);
    assertThat(MemorySegment.ofArray(doubles).toArray(ValueLayout.JAVA_BYTE)).isEqualTo(out);
    try (Arena confined = Arena.ofConfined()) {
      MemorySegment mine = confined.allocate(80_000);
      link.get(1, 0, mine, 0, 80_000, LONG);
      assertThat(mine.toArray(ValueLayout.JAVA_BYTE)).isEqualTo(out);
      link.put(1, 80_000, mine, 0, 80_000, LONG);
    }
    assertThat(endpoint.memory.asSlice(80_000, 80_000).toArray(ValueLayout.JAVA_BYTE))
        .isEqualTo(out);
  }

  @Test
  void getReturnsHowManyBytesThereWere() throws IOException {
    MemorySegment into = Arena.ofAuto().allocate(1 << 20);
    long end = endpoint.memory.byteSize();
    assertThat(link.get(1, end - 10, into, 0, 100, LONG)).isEqualTo(10);
    assertThat(link.get(1, end - 300_000, into, 0, 1 << 20, LONG)).isEqualTo(300_000);
    assertThat(link.get(1, end, into, 0, 100, LONG)).isZero();
  }

  @Test
  void cargoTravelsWhateverItsPlaces() throws IOException {
    for (int bytes : new int[] {0, 1, 1000, 70_000, 512 << 10, (512 << 10) + 1, 2_000_000}) {
      for (boolean vector : new boolean[] {false, true}) {
        byte[] out = random(2 * bytes, bytes);
        Pattern pattern = vector ? Pattern.loop(bytes, 2, Pattern.run(1)) : Pattern.run(bytes);
        Places places = new Places(pattern, 0);
        Payload payload = new Payload(MemorySegment.ofArray(out), places, bytes);
        link.start(new TestEndpoint.Write(7, bytes), payload).await(soon());
        MemorySegment back = MemorySegment.ofArray(new byte[2 * bytes]);
        link.start(new TestEndpoint.Read(7, bytes), new Payload(back, places, bytes)).await(soon());
        for (int i = 0; i < 2 * bytes; i++) {
          boolean travels = vector ? i % 2 == 0 : i < bytes;
          assertThat(back.get(ValueLayout.JAVA_BYTE, i)).isEqualTo(travels ? out[i] : 0);
        }
      }
    }
  }

  @Test
  void aPayloadThatIsSentGoesInAsFewPartsAsPayloadsMayBeLong() throws IOException {
    MemorySegment out = MemorySegment.ofArray(random(2_000_000, 5));
    link.start(new TestEndpoint.Write(7, out.byteSize()), Payload.of(out)).await(soon());
    assertThat(endpoint.requests.get()).isEqualTo(shares() ? 4 : 1);
    assertThat(endpoint.memory.asSlice(7, out.byteSize()).mismatch(out)).isEqualTo(-1);
  }

  @Test
  void anEmptyPayloadArrivesEmpty() throws IOException {
    link.call(new TestEndpoint.Write(7, 0), MemorySegment.ofArray(new byte[0]), soon());
    assertThat(endpoint.lastPayloadBytes).isZero();
    link.call(new TestEndpoint.Write(7, 3), MemorySegment.ofArray(new byte[3]), soon());
    assertThat(endpoint.lastPayloadBytes).isEqualTo(3);
  }

  @Test
  void manyRequestsAreUnderWayAtOnce() throws IOException {
    List<Pending> waits = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      waits.add(link.start(new TestEndpoint.Wait(), MemorySegment.NULL));
    }
    assertThat(link.call(new TestEndpoint.Echo("after"), MemorySegment.NULL, soon()))
        .isEqualTo(new TestEndpoint.Echo("after"));
    assertThat(waits).noneMatch(Pending::isDone);
    endpoint.waiting.forEach(replyTo -> replyTo.reply(new TestEndpoint.Total(1)));
    for (Pending one : waits) {
      assertThat(one.await(soon())).isEqualTo(new TestEndpoint.Total(1));
    }
  }

  @Test
  void errorsKeepTheirKind() {
    MemorySegment bytes = MemorySegment.ofArray(new byte[100]);
    assertThatThrownBy(() -> link.put(1, endpoint.memory.byteSize(), bytes, 0, 100, LONG))
        .isInstanceOf(DiskFullException.class)
        .hasMessageContaining("no room for 100");
  }

  @Test
  void closingTellsTheEndpoint() throws IOException {
    link.call(new TestEndpoint.Echo("x"), MemorySegment.NULL, soon());
    link.close();
    Eventually.holds("the endpoint is told", () -> !endpoint.gone.isEmpty());
    assertThat(endpoint.gone).containsExactly("its link was closed");
    assertThat(link.isBroken()).isTrue();
  }

  @Test
  void unknownEndpointIsRefused() {
    // it may come yet, so the client asks until its time is up; on a slow machine before any answer
    Throwable refused;
    long nanos = SECOND / 8;
    do {
      nanos *= 2;
      long timeout = nanos;
      refused =
          catchThrowable(
              () -> client.connect(acceptor.address(), "bakery", env.deadlineAfter(timeout)));
    } while (refused instanceof DeadlineException);
    assertThat(refused).hasMessageContaining("there is no bakery here");
  }

  @Test
  void transferMemoryStaysWithinItsBoundWithManyWriters() throws Exception {
    List<Link> links = new ArrayList<>();
    for (int i = 0; i < 64; i++) {
      links.add(client.connect(acceptor.address(), "test", soon()));
    }
    List<Pending> writes = new ArrayList<>();
    byte[] bytes = random(1 << 20, 1);
    for (int round = 0; round < 2; round++) {
      for (Link one : links) {
        writes.add(
            one.start(new TestEndpoint.Write(0, bytes.length), MemorySegment.ofArray(bytes)));
      }
    }
    for (Pending one : writes) {
      assertThat(one.await(soon())).isInstanceOf(TestEndpoint.Total.class);
    }
    assertThat(acceptor.peakTransferBytes("test")).isBetween(1L << 20, 8L << 20);
    assertThat(endpoint.memory.asSlice(0, bytes.length).toArray(ValueLayout.JAVA_BYTE))
        .isEqualTo(bytes);
  }

  @Test
  void oneThatWaitsLongDoesNotHoldUpThousandsBehindIt() throws IOException {
    Pending longest = link.start(new TestEndpoint.Wait(), MemorySegment.NULL);
    for (int i = 1; i <= 3000; i++) {
      assertThat(link.call(new TestEndpoint.Count(1), MemorySegment.NULL, soon()))
          .isEqualTo(new TestEndpoint.Total(i));
    }
    assertThat(longest.isDone()).isFalse();
    endpoint.waiting.forEach(replyTo -> replyTo.reply(new TestEndpoint.Total(0)));
    assertThat(longest.await(soon())).isEqualTo(new TestEndpoint.Total(0));
    assertThat(longest.isAnswered()).isTrue();
  }

  /** By the thread that reads, and by a worker. */
  @Test
  void whatWasDoneIsAnsweredBeforeTheAcceptorEnds() throws Exception {
    for (Message request : List.of(new TestEndpoint.Count(1), new TestEndpoint.Write(0, 10))) {
      CountDownLatch handled = new CountDownLatch(1);
      CountDownLatch gate = new CountDownLatch(1);
      endpoint.beforeReply =
          () -> {
            handled.countDown();
            awaitOpen(gate);
          };
      Pending answer = link.start(request, MemorySegment.ofArray(new byte[10]));
      handled.await();
      Thread closing = Thread.ofPlatform().start(acceptor::close);
      Eventually.holds(
          "closing waits, or has ended",
          () -> closing.getState() == Thread.State.TIMED_WAITING || !closing.isAlive());
      gate.countDown();
      assertThat(answer.await(soon())).isInstanceOf(TestEndpoint.Total.class);
      closing.join();
      close();
      connect();
    }
  }

  private static void awaitOpen(CountDownLatch gate) {
    try {
      gate.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void anEndpointThatIsWithdrawnSaysWhereToAskAndIsAnotherOneWhenItIsServedAgain()
      throws IOException {
    acceptor.withdraw("test", "ask tcp:elsewhere:7");
    assertThatThrownBy(() -> client.connect(acceptor.address(), "test", env.deadlineAfter(SECOND)))
        .hasMessageContaining("ask tcp:elsewhere:7");
    acceptor.serve("test", endpoint);
    assertThatThrownBy(() -> link.call(new TestEndpoint.Echo("a"), MemorySegment.NULL, soon()))
        .as("no goodbye was said, or it would have ended")
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.RESTARTED));
    try (Link again = client.connect(acceptor.address(), "test", soon())) {
      assertThat(again.call(new TestEndpoint.Echo("b"), MemorySegment.NULL, soon()))
          .isEqualTo(new TestEndpoint.Echo("b"));
    }
  }
}
