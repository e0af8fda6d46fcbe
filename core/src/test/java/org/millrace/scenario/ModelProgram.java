package org.millrace.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.millrace.client.Memory;
import org.millrace.client.Mode;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;

/**
 * One rank's way through a random program. All ranks draw the same numbers and so know what all do;
 * each does its own part, and follows all parts in its model. Between phases there is a barrier;
 * within one, ranks write different bytes, so that the result is determined (at the shared pointer:
 * but for the order).
 */
final class ModelProgram {

  private static final int FAR = 400;
  private static final byte UNTOUCHED = 0x7F;

  // constant after construction
  private final Rank rank;
  private final int me;
  private final SharedFile file;
  private final ModelFile model;
  private final Random random;

  ModelProgram(Rank rank, SharedFile file, ModelFile model, Random random) {
    this.rank = rank;
    this.me = rank.number();
    this.file = file;
    this.model = model;
    this.random = random;
  }

  void run(int phases) throws IOException {
    for (int phase = 0; phase < phases; phase++) {
      String what = phase();
      rank.barrier();
      check("phase " + phase + ", " + what + " in " + model.mode);
      if (phase % 3 == 2 && phase / 3 % model.ranks == me) {
        assertThat(Bytes.ofFile(rank, file.path())).as(what).isEqualTo(model.content());
      }
      rank.barrier();
    }
  }

  private void check(String what) throws IOException {
    assertThat(file.size()).as("size after %s", what).isEqualTo(model.size());
    assertThat(file.sharedPosition()).as("shared pointer after %s", what).isEqualTo(model.shared);
    assertThat(file.position())
        .as("pointer after %s", what)
        .isEqualTo(model.mode.sharesPointer() ? model.shared : model.own[me]);
  }

  private boolean sameView() {
    return model.views.stream().distinct().count() == 1;
  }

  private String phase() throws IOException {
    if (Math.max(model.shared, Arrays.stream(model.own).max().orElse(0)) > FAR) {
      return rewind();
    }
    return switch (random.nextInt(14)) {
      case 0 -> resize();
      case 1 -> changeMode();
      case 2 -> changeViews();
      case 3 -> {
        file.setAtomic(random.nextBoolean());
        yield "setAtomic";
      }
      case 4 -> {
        if (random.nextInt(model.ranks) == me) {
          file.flush();
        }
        yield "flush";
      }
      case 5, 6 -> writeAt();
      case 7 -> readAt();
      default -> byPointer();
    };
  }

  private String byPointer() throws IOException {
    boolean write = random.nextBoolean();
    int kind = random.nextInt(3);
    return switch (model.mode) {
      case ATOMIC, INDEPENDENT ->
          kind == 0 && sameView()
              ? firstCome(write)
              : kind == 1 ? inOrder(write) : byOwnPointer(write);
      case SHARED -> sameView() ? firstCome(write) : "nothing";
      case ORDERED -> inOrder(write);
      case RECORD -> record(write);
      case GLOBAL -> once(write);
    };
  }

  private String rewind() throws IOException {
    file.seekShared(0);
    if (!model.mode.sharesPointer()) {
      file.seek(0);
    }
    model.moveAllTo(0);
    return "rewind";
  }

  private String resize() throws IOException {
    int size = random.nextInt(1500);
    if (random.nextInt(3) == 0) {
      file.preallocate(size);
      model.resize(Math.max(size, model.size()));
      return "preallocate " + size;
    }
    file.resize(size);
    model.resize(size);
    return "resize " + size;
  }

  private String changeMode() throws IOException {
    Mode next = List.of(Mode.values()).get(random.nextInt(Mode.values().length));
    file.setMode(next);
    model.setMode(next);
    return "setMode";
  }

  private String changeViews() throws IOException {
    if (random.nextInt(3) == 0) {
      model.setViews(Collections.nCopies(model.ranks, ModelView.WHOLE), model.ranks == 1);
    } else {
      model.setViews(ModelView.disjoint(model.ranks, random), true);
    }
    file.setView(model.views.get(me).view());
    return "setView";
  }

  /** Lengths for all ranks, some of them 0. */
  private int[] lengths() {
    int longest = random.nextBoolean() ? 12 : 150;
    int[] lengths = new int[model.ranks];
    Arrays.setAll(lengths, _ -> random.nextInt(5) == 0 ? 0 : random.nextInt(longest));
    return lengths;
  }

