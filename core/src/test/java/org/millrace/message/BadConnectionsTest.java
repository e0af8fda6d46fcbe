package org.millrace.message;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.millrace.env.Env;
import org.millrace.testing.FaultProxy;
import org.millrace.testing.FaultProxy.Faults;
import org.millrace.testing.Seeds;
import org.millrace.wire.Address;
import org.millrace.wire.Secret;
import org.millrace.wire.Security;

/** Links over connections that are late, cut into pieces, reset and altered. */
final class BadConnectionsTest {

  private static final long SECOND = 1_000_000_000L;
  private static final long TIMEOUT = 300 * SECOND;
  private static final int CLIENTS = 6;
  private static final int REGION = 1 << 18;

  @TempDir private Path folder;

  private final Env env = Env.real();

  /** What a client did that the others can see. */
  private record Range(long start, long bytes) {}

  private record Outcome(long counted, List<Range> ranges) {}

  /** How two transports meet. */
  private enum Over {
    SOCKETS,
    SHARED_MEMORY,
    TCP
  }

  private TransportOptions options(Over over) {
    return TransportOptions.DEFAULT
        .withSharedMemory(over == Over.SHARED_MEMORY)
        .withTransferBytes(4 << 20)
        .withTimeouts(4 * SECOND, TIMEOUT)
        .withSecurity(Security.LOCAL.withSecret(new Secret(new byte[Secret.BYTES])));
  }

  @Test
  void everythingHappensOnceHoweverOftenConnectionsBreak() throws Exception {
    for (Over over : Over.values()) {
      for (long seed : Seeds.of(1)) {
        Faults faults =
            over == Over.SHARED_MEMORY // frames go past the proxy: what breaks is the doorbell
                ? new Faults(600, 0, true, 200, 0)
                : new Faults(200_000, 0, true, 200, 3);
        try {
          assertThat(run(over, faults, seed, false, 150, REGION)).as("resets").isPositive();
        } catch (Exception | AssertionError e) {
          throw new AssertionError(over + ", " + Seeds.replay(seed) + ": " + e, e);
        }
      }
    }
  }

  @Test
  @Tag("long")
  void nothingIsCountedTwiceOverHundredsOfResets() throws Exception {
    for (Over over : List.of(Over.SOCKETS, Over.TCP)) {
      for (long seed : Seeds.of(1)) {
        try {
          assertThat(run(over, new Faults(1500, 0, true, 50, 0), seed, false, 600, 64))
              .as("resets")
              .isGreaterThan(100);
        } catch (Exception | AssertionError e) {
          throw new AssertionError(over + ", " + Seeds.replay(seed) + ": " + e, e);
        }
      }
    }
  }

