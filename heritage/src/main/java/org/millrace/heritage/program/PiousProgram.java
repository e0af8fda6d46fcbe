package org.millrace.heritage.program;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.millrace.access.Pattern;
import org.millrace.access.View;
import org.millrace.client.Memory;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.heritage.pious.Pious;
import org.millrace.heritage.pious.PiousFile;

/** Shows {@code pious}. Stateless. */
final class PiousProgram implements HeritageProgram {

  private static final String NAME = "heritage-pious";
  private static final int BLOCK = 4;

  @Override
  public String name() {
    return "pious";
  }

  @Override
  public String about() {
    return "PIOUS: segments, three views of them, atomic accesses and transactions";
  }

  @Override
  public void run(Rank rank, Stage stage) throws IOException {
    Pious pious = new Pious(rank);
    int segments = rank.size();
    pious.create(NAME, segments, BLOCK);
    stage.say("a file of %s segments, made with blocks of %s bytes", segments, BLOCK);
    segmented(rank, stage, pious);
    shared(rank, stage, pious);
    independent(rank, stage, pious);
    transactions(rank, stage, pious);
    rank.barrier();
    if (rank.number() == 0) {
      pious.unlink(NAME);
    }
  }

  private static void segmented(Rank rank, Stage stage, Pious pious) throws IOException {
    try (PiousFile file = pious.openSegmented(NAME, rank.number())) {
      List<View> views = new ArrayList<>();
      for (int r = 0; r < rank.size(); r++) {
        views.add(new View((long) r * BLOCK, Pattern.run(BLOCK), tile(file)));
      }
      stage.draw("segmented view: rank r sees segment r", views, 8 * BLOCK, 1, 8 * BLOCK);
      file.write(filled(2 * BLOCK, rank.number() + 1));
    }
    rank.barrier();
    byte[] plain = new byte[2 * BLOCK * rank.size()];
    try (var file = rank.open(NAME, OpenOptions.read())) {
      file.at(0).read(Memory.of(plain));
    }
    boolean right = true;
    for (int i = 0; i < plain.length; i++) {
      right &= plain[i] == (byte) (i / BLOCK % rank.size() + 1);
    }
    stage.check("as a plain file the segments are interleaved by the block", right);
  }

  private static void shared(Rank rank, Stage stage, Pious pious) throws IOException {
    try (PiousFile file = pious.openGlobal(NAME, BLOCK)) {
      List<View> views = Collections.nCopies(rank.size(), View.WHOLE);
      stage.draw("global view: all see all, through one pointer", views, 8 * BLOCK, 1, 8 * BLOCK);
      byte[] first = new byte[BLOCK];
      byte[] second = new byte[BLOCK];
      file.read(first);
      file.read(second);
      boolean whole =
          Arrays.equals(first, filled(BLOCK, first[0]))
              && Arrays.equals(second, filled(BLOCK, second[0]));
      long sum = rank.allReduceLong((long) first[0] + second[0], Long::sum);
      stage.check(
          "every block was read once, by somebody",
          whole && sum == (long) rank.size() * (rank.size() + 1));
      stage.check(
          "the pointer stands behind them all", file.position() == 2L * BLOCK * rank.size());
    }
  }

  private static void independent(Rank rank, Stage stage, Pious pious) throws IOException {
    try (PiousFile file = pious.openIndependent(NAME, BLOCK / 2)) {
      List<View> blocks = new ArrayList<>(); // drawn as who has the block in turn
      for (int r = 0; r < rank.size(); r++) {
        blocks.add(
            new View(file.plainOffset((long) r * BLOCK / 2), Pattern.run(BLOCK / 2), tile(file)));
      }
      stage.draw(
          "independent view with blocks of " + BLOCK / 2 + ": the first block of each segment",
          blocks,
          8 * BLOCK,
          1,
          8 * BLOCK);
      byte[] read = new byte[BLOCK / 2];
      file.seek((long) rank.number() * BLOCK / 2);
      file.read(read);
      stage.check(
          "block r of the view is the first half of segment r's block",
          Arrays.equals(read, filled(BLOCK / 2, rank.number() + 1)));
    }
  }

  private static long tile(PiousFile file) {
    return (long) BLOCK * file.segments();
  }

  /** All ranks add to the same numbers in two places, or do not. */
  private static void transactions(Rank rank, Stage stage, Pious pious) throws IOException {
    int rounds = 3;
    try (PiousFile file = pious.openIndependent(NAME, BLOCK)) {
      if (rank.number() == 0) {
        file.write(new byte[] {0, 0});
      }
      rank.barrier();
      for (int i = 0; i < rounds; i++) {
        pious.begin();
        byte[] pair = new byte[2];
        file.seek(0);
        file.read(pair);
        file.seek(0);
        file.write(new byte[] {(byte) (pair[0] + 1)});
        file.write(new byte[] {(byte) (pair[1] + 1)});
        if (i == 0) {
          pious.abort();
        } else {
          pious.commit();
        }
      }
      rank.barrier();
      byte[] pair = new byte[2];
      file.seek(0);
      file.read(pair);
      int expected = (rounds - 1) * rank.size();
      stage.say(
          "%s transactions of each rank add 1 to two bytes, one is aborted: %s and %s",
          rounds, pair[0], pair[1]);
      stage.check(
          "committed ones count as wholes, aborted ones not at all",
          pair[0] == (byte) expected && pair[1] == (byte) expected);
    }
  }

  private static byte[] filled(int length, int value) {
    byte[] bytes = new byte[length];
    Arrays.fill(bytes, (byte) value);
    return bytes;
  }
}
