package org.millrace.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.millrace.client.ClusterOptions;
import org.millrace.client.Limits;
import org.millrace.client.Program;
import org.millrace.client.Rank;
import org.millrace.client.Received;
import org.millrace.cluster.RunningCluster;
import org.millrace.daemon.ServerOptions;
import org.millrace.disk.Disk;
import org.millrace.disk.MemoryDisk;
import org.millrace.env.Env;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.launch.Launch;
import org.millrace.launch.process.ProcessRank;
import org.millrace.launch.process.ProcessRankOptions;
import org.millrace.message.TransportOptions;

/**
 * The group's operations and messages, of sizes around every limit on their way, with ranks that
 * come late. No wait has a deadline that the test would reach: what hangs fails by the time limit.
 */
final class GroupMessagesTest {

  /** How ranks reach each other. */
  enum Way {
    METHOD_CALLS,
    SHARED_MEMORY,
    SOCKETS
  }

  private static final long HOUR = 3_600_000_000_000L;
  private static final int KIB = 1 << 10;
  private static final int MIB = 1 << 20;

  /** Less than the largest payload, so that messages that come with their bytes find no room. */
  private static final int SMALL_MAILBOX = 3 * MIB;

  @TempDir private Path directory;

  private void run(Way way, int ranks, long mailbox, Program program) throws Exception {
    run(way, ranks, mailbox, TransportOptions.DEFAULT, program);
  }

  private void run(Way way, int ranks, long mailbox, TransportOptions others, Program program)
      throws Exception {
    ClusterOptions options = BadInputs.options().withLimits(new Limits(HOUR, HOUR, 64, mailbox));
    if (way == Way.METHOD_CALLS) {
      List<Disk> nodes = List.of(new MemoryDisk("n"));
      try (RunningCluster cluster =
          RunningCluster.over(Env.real(), new MemoryDisk("c"), nodes, options)) {
        cluster.run(ranks, program);
      }
      return;
    }
    var transport = others.withSharedMemory(way == Way.SHARED_MEMORY);
    ProcessRankOptions launched =
        ProcessRankOptions.of(options).withServer(ServerOptions.of(options, transport));
    List<FutureTask<Void>> tasks = new ArrayList<>();
    for (int r = 0; r < ranks; r++) {
      Launch launch = new Launch("test", "job", r, ranks);
      Callable<Void> body =
          () -> {
            try (ProcessRank one = ProcessRank.asPeer(launch, directory, 1, launched)) {
              one.run(program);
            }
            return null;
          };
      FutureTask<Void> task = new FutureTask<>(body);
      Thread.ofPlatform().daemon().start(task);
      tasks.add(task);
    }
    for (FutureTask<Void> task : tasks) {
      task.get();
    }
  }

  /** More than the largest message, from whose many places contents begin. */
  private static final byte[] BYTES = new byte[65 * MIB];

  static {
    new Random(1).nextBytes(BYTES);
  }

  /** Bytes that differ with their sender, their receiver and their place. */
  private static byte[] content(int from, int to, int size) {
    int start = 31 * from + 7 * to + 1;
    return Arrays.copyOfRange(BYTES, start, start + size);
  }

  /** Keeps one rank back until all others are about to call. */
  private static final class Late {
    private final AtomicInteger come = new AtomicInteger();

    void await(Rank rank, int call) {
      int late = call % rank.size();
      int others = rank.size() - 1;
      if (rank.number() != late) {
        come.incrementAndGet();
        return;
      }
      while (come.get() < (call + 1) * others) {
        Thread.onSpinWait();
        Thread.yield();
      }
    }
  }

