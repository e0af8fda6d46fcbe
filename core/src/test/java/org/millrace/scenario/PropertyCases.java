package org.millrace.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.millrace.access.Pattern;
import org.millrace.access.View;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;
import org.millrace.testing.Seeds;

/** Case 16: whatever the pieces of a view, it does not matter by which calls they are written. */
abstract class PropertyCases {

  private static final int RANKS = 4;
  private static final int TILES = 3;

  abstract Worlds worlds();

  abstract int seeds();

  /** Bytes of a tile that one rank owns. */
  private record Piece(int offset, int length) {}

  /**
   * A file of some tiles, in each of which every byte belongs to one rank or to nobody.
   *
   * @param displacement where the first tile starts
   * @param extent of a tile
   * @param pieces by rank, in the order of the rank's view
   */
  private record Deal(int displacement, int extent, List<List<Piece>> pieces) {

    static Deal random(Random random) {
      List<List<Piece>> pieces = new ArrayList<>();
      for (int r = 0; r < RANKS; r++) {
        pieces.add(new ArrayList<>());
      }
      int at = random.nextInt(30);
      int count = 1 + random.nextInt(60);
      int longest = random.nextBoolean() ? 9 : 700;
      for (int i = 0; i < count; i++) {
        int length = 1 + random.nextInt(longest);
        pieces.get(random.nextInt(RANKS)).add(new Piece(at, length));
        at += length + (random.nextBoolean() ? 0 : random.nextInt(longest));
      }
      if (random.nextInt(3) == 0) { // views need not ascend
        pieces.forEach(list -> Collections.shuffle(list, random));
      }
      return new Deal(random.nextInt(100), at + random.nextInt(50), pieces);
    }

    View view(int rank) {
      List<Piece> mine = pieces.get(rank);
      if (mine.isEmpty()) {
        return View.EMPTY;
      }
      long[] offsets = mine.stream().mapToLong(Piece::offset).toArray();
      long[] lengths = mine.stream().mapToLong(Piece::length).toArray();
      return new View(displacement, Pattern.indexed(offsets, lengths), extent);
    }

    /** A rank's bytes, as many as its pieces of all tiles take. */
    byte[] data(int rank) {
      byte[] data = new byte[TILES * pieces.get(rank).stream().mapToInt(Piece::length).sum()];
      new Random(rank).nextBytes(data);
      return data;
    }

    interface Put {
      void put(int fileOffset, byte[] data, int from, int length) throws IOException;
    }

    void eachPiece(int rank, Put put) throws IOException {
      byte[] data = data(rank);
      int from = 0;
      for (int tile = 0; tile < TILES; tile++) {
        for (Piece piece : pieces.get(rank)) {
          put.put(displacement + tile * extent + piece.offset, data, from, piece.length);
          from += piece.length;
        }
      }
    }

    byte[] expected() throws IOException {
      byte[] all = new byte[displacement + TILES * extent];
      int[] size = {0};
      for (int r = 0; r < RANKS; r++) {
        eachPiece(
            r,
            (offset, data, from, length) -> {
              System.arraycopy(data, from, all, offset, length);
              size[0] = Math.max(size[0], offset + length);
            });
      }
      return java.util.Arrays.copyOf(all, size[0]);
    }
  }

  @Test
  void case16PiecesOneByOneAtOnceAndTogetherGiveTheSameFile() throws Exception {
    for (long seed : Seeds.of(seeds())) {
      Deal deal = Deal.random(new Random(seed));
      worlds()
          .under(
              seed,
              Worlds.Build.of(seed),
              world -> world.run(RANKS, rank -> writeInThreeWays(rank, deal)));
    }
  }

  private static void writeInThreeWays(Rank rank, Deal deal) throws IOException {
    int r = rank.number();
    MemorySegment data = MemorySegment.ofArray(deal.data(r));
    try (SharedFile pieces = rank.open("pieces", OpenOptions.create());
        SharedFile once = rank.open("once", OpenOptions.create());
        SharedFile together = rank.open("together", OpenOptions.create())) {
      deal.eachPiece(
          r, (offset, _, from, length) -> pieces.at(offset).write(data.asSlice(from, length)));
      once.setView(deal.view(r));
      assertThat(once.write(data)).isEqualTo(data.byteSize());
      together.setView(deal.view(r));
      assertThat(together.all().write(data)).isEqualTo(data.byteSize());
      rank.barrier();
      byte[] expected = deal.expected();
      for (String name : List.of("pieces", "once", "together")) {
        assertThat(Bytes.ofFile(rank, name)).as(name).isEqualTo(expected);
      }
      MemorySegment back = MemorySegment.ofArray(new byte[(int) data.byteSize()]);
      assertThat(together.at(0).all().read(back)).isEqualTo(back.byteSize());
      assertThat(back.mismatch(data)).isEqualTo(-1);
    }
  }
}
