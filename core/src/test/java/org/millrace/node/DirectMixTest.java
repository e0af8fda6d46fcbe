package org.millrace.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.access.Access;
import org.millrace.access.Pattern;
import org.millrace.access.View;
import org.millrace.access.copy.Places;
import org.millrace.disk.Disk;
import org.millrace.disk.DiskExtent;
import org.millrace.disk.FileDisk;
import org.millrace.disk.MemoryDisk;
import org.millrace.disk.RecordingDisk;
import org.millrace.env.Env;
import org.millrace.env.SeededEnv;
import org.millrace.env.ThreadKind;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.layout.Layout;
import org.millrace.message.Link;
import org.millrace.message.Pending;
import org.millrace.protocol.CollectiveId;
import org.millrace.protocol.NodeRequest;
import org.millrace.protocol.StrandId;
import org.millrace.testing.Seeds;

/**
 * Disk-directed calls beside what the cache holds, beside each other, over disks that fail and over
 * real files: the order at the disk is one, and nothing is lost.
 */
class DirectMixTest {

  private static final int B = 1 << 16;
  private static final int BLOCKS = 16;
  private static final Layout ONE = Layout.striped(B, 1);
  private static final NodeOptions BLOCKWISE =
      NodeOptions.of(128L * B).withWorkers(3).withBufferBytes(B);

  private static List<Long> shuffled(Random random) {
    List<Long> places = new ArrayList<>(LongStream.range(0, BLOCKS).boxed().toList());
    Collections.shuffle(places, random);
    return places;
  }

  private static List<Long> sorted(Set<Long> blocks, List<Long> places) {
    return blocks.stream().sorted(Comparator.comparing(b -> places.get(b.intValue()))).toList();
  }

  private static byte[] bytes(Random random, int size) {
    byte[] bytes = new byte[size];
    random.nextBytes(bytes);
    return bytes;
  }

  private static DirectWorld world(Env env, NodeOptions options, RecordingDisk disk)
      throws IOException {
    DirectWorld world = new DirectWorld(env, ONE, BLOCKS * B, options, List.<Disk>of(disk));
    world.fill(0, bytes(new Random(7), BLOCKS * B));
    world.restart();
    disk.forget();
    return world;
  }

  /** Parts of ranks that have every so many bytes each. */
  private static List<DirectWorld.Part> cyclic(DirectWorld world, int ranks, Random random) {
    List<DirectWorld.Part> parts = new ArrayList<>();
    long size = (long) BLOCKS * B / ranks;
    for (int r = 0; r < ranks; r++) {
      View view = new View(8L * r, Pattern.run(8), 8L * ranks);
      MemorySegment memory = world.memory(size, false);
      memory.copyFrom(MemorySegment.ofArray(bytes(random, (int) size)));
      parts.add(new DirectWorld.Part(r, new Access(view, 0, size), Places.packed(size), memory));
    }
    return parts;
  }

  private static void touch(DirectWorld world, long block) throws IOException {
    try (Link link = world.link(0, 400)) {
      MemorySegment one = MemorySegment.ofArray(new byte[1]);
      link.get(world.strand(0).key(), block * B, one, 0, 1, Env.NEVER);
    }
  }

