package org.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.millrace.env.Env;
import org.millrace.testing.Seeds;

/**
 * Records that several holders of kept pins append, in any order, while pins expire, holders die,
 * blocks go, the strand is cut and flushed: after each step size and bytes are what the records
 * that count say, and what was flushed survives a crash.
 */
final class KeptPinModelTest {

  private static final int B = 4096;
  private static final int HOLDERS = 4;
  private static final int STEPS = 300;
  private static final int MAX = 40 * B;

  @Test
  void everyRecordThatCountsIsThere() throws IOException {
    for (long seed : Seeds.of(20)) {
      try {
        new World(seed, false).run();
      } catch (IOException | AssertionError | RuntimeException e) {
        throw new AssertionError(Seeds.replay(seed) + ": " + e, e);
      }
    }
  }

  /** The control: a cache that does not look at the notes loses records. */
  @Test
  void aCacheThatDoesNotLookIsFound() {
    assertThatThrownBy(() -> new World(1, true).run()).isInstanceOf(AssertionError.class);
  }

  private static final class World {
    private final Random random;
    private final boolean blind;
    private final TestSlabs slabs = new TestSlabs();
    private final MemoryBlockStore store = new MemoryBlockStore(B);
    private final BlockCache cache;
    private final CachedStrand strand;
    private final byte[] model = new byte[MAX + B];
    private final List<Holding> held = new ArrayList<>();
    private long end;
    private long pointer;
    private long pins;

    World(long seed, boolean blind) {
      this.random = new Random(seed);
      this.blind = blind;
      CacheOptions options =
          CacheOptions.of(65536L * (2 + random.nextInt(3)))
              .withReadAheadBytes(0)
              .withWriteBehindPercent(random.nextInt(101))
              .withDiskThreads(1);
      cache = new BlockCache(Env.real(), "model", options, slabs);
      strand = cache.attach(store);
    }

    void run() throws IOException {
      for (int i = 0; i < STEPS && pointer < MAX - 2 * B; i++) {
        step();
        assertThat(strand.end()).as("size after step %d", i).isEqualTo(end);
        check();
        cache.checkInvariants();
      }
      for (Holding one : List.copyOf(held)) {
        one.finish();
      }
      check();
      strand.flush();
      assertThat(Arrays.copyOf(store.durable(), (int) end))
          .isEqualTo(Arrays.copyOf(model, (int) end));
      cache.close();
    }

    /** A kept pin, its cell, and a record that is under way in it. */
    private final class Holding {
      final TestCell cell;
      final long first;
      final Pin pin;
      final List<MemorySegment> blocks;
      long at = -1;
      int length;
      int copied;
      byte value;

      Holding(TestCell cell, long first, Pin pin) {
        this.cell = cell;
        this.first = first;
        this.pin = pin;
        this.blocks = slabs.blocks(cache, pin, B);
      }

      void begin() {
        int wanted = 1 + random.nextInt(900);
        if (pointer >= first * B && pointer + wanted <= (first + blocks.size()) * B) {
          if (cell.begin()) {
            at = pointer;
            length = wanted;
            copied = 0;
            value = (byte) (1 + random.nextInt(100));
            pointer += wanted;
          } else {
            leave();
          }
        }
      }

      void copySome() {
        int more = Math.min(length - copied, 1 + random.nextInt(900));
        for (int i = 0; i < more; i++) {
          long in = at + copied + i - first * B;
          blocks.get((int) (in / B)).set(ValueLayout.JAVA_BYTE, in % B, value);
        }
        copied += more;
      }

      void end() throws IOException {
        while (copied < length) {
          copySome();
        }
        if (!cell.end(at - first * B, at + length - first * B, B)) {
          byte[] again = new byte[length];
          Arrays.fill(again, value);
          strand.write(at, MemorySegment.ofArray(again), 0, length);
          pin.release(true, 0);
          held.remove(this);
        }
        Arrays.fill(model, (int) at, (int) at + length, value);
        World.this.end = Math.max(World.this.end, at + length);
        at = -1;
      }