  private static void allOperations(Rank rank, int size, Late late, int first) throws IOException {
    int call = first;
    int p = rank.size();
    int me = rank.number();
    byte[] mine = content(me, 0, size);

    int root = size % p;
    late.await(rank, call++);
    assertThat(rank.broadcast(root, mine)).isEqualTo(content(root, 0, size));
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment inPlace = arena.allocate(size + 1L).asSlice(0, size);
      inPlace.copyFrom(MemorySegment.ofArray(mine));
      late.await(rank, call++);
      rank.broadcast(root, inPlace);
      assertThat(inPlace.mismatch(MemorySegment.ofArray(content(root, 0, size)))).isEqualTo(-1);
    }
    late.await(rank, call++);
    List<byte[]> gathered = rank.gather(root, mine);
    assertThat(gathered).hasSize(me == root ? p : 0);
    for (int from = 0; from < gathered.size(); from++) {
      assertThat(gathered.get(from)).isEqualTo(content(from, 0, size));
    }
    late.await(rank, call++);
    List<byte[]> all = rank.allGather(mine);
    for (int from = 0; from < p; from++) {
      assertThat(all.get(from)).isEqualTo(content(from, 0, size));
    }
    List<byte[]> parts = new ArrayList<>();
    for (int to = 0; to < p; to++) {
      parts.add(content(me, to, size));
    }
    late.await(rank, call++);
    List<byte[]> got = rank.allToAll(parts);
    for (int from = 0; from < p; from++) {
      assertThat(got.get(from)).isEqualTo(content(from, me, size));
    }
    reductions(rank, size / 8 + 1, root, late, call);
    call += 4;
    late.await(rank, call);
    ring(rank, size);
  }

  private static void reductions(Rank rank, int length, int root, Late late, int first)
      throws IOException {
    int call = first;
    long[] longs = new long[length];
    double[] doubles = new double[length];
    for (int i = 0; i < length; i++) {
      longs[i] = 1000L * rank.number() + i;
      doubles[i] = rank.number() - i;
    }
    late.await(rank, call++);
    checkLongs(rank, rank.allReduce(longs, (a, b) -> 31 * a + b), length);
    late.await(rank, call++);
    checkLongs(
        rank, rank.reduce(root, longs, (a, b) -> 31 * a + b), rank.number() == root ? length : 0);
    late.await(rank, call++);
    checkDoubles(rank, rank.allReduce(doubles, Math::max), length);
    late.await(rank, call);
    checkDoubles(rank, rank.reduce(root, doubles, Math::max), rank.number() == root ? length : 0);
  }

  private static void checkLongs(Rank rank, long[] result, int length) {
    assertThat(result.length).isEqualTo(length);
    for (int i = 0; i < length; i++) {
      long expected = i;
      for (int r = 1; r < rank.size(); r++) {
        expected = 31 * expected + 1000L * r + i; // only the order of ranks gives this
      }
      if (result[i] != expected) {
        assertThat(result[i]).as("element %d", i).isEqualTo(expected);
      }
    }
  }

  private static void checkDoubles(Rank rank, double[] result, int length) {
    assertThat(result.length).isEqualTo(length);
    for (int i = 0; i < length; i++) {
      if (result[i] != rank.size() - 1.0 - i) {
        assertThat(result[i]).as("element %d", i).isEqualTo(rank.size() - 1.0 - i);
      }
    }
  }

  /** Each sends to the next; every other rank receives first, so that sends of any size end. */
  private static void ring(Rank rank, int size) throws IOException {
    int p = rank.size();
    int me = rank.number();
    int next = (me + 1) % p;
    int before = (me + p - 1) % p;
    if (p == 1) {
      return; // who sends itself more than fits waits for itself
    }
    byte[] into = new byte[size + 3];
    if (me % 2 == 0) {
      rank.send(next, 5, content(me, next, size));
      long length = rank.receive(before, 5, MemorySegment.ofArray(into));
      assertThat(length).isEqualTo(size);
      assertThat(MemorySegment.ofArray(into).asSlice(0, size).mismatch(segment(before, me, size)))
          .isEqualTo(-1);
    } else {
      Received received = rank.receive(Rank.ANY, 5);
      assertThat(received.from()).isEqualTo(before);
      assertThat(received.bytes()).isEqualTo(content(before, me, size));
      rank.send(next, 5, content(me, next, size));
    }
  }

  private static MemorySegment segment(int from, int to, int size) {
    return MemorySegment.ofArray(content(from, to, size));
  }

  @ParameterizedTest
  @CsvSource({
    "METHOD_CALLS, 1",
    "METHOD_CALLS, 3",
    "SHARED_MEMORY, 2",
    "SHARED_MEMORY, 5",
    "SOCKETS, 1",
    "SOCKETS, 4"
  })
  void allOperationsMoveMessagesOfAllSizes(Way way, int ranks) throws Exception {
    List<Integer> sizes = new ArrayList<>(List.of(0, 1));
    List.of(64 * KIB, 256 * KIB, SMALL_MAILBOX - 64, 4 * MIB)
        .forEach(limit -> sizes.addAll(List.of(limit - 1, limit, limit + 1)));
    Late late = new Late();
    int callsOfOne = 10;
    run(
        way,
        ranks,
        SMALL_MAILBOX,
        rank -> {
          for (int i = 0; i < sizes.size(); i++) {
            allOperations(rank, sizes.get(i), late, i * callsOfOne);
          }
        });
  }

  @ParameterizedTest
  @EnumSource(Way.class)
  void messagesOfSeveralPartsArrive(Way way) throws Exception {
    Late late = new Late();
    run(
        way,
        2,
        Limits.DEFAULT.mailboxBytes(),
        rank -> {
          int call = 0;
          for (int size : List.of(16 * MIB + 1, 33 * MIB, 64 * MIB - 64, 64 * MIB + 1)) {
            late.await(rank, call++);
            ring(rank, size);
          }
          reductions(rank, 524_289, 0, late, call);
        });
  }

  @ParameterizedTest
  @EnumSource(Way.class)
  void bothMaySendFirstAsLongAsTheMailboxHasRoom(Way way) throws Exception {
    run(
        way,
        2,
        Limits.DEFAULT.mailboxBytes(),
        rank -> {
          int other = 1 - rank.number();
          rank.send(other, 1, content(rank.number(), other, 9 * MIB));
          rank.send(other, 2, content(other, rank.number(), 7));
          assertThat(rank.receive(other, 1).bytes())
              .isEqualTo(content(other, rank.number(), 9 * MIB));
          assertThat(rank.receive(other, 2).bytes()).isEqualTo(content(rank.number(), other, 7));
        });
  }

  @ParameterizedTest
  @EnumSource(Way.class)
  void aMessageThatIsTooLongStaysAndIsReceivedIntoMoreMemory(Way way) throws Exception {
    run(
        way,
        2,
        1000,
        rank -> {
          for (int size : List.of(100, 5 * MIB)) {
            if (rank.number() == 0) {
              rank.send(1, 1, content(0, 1, size));
            } else {
              MemorySegment little = MemorySegment.ofArray(new byte[10]);
              assertThatThrownBy(() -> rank.receive(0, 1, little))
                  .isInstanceOfSatisfying(
                      MillraceException.class,
                      e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID))
                  .hasMessageContaining(size + " bytes")
                  .hasMessageContaining("10");
              assertThat(rank.receive(0, 1).bytes()).isEqualTo(content(0, 1, size));
            }
          }
        });
  }

  /** Large messages that find no room wait at their senders, and keep no memory from others. */
  @ParameterizedTest
  @EnumSource(Way.class)
  void messagesThatWaitLeaveRoomForThoseThatAreReceivedFirst(Way way) throws Exception {
    int size = 4 * MIB;
    int next = 100 * KIB;
    run(
        way,
        4,
        1000,
        TransportOptions.DEFAULT.withTransferBytes(8L * MIB),
        rank -> {
          if (rank.number() == 0) {
            for (int from = 1; from < 4; from++) {
              assertThat(rank.receive(from, 2).bytes()).isEqualTo(content(from, 2, next));
            }
            for (int from = 1; from < 4; from++) {
              assertThat(rank.receive(from, 1).bytes()).isEqualTo(content(from, 1, size));
            }
            return;
          }
          FutureTask<Void> large =
              new FutureTask<>(
                  () -> {
                    rank.send(0, 1, content(rank.number(), 1, size));
                    return null;
                  });
          Thread.ofPlatform().daemon().start(large);
          rank.send(0, 2, content(rank.number(), 2, next));
          try {
            large.get();
          } catch (Exception e) {
            throw new IOException(e);
          }
        });
  }
}