  @Test
  void cachedBlocksStayAwayFromTheDiskAndDirtyOnesAreKept() throws IOException {
    for (long seed : Seeds.of(12)) {
      Random random = new Random(seed);
      List<Long> places = shuffled(random);
      RecordingDisk disk = new RecordingDisk(new MemoryDisk("d"), B, b -> places.get((int) b));
      NodeOptions quiet =
          BLOCKWISE.withCache(BLOCKWISE.cache().withReadAheadBytes(0).withWriteBehindPercent(100));
      try (DirectWorld world = world(Env.real(), quiet, disk)) {
        TreeSet<Long> absent = new TreeSet<>();
        long dirty = 0;
        for (int b = 0; b < BLOCKS; b++) {
          switch (random.nextInt(4)) {
            case 0 -> touch(world, b);
            case 1 -> {
              world.fill(b * B, bytes(random, B)); // dirty, and whole
              dirty++;
            }
            case 2 -> {
              world.fill(b * B + 100, bytes(random, 5000)); // dirty, and the rest is on the disk
              dirty++;
              absent.add((long) b);
            }
            default -> absent.add((long) b);
          }
        }
        disk.forget();
        List<DirectWorld.Part> parts = cyclic(world, 4, random);
        world.move(false, 4, parts, List.of(3, 0, 1, 2));
        assertThat(disk.blocks(false)).as(Seeds.replay(seed)).isEqualTo(sorted(absent, places));
        assertThat(disk.blocks(true)).isEmpty();
        assertThat(world.counter("dirtyBlocks")).isEqualTo(dirty);
        for (DirectWorld.Part part : parts) {
          assertThat(part.memory().toArray(ValueLayout.JAVA_BYTE))
              .isEqualTo(world.expectRead(part));
        }
        disk.forget();
        List<DirectWorld.Part> some = cyclic(world, 4, random).subList(0, 3);
        world.expectWrite(some);
        world.move(true, 3, some, List.of(2, 1, 0));
        TreeSet<Long> all = new TreeSet<>(LongStream.range(0, BLOCKS).boxed().toList());
        assertThat(disk.blocks(false)).as("all are in the cache by now").isEmpty();
        assertThat(disk.blocks(true)).as(Seeds.replay(seed)).isEqualTo(sorted(all, places));
        assertThat(world.counter("dirtyBlocks")).isZero();
        assertThat(DirectWorld.difference(world.content(), world.file)).isEmpty();
        world.restart(); // and from the disk, with its checksums
        assertThat(DirectWorld.difference(world.content(), world.file)).isEmpty();
      }
    }
  }

  @Test
  void aDiskThatFailsFailsTheCallForAllRanksAndLosesNothingDirty() throws IOException {
    for (boolean write : new boolean[] {false, true}) {
      RecordingDisk disk = new RecordingDisk(new MemoryDisk("d"), B, b -> BLOCKS - b);
      try (DirectWorld world = world(Env.real(), BLOCKWISE, disk)) {
        Random random = new Random(3);
        world.fill(2 * B, bytes(random, 3 * B)); // dirty before
        disk.watch(
            transfer -> {
              if (transfer.write() == write && transfer.first() == 9) {
                throw new MillraceException(ErrorCode.DISK, "planted");
              }
            });
        List<DirectWorld.Part> parts = cyclic(world, 4, random);
        var call = world.nextCall();
        List<Pending> pending = new ArrayList<>();
        try (Link link = world.link(0, 70)) {
          for (int r = 0; r < 4; r++) {
            NodeRequest request = world.request(0, call, write, 4, parts, r);
            pending.add(link.start(request, parts.get(r).memory()));
          }
          for (Pending one : pending) {
            assertThatThrownBy(() -> one.await(Env.NEVER)).hasMessageContaining("planted");
          }
        }
        disk.watch(_ -> {});
        if (write) {
          // what came before the failure is new, what comes behind it is old; the same call again
          // makes it whole
          world.expectWrite(parts);
          world.move(true, 4, parts, List.of(0, 1, 2, 3));
        }
        assertThat(DirectWorld.difference(world.content(), world.file)).isEmpty();
        world.restart();
        assertThat(DirectWorld.difference(world.content(), world.file)).isEmpty();
      }
    }
  }

  @Test
  void theDiskServesOneCallsScheduleAtATime() {
    boolean mixed = false;
    for (long seed : Seeds.of(20)) {
      List<String> directed = files(seed, true);
      assertThat(changes(directed)).as(Seeds.replay(seed)).isEqualTo(1);
      mixed |= changes(files(seed, false)) > 1;
    }
    assertThat(mixed).as("plain reads of two strands come in any order").isTrue();
  }

  private static long changes(List<String> files) {
    assertThat(files).hasSize(2 * BLOCKS);
    return LongStream.range(1, files.size())
        .filter(i -> !files.get((int) i).equals(files.get((int) i - 1)))
        .count();
  }