      /** Only between records. */
      void leave() {
        pin.release(true, 0);
        held.remove(this);
      }

      void finish() throws IOException {
        if (at >= 0) {
          end();
        }
      }
    }

    private void step() throws IOException {
      Holding one = held.isEmpty() ? null : held.get(random.nextInt(held.size()));
      switch (random.nextInt(12)) {
        case 0, 1 -> keep();
        case 2 -> local();
        case 3 -> {
          if (random.nextInt(4) == 0) {
            strand.flush();
            byte[] durable = Arrays.copyOf(store.durable(), (int) end);
            for (int i = 0; i < end; i++) {
              assertThat(isUnderWay(i) || durable[i] == model[i]).as("durable %d", i).isTrue();
            }
          }
        }
        case 4 -> disturb(one);
        case 5 -> {
          if (random.nextInt(10) == 0) {
            cut();
          }
        }
        default -> {
          if (one != null && one.at < 0) {
            one.begin();
          } else if (one != null && random.nextBoolean()) {
            one.copySome();
          } else if (one != null) {
            one.end();
          }
        }
      }
    }

    private void keep() throws IOException {
      if (held.size() < HOLDERS) {
        int blocks = 1 + random.nextInt(random.nextInt(4) == 0 ? 20 : 4);
        TestCell cell = new TestCell(++pins, blocks);
        WriteNotes notes = blind ? new Hidden(cell) : cell;
        Pin pin = strand.keep(List.of(new Pin.Blocks(pointer / B, blocks, false)), notes);
        if (pin != null) {
          held.add(new Holding(cell, pointer / B, pin));
        }
      }
    }

    /** A record by a thread of the node's own process. */
    private void local() throws IOException {
      byte[] bytes = new byte[1 + random.nextInt(2 * B)];
      random.nextBytes(bytes);
      strand.write(pointer, MemorySegment.ofArray(bytes), 0, bytes.length);
      System.arraycopy(bytes, 0, model, (int) pointer, bytes.length);
      pointer += bytes.length;
      end = Math.max(end, pointer);
    }

    private void disturb(@Nullable Holding one) throws IOException {
      if (one == null) {
        return;
      }
      if (random.nextBoolean()) {
        one.pin.expire();
      } else {
        one.pin.holderGone(); // each byte of its record is old or new
        held.remove(one);
        if (one.at >= 0) {
          byte[] again = new byte[one.length];
          strand.write(one.at, MemorySegment.ofArray(again), 0, one.length);
          Arrays.fill(model, (int) one.at, (int) one.at + one.length, (byte) 0);
          end = Math.max(end, one.at + one.length);
        }
      }
    }

    private void cut() throws IOException {
      if (held.stream().anyMatch(one -> one.at >= 0)) {
        return; // it would wait for them
      }
      end = end == 0 ? 0 : random.nextInt((int) end);
      strand.resize(end);
      Arrays.fill(model, (int) end, model.length, (byte) 0);
      pointer = end;
    }

    private boolean isUnderWay(long offset) {
      return held.stream()
          .anyMatch(one -> one.at >= 0 && offset >= one.at && offset < one.at + one.length);
    }

    private void check() throws IOException {
      byte[] now = new byte[(int) end];
      assertThat(strand.read(0, MemorySegment.ofArray(now), 0, end)).isEqualTo(end);
      for (int i = 0; i < end; i++) {
        if (now[i] != model[i] && !isUnderWay(i)) {
          throw new AssertionError("byte " + i + " is " + now[i] + ", not " + model[i]);
        }
      }
    }
  }

  /** Notes that are not looked at before the end. */
  private record Hidden(TestCell cell) implements WriteNotes {

    @Override
    public boolean hasNews() {
      return false;
    }

    @Override
    public News take() {
      return cell.take();
    }

    @Override
    public News close() {
      return cell.close();
    }
  }
}