  /** Positions at which ranks may write that much at the same time. */
  private int[] places(int[] lengths) {
    int[] places = new int[model.ranks];
    int at = random.nextInt(FAR);
    for (int r = 0; r < places.length; r++) {
      places[r] = model.viewsAreDisjoint ? random.nextInt(FAR) : at;
      at += lengths[r];
    }
    return places;
  }

  private byte[][] data(int[] lengths) {
    byte[][] data = new byte[lengths.length][];
    for (int r = 0; r < data.length; r++) {
      data[r] = new byte[lengths[r]];
      random.nextBytes(data[r]);
    }
    return data;
  }

  private String writeAt() throws IOException {
    int[] lengths = lengths();
    int[] places = places(lengths);
    byte[][] data = data(lengths);
    MemorySegment mine = MemorySegment.ofArray(data[me]);
    long cut = mine.byteSize() / 3;
    int kind = random.nextInt(5);
    long moved =
        switch (kind) {
          case 0 -> file.at(places[me]).write(mine);
          case 1 ->
              file.at(places[me])
                  .write(Memory.of(List.of(mine.asSlice(0, cut), mine.asSlice(cut))));
          case 2 -> file.at(places[me]).all().write(mine);
          case 3 -> file.at(places[me]).writeAsync(mine).join();
          default -> file.at(places[me]).all().writeAsync(mine).join();
        };
    assertThat(moved).isEqualTo(lengths[me]);
    for (int r = 0; r < model.ranks; r++) {
      model.write(r, places[r], data[r]);
    }
    return "writeAt of kind " + kind;
  }

  /** Checks a read: what came, how much, and that the rest of the memory is as it was. */
  private interface Reading {
    long into(MemorySegment memory) throws IOException;
  }

  private void read(int wanted, byte[] expected, String what, Reading reading) throws IOException {
    byte[] memory = new byte[wanted];
    Arrays.fill(memory, UNTOUCHED);
    long moved = reading.into(MemorySegment.ofArray(memory));
    byte[] all = new byte[wanted];
    Arrays.fill(all, UNTOUCHED);
    System.arraycopy(expected, 0, all, 0, expected.length);
    assertThat(moved).as(what).isEqualTo(expected.length);
    assertThat(memory).as(what).isEqualTo(all);
  }

  private String readAt() throws IOException {
    int[] lengths = lengths();
    int place = random.nextInt(FAR);
    int kind = random.nextInt(4);
    byte[] expected = model.read(me, place, lengths[me]);
    read(
        lengths[me],
        expected,
        "readAt of kind " + kind,
        memory ->
            switch (kind) {
              case 0 -> file.at(place).read(memory);
              case 1 -> file.at(place).all().read(memory);
              case 2 -> file.at(place).readAsync(memory).join();
              default -> file.at(place).all().readAsync(memory).join();
            });
    return "readAt of kind " + kind;
  }

  private String byOwnPointer(boolean write) throws IOException {
    int[] lengths = lengths();
    int[] places = places(lengths);
    byte[][] data = data(lengths);
    if (!model.viewsAreDisjoint || random.nextBoolean()) {
      file.seek(places[me]);
      model.own = places;
    }
    int kind = random.nextInt(3);
    if (write) {
      MemorySegment mine = MemorySegment.ofArray(data[me]);
      long moved =
          switch (kind) {
            case 0 -> file.write(mine);
            case 1 -> file.all().write(mine);
            default -> file.writeAsync(mine).join();
          };
      assertThat(moved).isEqualTo(lengths[me]);
    } else {
      read(
          lengths[me],
          model.read(me, model.own[me], lengths[me]),
          "read of kind " + kind,
          memory ->
              switch (kind) {
                case 0 -> file.read(memory);
                case 1 -> file.all().read(memory);
                default -> file.readAsync(memory).join();
              });
    }
    for (int r = 0; r < model.ranks; r++) {
      if (write) {
        model.write(r, model.own[r], data[r]);
        model.own[r] += lengths[r];
      } else {
        model.own[r] += model.read(r, model.own[r], lengths[r]).length;
      }
    }
    return (write ? "write" : "read") + " at own pointer, kind " + kind;
  }

