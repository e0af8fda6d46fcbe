package org.millrace.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.millrace.access.Access;
import org.millrace.access.Pattern;
import org.millrace.access.View;
import org.millrace.access.copy.Places;
import org.millrace.disk.Disk;
import org.millrace.disk.MemoryDisk;
import org.millrace.disk.RecordingDisk;
import org.millrace.disk.RecordingDisk.Transfer;
import org.millrace.env.Env;
import org.millrace.env.SeededEnv;
import org.millrace.layout.Layout;
import org.millrace.testing.Seeds;

/**
 * What a disk-directed call does at the disk: which blocks it reads and writes, in which order, in
 * how many transfers, and how many of them at a time.
 */
class DirectOrderTest {

  private static final int B = 1 << 16;
  private static final int BLOCKS = 24;
  private static final Layout ONE = Layout.striped(B, 1);
  private static final NodeOptions BLOCKWISE =
      NodeOptions.of(128L * B).withWorkers(3).withBufferBytes(B);

  /** A place for each block, by chance. */
  private static List<Long> shuffled(long seed) {
    List<Long> places = new ArrayList<>(LongStream.range(0, BLOCKS).boxed().toList());
    Collections.shuffle(places, new Random(seed));
    return places;
  }

  private static List<Long> sorted(List<Long> blocks, List<Long> places) {
    return blocks.stream().sorted(Comparator.comparing(b -> places.get(b.intValue()))).toList();
  }

  private static List<Long> all() {
    return LongStream.range(0, BLOCKS).boxed().toList();
  }

  private static byte[] random(int size) {
    byte[] bytes = new byte[size];
    new Random(9).nextBytes(bytes);
    return bytes;
  }

  /** Parts of ranks that have every so many bytes of some blocks each. */
  private static List<DirectWorld.Part> cyclic(
      DirectWorld world, int ranks, int grain, long size, @Nullable Random random) {
    List<DirectWorld.Part> parts = new ArrayList<>();
    for (int r = 0; r < ranks; r++) {
      View view = new View((long) r * grain, Pattern.run(grain), (long) ranks * grain);
      MemorySegment memory = world.memory(size / ranks, false);
      if (random != null) {
        byte[] bytes = new byte[(int) (size / ranks)];
        random.nextBytes(bytes);
        memory.copyFrom(MemorySegment.ofArray(bytes));
      }
      Access access = new Access(view, 0, size / ranks);
      parts.add(new DirectWorld.Part(r, access, Places.packed(size / ranks), memory));
    }
    return parts;
  }

  private static void checkRead(DirectWorld world, List<DirectWorld.Part> parts) {
    for (DirectWorld.Part part : parts) {
      assertThat(part.memory().toArray(ValueLayout.JAVA_BYTE)).isEqualTo(world.expectRead(part));
    }
  }

  /** What a test does with a world over one recording disk; the node's cache is empty. */
  private interface Scene {
    void play(DirectWorld world, RecordingDisk disk) throws IOException;
  }

  private static void play(Env env, NodeOptions options, List<Long> places, Scene scene)
      throws IOException {
    RecordingDisk disk =
        new RecordingDisk(
            new MemoryDisk("d"), B, b -> b < places.size() ? places.get((int) b) : -1);
    try (DirectWorld world = new DirectWorld(env, ONE, BLOCKS * B, options, List.<Disk>of(disk))) {
      world.fill(0, random(BLOCKS * B));
      world.restart();
      disk.forget();
      scene.play(world, disk);
    }
  }

  @Test
  void coldBlocksAreReadInTheOrderOfTheirPlacesOneAtATime() throws IOException {
    for (long seed : Seeds.of(10)) {
      List<Long> places = shuffled(seed);
      Scene scene =
          (world, disk) -> {
            List<DirectWorld.Part> parts = cyclic(world, 4, 8, BLOCKS * B, null);
            world.move(false, 4, parts, List.of(2, 0, 3, 1));
            assertThat(disk.blocks(false)).as(Seeds.replay(seed)).isEqualTo(sorted(all(), places));
            assertThat(disk.blocks(true)).isEmpty();
            assertThat(disk.maxUnderWay()).isEqualTo(1);
            checkRead(world, parts);
          };
      play(Env.real(), BLOCKWISE, places, scene);
      SeededEnv env = SeededEnv.of(seed);
      env.run(() -> unchecked(() -> play(env, BLOCKWISE, places, scene)));
    }
  }

  private interface Body {
    void run() throws IOException;
  }

