package org.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.millrace.env.Env;
import org.millrace.testing.Seeds;

/**
 * Holders of blocks that are kept here and there, who write pieces into all of theirs again and
 * again, in any order, while pins expire, holders die, blocks are evicted, the strand is cut and
 * flushed: after each step size and bytes are what the writes that count say, what was flushed
 * survives a crash, and no block reaches the store that nobody wrote.
 */
final class ScatteredPinModelTest {

  private static final int B = 4096;
  private static final int BLOCKS = 40;
  private static final int HOLDERS = 4;
  private static final int STEPS = 300;

  /** Every block has a lane for each holder, and one for writes by the node's own process. */
  private static final int LANE = B / (HOLDERS + 1);

  @Test
  void everyWriteThatCountsIsThere() throws IOException {
    for (long seed : Seeds.of(40)) {
      try {
        assertThat(new World(seed, cell -> cell).run()).as("writes that count").isPositive();
      } catch (IOException | AssertionError | RuntimeException e) {
        throw new AssertionError(Seeds.replay(seed) + ": " + e, e);
      }
    }
  }

  /** The control: notes that are not looked at. */
  @Test
  void aCacheThatDoesNotLookIsFound() {
    assertThatThrownBy(() -> new World(1, Hidden::new).run()).isInstanceOf(AssertionError.class);
  }

  /** The control: notes of which the last block is not believed. */
  @Test
  void aBlockThatIsNotTakenForWrittenIsFound() {
    assertThatThrownBy(() -> new World(1, Forgetful::new).run()).isInstanceOf(AssertionError.class);
  }

  private static final class World {
    private final Random random;
    private final UnaryOperator<WriteNotes> notes;
    private final TestSlabs slabs = new TestSlabs();
    private final MemoryBlockStore store = new MemoryBlockStore(B);
    private final BlockCache cache;
    private final CachedStrand strand;
    private final byte[] model = new byte[BLOCKS * B];
    private final boolean[] written = new boolean[BLOCKS];
    private final Map<Integer, Holding> held = new HashMap<>();
    private long end;
    private long pins;
    private int counted;

    World(long seed, UnaryOperator<WriteNotes> notes) {
      this.random = new Random(seed);
      this.notes = notes;
      CacheOptions options =
          CacheOptions.of(65536L * (3 + random.nextInt(3)))
              .withReadAheadBytes(0)
              .withWriteBehindPercent(random.nextInt(101))
              .withDiskThreads(1);
      if (random.nextBoolean()) {
        byte[] old = new byte[1 + random.nextInt(BLOCKS * B)];
        random.nextBytes(old);
        store.fill(old);
        System.arraycopy(old, 0, model, 0, old.length);
        end = old.length;
      }
      cache = new BlockCache(Env.real(), "model", options, slabs);
      strand = cache.attach(store);
    }

    int run() throws IOException {
      for (int i = 0; i < STEPS; i++) {
        step();
        assertThat(strand.end()).as("size after step %d", i).isEqualTo(end);
        check();
        cache.checkInvariants();
      }
      for (Holding one : List.copyOf(held.values())) {
        if (one.value != 0) {
          one.end();
        }
      }
      check();
      strand.flush();
      assertThat(store.durable()).isEqualTo(Arrays.copyOf(model, (int) end));
      for (MemoryBlockStore.Call call : store.calls(MemoryBlockStore.Op.WRITE)) {
        for (long block = call.block(); block < call.block() + call.blocks(); block++) {
          assertThat(written[(int) block]).as("block %d was written by somebody", block).isTrue();
        }
      }
      cache.close();
      store.checkKept();
      return counted;
    }

    /** Some blocks that are kept, the cell, and a write into all of them that may be under way. */
    private final class Holding {
      final int number;
      final TestCell cell;
      final long[] numbers;
      final Pin pin;
      final List<MemorySegment> blocks;
      int copied;
      byte value;

      Holding(int number, TestCell cell, long[] numbers, Pin pin) {
        this.number = number;
        this.cell = cell;
        this.numbers = numbers;
        this.pin = pin;
        this.blocks = slabs.blocks(cache, pin, B);
      }

      void begin() {
        if (cell.begin()) {
          value = (byte) (1 + random.nextInt(100));
          copied = 0;
          for (long block : numbers) {
            written[(int) block] = true;
          }
        } else {
          leave();
        }
      }

      void copyOne() {
        if (copied < numbers.length) {
          int at = number * LANE;
          for (int i = 0; i < LANE; i++) {
            blocks.get(copied).set(ValueLayout.JAVA_BYTE, at + i, value);
          }
          copied++;
        }
      }

      long at(int block) {
        return numbers[block] * B + (long) number * LANE;
      }

      void end() throws IOException {
        while (copied < numbers.length) {
          copyOne();
        }
        long last = at(numbers.length - 1) + LANE;
        if (cell.endOfAll(last - numbers[0] * B)) {
          counted++;
        } else {
          for (int i = 0; i < numbers.length; i++) {
            strand.write(at(i), piece(), 0, LANE);
          }
          leave();
        }
        for (int i = 0; i < numbers.length; i++) {
          Arrays.fill(model, (int) at(i), (int) at(i) + LANE, value);
        }
        World.this.end = Math.max(World.this.end, last);
        value = 0;
      }