  /** Which strands were read, in order, when two threads read one strand each. */
  private static List<String> files(long seed, boolean directed) {
    SeededEnv env = SeededEnv.of(seed);
    RecordingDisk disk = new RecordingDisk(new MemoryDisk("d"), B, b -> b);
    NodeOptions plain = BLOCKWISE.withCache(BLOCKWISE.cache().withReadAheadBytes(0));
    env.run(
        () -> {
          try (DirectWorld world = world(env, plain, disk)) {
            StrandId other = new StrandId(77, 0);
            byte[] content = bytes(new Random(1), BLOCKS * B);
            try (Link link = world.link(0, 60)) {
              link.call(
                  new NodeRequest.Create(other, Layout.DEFAULT_BLOCK_BYTES),
                  MemorySegment.NULL,
                  Env.NEVER);
              link.put(
                  other.key(), 0, MemorySegment.ofArray(content), 0, content.length, Env.NEVER);
            }
            world.restart();
            disk.forget();
            List<Thread> threads = new ArrayList<>();
            for (StrandId strand : List.of(world.strand(0), other)) {
              Runnable body = () -> read(world, strand, directed);
              threads.add(env.start(ThreadKind.RANK, "reader of " + strand, body));
            }
            for (Thread thread : threads) {
              thread.join();
            }
          } catch (IOException | InterruptedException e) {
            throw new AssertionError(Seeds.replay(seed), e);
          }
        });
    return disk.files();
  }

  private static void read(DirectWorld world, StrandId strand, boolean directed) {
    long size = (long) BLOCKS * B;
    MemorySegment memory = world.memory(size, false);
    try (Link link = world.link(0, 100 + (int) strand.file())) {
      if (directed) {
        Access whole = new Access(View.WHOLE, 0, size);
        link.call(
            new NodeRequest.Direct(strand, world.nextCall(), false, 0, 1, 0, 0, 1, 2, ONE, whole),
            memory,
            Env.NEVER);
      } else {
        for (long at = 0; at < size; at += B) {
          link.get(strand.key(), at, memory, at, B, Env.NEVER);
        }
      }
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aWithdrawalInTheMiddleStopsTheCallAndIsAnsweredWhenNoMemoryIsTouchedAnyMore()
      throws Exception {
    RecordingDisk disk = new RecordingDisk(new MemoryDisk("d"), B, b -> b);
    try (DirectWorld world = world(Env.real(), BLOCKWISE, disk);
        Link link = world.link(0, 1);
        Link other = world.link(0, 2)) {
      Held held = new Held(disk);
      List<DirectWorld.Part> parts = cyclic(world, 1, new Random(5));
      var call = world.nextCall();
      Started rank = new Started(() -> start(world, link, call, parts));
      held.begun.await();
      Pending withdrawal =
          other.start(new NodeRequest.WithdrawDirect(world.strand(0), call), MemorySegment.NULL);
      assertThat(withdrawal.isDone()).isFalse();
      held.goOn.countDown();
      withdrawal.await(Env.NEVER);
      byte[] atAnswer = parts.getFirst().memory().toArray(ValueLayout.JAVA_BYTE);
      assertThatThrownBy(() -> rank.pending().await(Env.NEVER))
          .isInstanceOfSatisfying(
              MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.DEADLINE));
      assertThat(parts.getFirst().memory().toArray(ValueLayout.JAVA_BYTE)).isEqualTo(atAnswer);
      assertThat(disk.blocks(false)).hasSizeLessThan(BLOCKS);
      world.move(false, 1, parts, List.of(0)); // the next call finds everything in order
      assertThat(parts.getFirst().memory().toArray(ValueLayout.JAVA_BYTE))
          .isEqualTo(world.expectRead(parts.getFirst()));
    }
  }

  @Test
  void aWithdrawnCallDoesNotWaitForTheDiskThatAnotherCallHas() throws Exception {
    RecordingDisk disk = new RecordingDisk(new MemoryDisk("d"), B, b -> b);
    try (DirectWorld world = world(Env.real(), BLOCKWISE, disk);
        Link link = world.link(0, 1);
        Link second = world.link(0, 2);
        Link third = world.link(0, 3)) {
      Held held = new Held(disk);
      List<DirectWorld.Part> parts = cyclic(world, 1, new Random(5));
      List<DirectWorld.Part> others = cyclic(world, 1, new Random(6));
      var first = world.nextCall();
      var late = world.nextCall();
      Started has = new Started(() -> start(world, link, first, parts));
      held.begun.await();
      Started waits = new Started(() -> start(world, second, late, others));
      NodeRequest withdrawal = new NodeRequest.WithdrawDirect(world.strand(0), late);
      third.start(withdrawal, MemorySegment.NULL).await(Env.NEVER); // while the disk stands still
      assertThatThrownBy(() -> waits.pending().await(Env.NEVER))
          .isInstanceOfSatisfying(
              MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.DEADLINE));
      held.goOn.countDown();
      has.pending().await(Env.NEVER);
      assertThat(parts.getFirst().memory().toArray(ValueLayout.JAVA_BYTE))
          .isEqualTo(world.expectRead(parts.getFirst()));
    }
  }