  private static void unchecked(Body body) {
    try {
      body.run();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void withoutPlacesTheOrderIsTheStrandsAndThatIsAnother() throws IOException {
    List<Long> places = shuffled(1);
    assertThat(sorted(all(), places)).isNotEqualTo(all()); // else the test above shows nothing
    play(
        Env.real(),
        BLOCKWISE,
        List.of(),
        (world, disk) -> {
          world.move(false, 4, cyclic(world, 4, 8, BLOCKS * B, null), List.of(0, 1, 2, 3));
          assertThat(disk.blocks(false)).isEqualTo(all());
        });
  }

  @Test
  void writesAreOnTheDiskInTheOrderOfTheirPlacesWhenTheCallEnds() throws IOException {
    for (long seed : Seeds.of(10)) {
      List<Long> places = shuffled(seed);
      play(
          Env.real(),
          BLOCKWISE,
          places,
          (world, disk) -> {
            List<DirectWorld.Part> parts = cyclic(world, 4, 8, BLOCKS * B, new Random(seed));
            world.move(true, 4, parts, List.of(1, 2, 3, 0));
            assertThat(disk.blocks(true)).as(Seeds.replay(seed)).isEqualTo(sorted(all(), places));
            assertThat(disk.blocks(false)).isEmpty(); // all are written whole
            assertThat(disk.maxUnderWay()).isEqualTo(1);
            assertThat(world.counter("dirtyBlocks")).isZero();
            world.expectWrite(parts);
            assertThat(DirectWorld.difference(world.content(), world.file)).isEmpty();
          });
    }
  }

  @Test
  void blocksWrittenInPartAreReadAndWrittenInTheOrderOfTheirPlaces() throws IOException {
    for (long seed : Seeds.of(10)) {
      List<Long> places = shuffled(seed);
      play(
          Env.real(),
          BLOCKWISE,
          places,
          (world, disk) -> {
            List<DirectWorld.Part> parts =
                cyclic(world, 4, 8, BLOCKS * B, new Random(seed)).subList(0, 3);
            world.move(true, 3, parts, List.of(1, 2, 0));
            assertThat(disk.blocks(false)).as(Seeds.replay(seed)).isEqualTo(sorted(all(), places));
            assertThat(disk.blocks(true)).as(Seeds.replay(seed)).isEqualTo(sorted(all(), places));
            assertThat(disk.maxUnderWay()).isEqualTo(1);
            world.expectWrite(parts);
            assertThat(DirectWorld.difference(world.content(), world.file)).isEmpty();
          });
    }
  }

  @Test
  void neighboursOnTheDiskAreOneTransferAsFarAsABufferReaches() throws IOException {
    NodeOptions buffers = BLOCKWISE.withBufferBytes(4L * B);
    List<Long> places = new ArrayList<>(all());
    Collections.rotate(places, 6); // block 0 lies at 18, block 6 at 0
    for (boolean write : new boolean[] {false, true}) {
      play(
          Env.real(),
          buffers,
          places,
          (world, disk) -> {
            world.move(write, 2, cyclic(world, 2, 8, BLOCKS * B, null), List.of(0, 1));
            List<Transfer> expected = new ArrayList<>();
            for (long first = 6; first < BLOCKS; first += 4) {
              expected.add(new Transfer(write, first, Math.min(4, BLOCKS - first)));
            }
            expected.add(new Transfer(write, 0, 4));
            expected.add(new Transfer(write, 4, 2));
            assertThat(disk.transfers()).isEqualTo(expected);
          });
    }
  }

  @Test
  void shortWritesHaveTwoStepsForEachBufferSoThatTheDiskNeedNotWaitForAll() throws IOException {
    NodeOptions buffers = BLOCKWISE.withBufferBytes(4L * B);
    play(
        Env.real(),
        buffers,
        all(),
        (world, disk) -> {
          List<DirectWorld.Part> parts = cyclic(world, 2, 8, 8L * B, new Random(1));
          world.move(true, 2, parts, List.of(0, 1));
          assertThat(disk.transfers())
              .containsExactlyInAnyOrder(
                  new Transfer(true, 0, 2),
                  new Transfer(true, 2, 2),
                  new Transfer(true, 4, 2),
                  new Transfer(true, 6, 2));
          world.expectWrite(parts);
          assertThat(DirectWorld.difference(world.content(), world.file)).isEmpty();
        });
  }

  @Test
  void unwantedBlocksAreNeitherReadNorWritten() throws IOException {
    List<Long> places = shuffled(3);
    for (boolean write : new boolean[] {false, true}) {
      play(
          Env.real(),
          BLOCKWISE,
          places,
          (world, disk) -> {
            View third = new View(2L * B, Pattern.run(B), 3L * B);
            View backwards =
                new View(0, Pattern.indexed(new long[] {9L * B, 1L * B}, new long[] {B, B}), 0);
            DirectWorld.Part up = part(world, 0, third, 8L * B);
            DirectWorld.Part down = part(world, 1, backwards, 2L * B);
            world.move(write, 2, List.of(up, down), List.of(1, 0));
            List<Long> wanted = List.of(1L, 2L, 5L, 8L, 9L, 11L, 14L, 17L, 20L, 23L);
            assertThat(disk.blocks(write)).isEqualTo(sorted(wanted, places));
            assertThat(disk.blocks(!write)).isEmpty();
          });
    }
  }

  private static DirectWorld.Part part(DirectWorld world, int rank, View view, long size) {
    return new DirectWorld.Part(
        rank, new Access(view, 0, size), Places.packed(size), world.memory(size, false));
  }
}