  @Test
  void withoutKeptAnswersSomeThingsHappenTwice() {
    for (long seed : Seeds.of(20)) { // the first will nearly always do
      try {
        run(Over.SOCKETS, new Faults(1000, 0, true, 50, 0), seed, true, 800, 8);
      } catch (AssertionError expected) {
        assertThat(expected).hasMessageContaining("counted once each");
        return;
      } catch (Exception e) {
        throw new AssertionError(e);
      }
    }
    throw new AssertionError("nothing happened twice: the test above would not notice");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void alteredBitsAreNoticed(boolean tcp) throws Exception {
    for (long seed : Seeds.of(1)) {
      Over over = tcp ? Over.TCP : Over.SOCKETS;
      try {
        assertThat(run(over, new Faults(0, 200_000, true, 0, 0), seed, false, 150, REGION))
            .isZero();
      } catch (Exception | AssertionError e) {
        throw new AssertionError(over + ", " + Seeds.replay(seed) + ": " + e, e);
      }
    }
  }

  /** How many connections the proxy has ended. */
  private long run(Over over, Faults faults, long seed, boolean forgets, int steps, int max)
      throws Exception {
    TestEndpoint endpoint = new TestEndpoint(CLIENTS * REGION);
    Codec codec = new TestEndpoint.Words(forgets);
    Path place = folder.resolve(over + "-" + Long.toHexString(seed >>> 48));
    Address at =
        over == Over.TCP
            ? new Address.Tcp("127.0.0.1", 0, false)
            : new Address.Unix(place + ".door");
    ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
    try (Transport server = Transport.open(env, codec, options(over));
        Transport client = Transport.open(env, codec, options(over))) {
      Acceptor acceptor = server.listen(at);
      acceptor.serve("test", endpoint);
      try (FaultProxy proxy =
          over == Over.TCP
              ? FaultProxy.atTcp(acceptor.address(), faults, seed)
              : FaultProxy.at(Path.of(place + ".proxy"), acceptor.address(), faults, seed)) {
        List<Future<Outcome>> all = new ArrayList<>();
        for (int c = 0; c < CLIENTS; c++) {
          int number = c;
          all.add(
              threads.submit(
                  () -> act(client, proxy.address(), number, seed, steps, max, !forgets)));
        }
        List<Outcome> outcomes = new ArrayList<>();
        for (Future<Outcome> one : all) {
          outcomes.add(one.get());
        }
        proxy.set(Faults.NONE);
        check(endpoint, outcomes);
        checkMemoryIsBack(server, endpoint, at, acceptor);
        if (faults.flipBytes() > 0) {
          assertThat(proxy.flips()).isGreaterThan(20);
        }
        return proxy.resets();
      }
    } finally {
      threads.shutdownNow();
    }
  }

  private static void check(TestEndpoint endpoint, List<Outcome> outcomes) {
    assertThat(endpoint.counted.get())
        .as("counted once each")
        .isEqualTo(outcomes.stream().mapToLong(Outcome::counted).sum());
    List<Range> ranges = new ArrayList<>();
    outcomes.forEach(one -> ranges.addAll(one.ranges));
    ranges.sort(Comparator.comparingLong(Range::start));
    long end = 0;
    for (Range range : ranges) {
      assertThat(range.start).as("ranges without gaps and overlaps").isEqualTo(end);
      end += range.bytes;
    }
    assertThat(endpoint.pointer).hasValue(end);
  }

  /** Payloads that were lost half way have left nothing behind: all memory can be had. */
  private void checkMemoryIsBack(
      Transport server, TestEndpoint endpoint, Address at, Acceptor acceptor) throws IOException {
    try (Link link = server.connect(acceptor.address(), "test", env.deadlineAfter(TIMEOUT))) {
      byte[] max = new byte[CLIENTS * REGION];
      link.put(1, 0, MemorySegment.ofArray(max), 0, max.length, TIMEOUT);
      assertThat(endpoint.memory.toArray(ValueLayout.JAVA_BYTE)).isEqualTo(max);
    }
    assertThat(acceptor.usedTransferBytes("test")).as("memory in use at the end, %s", at).isZero();
  }

  private Outcome act(
      Transport client, Address to, int number, long seed, int steps, int max, boolean readsBack)
      throws IOException {
    Random random = new Random(seed + 100 + number);
    byte[] model = new byte[REGION];
    long base = (long) number * REGION;
    long counted = 0;
    List<Range> ranges = new ArrayList<>();
    try (Link link = client.connect(to, "test", env.deadlineAfter(TIMEOUT))) {
      for (int i = 0; i < steps; i++) {
        int length = (int) Math.pow(max, random.nextDouble());
        int at = random.nextInt(REGION - length + 1);
        byte[] bytes = new byte[length];
        switch (random.nextInt(6)) {
          case 0 -> {
            counted += 1 + i;
            link.call(
                new TestEndpoint.Count(1 + i), MemorySegment.NULL, env.deadlineAfter(TIMEOUT));
          }
          case 1 -> {
            long start = link.advance(1, length, 0, Long.MAX_VALUE, TIMEOUT);
            ranges.add(new Range(start, length));
          }
          case 2 -> {
            random.nextBytes(bytes);
            link.put(1, base + at, MemorySegment.ofArray(bytes), 0, length, TIMEOUT);
            System.arraycopy(bytes, 0, model, at, length);
          }
          case 3 -> {
            random.nextBytes(bytes);
            link.call(
                new TestEndpoint.Write(base + at, length),
                MemorySegment.ofArray(bytes),
                env.deadlineAfter(TIMEOUT));
            System.arraycopy(bytes, 0, model, at, length);
          }
          case 4 -> {
            link.get(1, base + at, MemorySegment.ofArray(bytes), 0, length, TIMEOUT);
            assertThat(bytes).isEqualTo(Arrays.copyOfRange(model, at, at + length));
          }
          default -> {
            link.call(
                new TestEndpoint.Read(base + at, length),
                MemorySegment.ofArray(bytes),
                env.deadlineAfter(TIMEOUT));
            assertThat(bytes).isEqualTo(Arrays.copyOfRange(model, at, at + length));
          }
        }
      }
      if (readsBack) {
        byte[] all = new byte[REGION];
        int slice = Math.max(512, Math.min(max, 4096));
        for (int at = 0; at < REGION; at += slice) {
          link.get(1, base + at, MemorySegment.ofArray(all), at, slice, TIMEOUT);
        }
        assertThat(all).isEqualTo(model);
      }
    }
    return new Outcome(counted, ranges);
  }
}