      MemorySegment piece() {
        byte[] bytes = new byte[LANE];
        Arrays.fill(bytes, value);
        return MemorySegment.ofArray(bytes);
      }

      void leave() {
        pin.release(true, 0);
        held.remove(number);
      }
    }

    private void step() throws IOException {
      int number = random.nextInt(HOLDERS);
      Holding one = held.get(number);
      switch (random.nextInt(16)) {
        case 0 -> local();
        case 1 -> {
          strand.flush();
          checkDurable();
        }
        case 2 -> {
          if (one != null) {
            one.pin.expire();
          }
        }
        case 3 -> {
          if (one != null && random.nextInt(4) == 0) {
            die(one);
          }
        }
        case 4 -> {
          if (random.nextInt(8) == 0) {
            cut();
          }
        }
        default -> {
          if (one == null) {
            keep(number);
          } else if (one.value == 0) {
            one.begin();
          } else if (random.nextBoolean()) {
            one.copyOne();
          } else {
            one.end();
          }
        }
      }
    }

    private void keep(int number) throws IOException {
      int every = 1 + random.nextInt(4);
      long[] numbers =
          random
              .longs(0, BLOCKS)
              .filter(block -> block % 5 != 0)
              .distinct()
              .limit(1 + random.nextInt(random.nextInt(4) == 0 ? 12 : 4))
              .map(block -> every == 1 ? block : block - block % 5 + 1)
              .distinct()
              .sorted()
              .toArray();
      List<Pin.Blocks> runs = new ArrayList<>();
      for (long block : numbers) {
        Pin.Blocks last = runs.isEmpty() ? null : runs.getLast();
        if (last != null && last.first() + last.count() == block) {
          runs.set(runs.size() - 1, new Pin.Blocks(last.first(), last.count() + 1, false));
        } else {
          runs.add(new Pin.Blocks(block, 1, false));
        }
      }
      TestCell cell = new TestCell(++pins, numbers.length);
      Pin pin = strand.keep(runs, notes.apply(cell));
      if (pin != null) {
        held.put(number, new Holding(number, cell, numbers, pin));
      }
    }

    /** A write by a thread of the node's own process. */
    private void local() throws IOException {
      int block = 1 + random.nextInt(4) + 5 * random.nextInt(BLOCKS / 5);
      byte[] bytes = new byte[1 + random.nextInt(LANE)];
      random.nextBytes(bytes);
      int at = block * B + HOLDERS * LANE;
      strand.write(at, MemorySegment.ofArray(bytes), 0, bytes.length);
      System.arraycopy(bytes, 0, model, at, bytes.length);
      written[block] = true;
      end = Math.max(end, at + bytes.length);
    }

    /** Each byte of what it was writing is old or new; then its lane is written by others. */
    private void die(Holding one) throws IOException {
      one.pin.holderGone();
      held.remove(one.number);
      for (int i = 0; one.value != 0 && i < one.numbers.length; i++) {
        strand.write(one.at(i), one.piece(), 0, LANE);
        Arrays.fill(model, (int) one.at(i), (int) one.at(i) + LANE, one.value);
        end = Math.max(end, one.at(i) + LANE);
      }
    }

    private void cut() throws IOException {
      if (held.values().stream().anyMatch(one -> one.value != 0)) {
        return; // it would wait for them
      }
      end = random.nextInt((int) end + 1);
      strand.resize(end);
      Arrays.fill(model, (int) end, model.length, (byte) 0);
      if (end % B != 0) {
        written[(int) (end / B)] = true; // what is left of it is written
      }
    }

    private boolean isUnderWay(int offset) {
      int number = offset % B / LANE;
      Holding one = held.get(number);
      return one != null && one.value != 0 && Arrays.binarySearch(one.numbers, offset / B) >= 0;
    }

    private void check() throws IOException {
      byte[] now = new byte[(int) end];
      assertThat(strand.read(0, MemorySegment.ofArray(now), 0, end)).isEqualTo(end);
      compare("cached", now);
    }

    private void checkDurable() {
      assertThat(store.durable()).hasSize((int) end);
      compare("durable", store.durable());
    }

    private void compare(String what, byte[] now) {
      for (int i = 0; i < now.length; i++) {
        if (now[i] != model[i] && !isUnderWay(i)) {
          throw new AssertionError(what + " byte " + i + " is " + now[i] + ", not " + model[i]);
        }
      }
    }
  }

  /** Notes that are not looked at before the end. */
  private record Hidden(WriteNotes cell) implements WriteNotes {

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

  /** Notes without the last block that was written. */
  private record Forgetful(WriteNotes cell) implements WriteNotes {

    @Override
    public boolean hasNews() {
      return cell.hasNews();
    }

    @Override
    public News take() {
      return without(cell.take());
    }

    @Override
    public News close() {
      return without(cell.close());
    }

    private static News without(News all) {
      return new News(all.blocks() & ~Long.highestOneBit(all.blocks()), all.end(), all.busy());
    }
  }
}