  /** A disk whose transfers wait until they may go on. */
  private static final class Held {
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch goOn = new CountDownLatch(1);

    Held(RecordingDisk disk) {
      disk.watch(
          transfer -> {
            begun.countDown();
            try {
              goOn.await();
            } catch (InterruptedException e) {
              throw new AssertionError(e);
            }
          });
    }
  }

  private static Pending start(
      DirectWorld world, Link link, CollectiveId call, List<DirectWorld.Part> parts) {
    return link.start(world.request(0, call, false, 1, parts, 0), parts.getFirst().memory());
  }

  /** A request that a thread of its own makes, which may be the one that does the work. */
  private static final class Started {
    private final CompletableFuture<Pending> pending = new CompletableFuture<>();

    Started(Supplier<Pending> request) {
      Thread.ofPlatform().start(() -> pending.complete(request.get()));
    }

    Pending pending() {
      return pending.join();
    }
  }

  @Test
  void theDiskIsAskedWhereAStrandLiesOnlyAfterTheStrandWasGivenRoom() throws IOException {
    RecordingDisk disk = new RecordingDisk(new MemoryDisk("d"), B, b -> b);
    try (DirectWorld world = world(Env.real(), BLOCKWISE, disk)) {
      List<DirectWorld.Part> parts = cyclic(world, 2, new Random(1));
      for (int i = 0; i < 3; i++) {
        world.move(i == 1, 2, parts, List.of(0, 1));
      }
      assertThat(disk.asked()).isEqualTo(1);
      try (Link link = world.link(0, 5)) {
        MemorySegment one = MemorySegment.ofArray(new byte[B]);
        link.put(world.strand(0).key(), (long) BLOCKS * B, one, 0, B, Env.NEVER);
        link.call(new NodeRequest.Flush(world.strand(0)), MemorySegment.NULL, Env.NEVER);
      }
      world.move(false, 2, parts, List.of(0, 1));
      world.move(false, 2, parts, List.of(0, 1));
      assertThat(disk.asked()).isEqualTo(2);
    }
  }

  @Test
  void realFilesAreReadInTheOrderOfTheKernelsMap(@TempDir Path folder) throws IOException {
    try (FileDisk files = FileDisk.open(folder)) {
      RecordingDisk disk = new RecordingDisk(files, B, null);
      try (DirectWorld world =
          new DirectWorld(Env.real(), ONE, BLOCKS * B, BLOCKWISE, List.<Disk>of(disk))) {
        Random random = new Random(2);
        for (long b : shuffled(random)) { // each is given its place when it is forced
          world.fill((int) b * B, bytes(random, B));
          try (Link link = world.link(0, 5)) {
            link.call(new NodeRequest.Flush(world.strand(0)), MemorySegment.NULL, Env.NEVER);
          }
        }
        world.restart();
        String strand = files.list().stream().filter(n -> n.endsWith(".strand")).findFirst().get();
        List<DiskExtent> places;
        try (var file = files.open(strand)) {
          places = file.placements(0, (long) BLOCKS * B);
        }
        disk.forget();
        List<DirectWorld.Part> parts = cyclic(world, 4, random);
        world.move(false, 4, parts, List.of(0, 1, 2, 3));
        TreeSet<Long> all = new TreeSet<>(LongStream.range(0, BLOCKS).boxed().toList());
        List<Long> where = all.stream().map(b -> place(places, b * B)).toList();
        assertThat(disk.blocks(false)).isEqualTo(sorted(all, where));
        for (DirectWorld.Part part : parts) {
          assertThat(part.memory().toArray(ValueLayout.JAVA_BYTE))
              .isEqualTo(world.expectRead(part));
        }
      }
    }
  }

  /** Where a byte lies, by a naive search; last if nobody knows. */
  private static long place(List<DiskExtent> places, long position) {
    return places.stream()
        .filter(one -> one.position() <= position && position < one.end())
        .mapToLong(one -> one.place() + position - one.position())
        .findFirst()
        .orElse(Long.MAX_VALUE);
  }
}
