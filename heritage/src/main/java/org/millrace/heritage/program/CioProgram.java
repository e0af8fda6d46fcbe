package org.millrace.heritage.program;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntUnaryOperator;
import org.millrace.access.Pattern;
import org.millrace.access.View;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.error.MixedCallException;
import org.millrace.heritage.cio.Cio;
import org.millrace.heritage.cio.CioException;
import org.millrace.heritage.cio.CioFile;
import org.millrace.heritage.cio.CioMode;

/** Shows {@code cio}. Stateless. */
final class CioProgram implements HeritageProgram {

  private static final String NAME = "cio.demo";

  @Override
  public String name() {
    return "cio";
  }

  @Override
  public String about() {
    return "one acts for all, a token that goes round, each for itself";
  }

  @Override
  public void run(Rank rank, Stage stage) throws IOException {
    Cio cio = new Cio(rank);
    single(rank, stage, cio);
    multi(rank, stage, cio);
    try (CioFile file = cio.open(NAME, OpenOptions.readWrite(), CioMode.INDEPENDENT)) {
      file.seek(2L * rank.number());
      byte[] mine = {(byte) rank.number(), 100};
      file.write(mine);
      file.seek(2L * rank.number());
      byte[] got = new byte[2];
      file.read(got);
      stage.check("independent: a pointer each", Arrays.equals(got, mine));
    }
    rank.barrier();
    if (rank.number() == 0) {
      rank.names().remove(NAME);
    }
  }

  private static void single(Rank rank, Stage stage, Cio cio) throws IOException {
    int owner = rank.size() - 1; // chosen; else it is participant 0
    try (CioFile file = cio.open(NAME, OpenOptions.create(), CioMode.SINGLE, owner)) {
      file.write(new byte[] {(byte) (rank.number() + 50)});
      file.seek(0);
      byte[] got = {-1};
      file.read(got);
      stage.say(
          "Single: all wrote, only the owner's byte is there; one read gave %s to all.", got[0]);
      stage.check(
          "single: the byte of the last, the owner, once, on all",
          got[0] == 50 + owner && file.position() == 1);
      boolean mixed = rank.size() == 1;
      try {
        if (rank.number() == 0) {
          file.read(got);
        } else {
          file.write(got);
        }
      } catch (MixedCallException e) {
        mixed = true;
      }
      stage.check("single: participants that call different things all fail", mixed);
    }
  }

  private static void multi(Rank rank, Stage stage, Cio cio) throws IOException {
    int size = rank.size();
    int rounds = 3;
    draw(stage, "the token's turns by default", size, false);
    draw(stage, "the token's turns backwards, the user's order", size, true);
    OpenOptions anew = OpenOptions.readWrite().withTruncate();
    try (CioFile file = cio.open(NAME, anew, CioMode.MULTI)) {
      turns(rank, file, rounds);
    }
    check(stage, cio, "by default", rounds * size, i -> i % size);
    try (CioFile file = cio.openMulti(NAME, anew, now -> (now + size - 1) % size)) {
      boolean refused = rank.number() == 0;
      try {
        if (!refused) {
          file.write(new byte[] {99});
        }
      } catch (CioException e) {
        refused = true;
      }
      stage.check("multi: an access without the token is an error", refused);
      turns(rank, file, rounds);
    }
    check(stage, cio, "backwards", rounds * size, i -> (size - i % size) % size);
  }

  private static void turns(Rank rank, CioFile file, int rounds) throws IOException {
    for (int round = 0; round < rounds; round++) {
      file.awaitToken();
      file.write(new byte[] {(byte) rank.number()});
      file.passToken();
    }
  }

  /** What was written turn by turn is read, once for all. */
  private static void check(
      Stage stage, Cio cio, String order, int count, IntUnaryOperator whoseTurn)
      throws IOException {
    try (CioFile file = cio.open(NAME, OpenOptions.read(), CioMode.SINGLE)) {
      byte[] turns = new byte[count + 1];
      boolean right = file.read(turns) == count;
      for (int i = 0; i < count; i++) {
        right &= turns[i] == (byte) whoseTurn.applyAsInt(i);
      }
      stage.check("multi: bytes lie in the order of the turns " + order, right);
    }
  }

  private static void draw(Stage stage, String title, int size, boolean backwards)
      throws IOException {
    List<View> views = new ArrayList<>();
    for (int r = 0; r < size; r++) {
      views.add(new View(backwards ? (size - r) % size : r, Pattern.run(1), size));
    }
    stage.draw(title, views, 3 * size, 1, 3 * size);
  }
}
