package org.millrace.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.millrace.access.Access;
import org.millrace.access.Pattern;
import org.millrace.access.View;
import org.millrace.layout.Layout;

/** Who announces which blocks, and in which order strands read them. */
final class AnnouncementTest {

  private static final int BLOCK = 64 << 10;

  /** What each rank has: as many bytes as eight blocks. */
  private static final int RANK_BYTES = 8 * BLOCK;

  /** A matrix in tiles of rows of 2 KiB, on a square of ranks. */
  private static Access tile(int rank, int side) {
    long row = 2048L * side;
    Pattern part = Pattern.loop(256, row, Pattern.run(2048));
    long start = (long) rank / side * 256 * row + rank % side * 2048L;
    return new Access(new View(start, part, 256 * row), 0, RANK_BYTES);
  }

  /** Records of 4 KiB, dealt to the ranks in turn. */
  private static Access records(int rank, int ranks) {
    Pattern part = Pattern.loop(128, 4096L * ranks, Pattern.run(4096));
    return new Access(new View(4096L * rank, part, (long) RANK_BYTES * ranks), 0, RANK_BYTES);
  }

  private static List<Access> all(boolean tiles, int ranks) {
    List<Access> all = new ArrayList<>();
    for (int rank = 0; rank < ranks; rank++) {
      all.add(tiles ? tile(rank, (int) Math.sqrt(ranks)) : records(rank, ranks));
    }
    return all;
  }

  @Test
  void everyBlockIsAnnouncedOnceAndEveryRankAnnouncesAsMany() {
    for (int ranks : new int[] {256, 1024, 4096}) {
      for (boolean tiles : new boolean[] {true, false}) {
        List<Access> all = all(tiles, ranks);
        Set<Long> announced = new HashSet<>();
        for (int rank = 0; rank < ranks; rank++) {
          long[] share = Announcement.share(all.get(rank), rank, BLOCK);
          assertThat(share).as("%s ranks, tiles %s", ranks, tiles).hasSize(8).isSorted();
          for (long block : share) {
            announced.add(block);
          }
        }
        assertThat(announced).hasSize(8 * ranks);
      }
    }
  }

  @Test
  void aRankThatSharesNothingAnnouncesItsFirstBlocks() {
    Pattern apart = Pattern.loop(100, 3L * BLOCK, Pattern.run(BLOCK));
    Access access = new Access(new View(0, apart, 300L * BLOCK), 0, 100L * BLOCK);
    assertThat(Announcement.share(access, 5, BLOCK)).hasSize(64).startsWith(0, 3, 6);
  }

  /** A view may show the same bytes for ever. */
  @Test
  void bytesThatComeAgainAndAgainAreAnnouncedOnce() {
    Access access = new Access(new View(5L * BLOCK, Pattern.run(16), 0), 0, RANK_BYTES);
    assertThat(Announcement.share(access, 5, BLOCK)).hasSizeLessThan(2);
    long announced = 0;
    for (int rank = 0; rank < BLOCK / 16; rank++) {
      announced += Announcement.share(access, rank, BLOCK).length;
    }
    assertThat(announced).as("by one of those that want as little of it").isEqualTo(1);
  }

  /** Neighbouring blocks come one after the other, and so do the blocks of each strand. */
  @Test
  void theBlocksOfAFileDomainAndThoseOfAStrandHaveDifferentTurns() {
    Layout layout = Layout.striped(BLOCK, 256);
    Map<Integer, Set<Integer>> ofStrand = new HashMap<>();
    for (long domain = 0; domain < 256; domain++) {
      Set<Integer> ofDomain = new HashSet<>();
      for (long block = 8 * domain; block < 8 * domain + 8; block++) {
        int turn = Announcement.turn(layout, block);
        assertThat(turn).isBetween(0, 7);
        ofDomain.add(turn);
        ofStrand.computeIfAbsent((int) (block % 256), _ -> new HashSet<>()).add(turn);
      }
      assertThat(ofDomain).hasSize(8);
    }
    assertThat(ofStrand.values()).hasSize(256).allMatch(turns -> turns.size() == 8);
  }
}