  private String firstCome(boolean write) throws IOException {
    int length = 1 + random.nextInt(40);
    int base = model.shared;
    int all = length * model.ranks;
    boolean async = random.nextBoolean();
    List<String> expected = new ArrayList<>();
    if (write) {
      int[] lengths = new int[model.ranks];
      Arrays.fill(lengths, length);
      byte[][] data = data(lengths);
      MemorySegment mine = MemorySegment.ofArray(data[me]);
      long moved = async ? file.shared().writeAsync(mine).join() : file.shared().write(mine);
      assertThat(moved).isEqualTo(length);
      rank.barrier();
      byte[] found = new byte[all];
      assertThat(file.at(base).read(Memory.of(found))).isEqualTo(all);
      model.write(me, base, found); // in the order that it happened to be
      model.shared += all;
      Arrays.stream(data).map(Arrays::toString).forEach(expected::add);
      assertThat(pieces(found, length)).containsExactlyInAnyOrderElementsOf(expected);
      return "writeShared";
    }
    MemorySegment mine = MemorySegment.ofArray(new byte[length]);
    long moved = async ? file.shared().readAsync(mine).join() : file.shared().read(mine);
    List<String> found = new ArrayList<>();
    for (byte[] one :
        rank.allGather(Arrays.copyOf((byte[]) mine.heapBase().orElseThrow(), (int) moved))) {
      found.add(Arrays.toString(one));
    }
    for (int k = 0; k < model.ranks; k++) {
      expected.add(Arrays.toString(model.read(me, base + k * length, length)));
    }
    assertThat(found).containsExactlyInAnyOrderElementsOf(expected);
    model.shared = Math.min(base + all, Math.max(base, model.end(me)));
    return "readShared";
  }

  private static List<String> pieces(byte[] all, int length) {
    List<String> pieces = new ArrayList<>();
    for (int at = 0; at < all.length; at += length) {
      pieces.add(Arrays.toString(Arrays.copyOfRange(all, at, at + length)));
    }
    return pieces;
  }

  private String inOrder(boolean write) throws IOException {
    int[] lengths = lengths();
    byte[][] data = data(lengths);
    int[] starts = new int[model.ranks];
    int next = model.shared;
    for (int r = 0; r < model.ranks; r++) {
      starts[r] = next;
      next += lengths[r];
    }
    boolean async = random.nextBoolean();
    int limit = model.largestEnd();
    if (write) {
      MemorySegment mine = MemorySegment.ofArray(data[me]);
      long moved = async ? file.ordered().writeAsync(mine).join() : file.ordered().write(mine);
      assertThat(moved).isEqualTo(lengths[me]);
      for (int r = 0; r < model.ranks; r++) {
        model.write(r, starts[r], data[r]);
      }
      model.shared = next;
    } else {
      read(
          lengths[me],
          model.read(me, starts[me], lengths[me]),
          "readOrdered",
          memory -> async ? file.ordered().readAsync(memory).join() : file.ordered().read(memory));
      model.shared = Math.min(next, Math.max(model.shared, limit));
    }
    return write ? "writeOrdered" : "readOrdered";
  }

  private String record(boolean write) throws IOException {
    int length = random.nextInt(50);
    int[] lengths = new int[model.ranks];
    Arrays.fill(lengths, length);
    byte[][] data = data(lengths);
    int row = random.nextInt(FAR);
    if (write || random.nextBoolean()) {
      file.seek(row); // ranks with different views may have stopped in different rows
      Arrays.fill(model.own, row);
    }
    if (write) {
      assertThat(file.write(Memory.of(data[me]))).isEqualTo(length);
    } else {
      int start = model.own[me] + me * length;
      read(length, model.read(me, start, length), "read of a record", file::read);
    }
    for (int r = 0; r < model.ranks; r++) {
      int begin = model.own[r];
      int next = begin + model.ranks * length;
      if (write) {
        model.write(r, begin + r * length, data[r]);
      }
      model.own[r] = write ? next : Math.max(begin, Math.min(next, model.end(r)));
    }
    return (write ? "write" : "read") + " of a record";
  }

  private String once(boolean write) throws IOException {
    int length = random.nextInt(80);
    byte[] data = new byte[length];
    random.nextBytes(data);
    int base = model.shared;
    if (write) {
      assertThat(file.write(Memory.of(me == 0 ? data : new byte[length]))).isEqualTo(length);
      model.write(0, base, data);
      model.shared = base + length;
    } else {
      read(length, model.read(me, base, length), "read by all", file::read);
      model.shared = Math.min(base + length, Math.max(base, model.largestEnd()));
    }
    return (write ? "write" : "read") + " by all";
  }
}
