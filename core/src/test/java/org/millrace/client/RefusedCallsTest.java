package org.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.Test;
import org.millrace.env.SeededEnv;
import org.millrace.error.MixedCallException;
import org.millrace.testing.Seeds;

/**
 * Arguments that are wrong on one rank, in calls to which all ranks come: the others do not wait
 * for it until their deadline, but learn at once that calls differ. The time is virtual, so the odd
 * rank can keep away from them for much longer than that.
 */
@NullUnmarked
final class RefusedCallsTest {

  private interface Call {
    void run() throws IOException;
  }

  /** One rank's part. */
  private record Trial(Rank rank, List<String> wrong) {

    <T> T or(T odd, T right) {
      return rank.number() == 1 ? odd : right;
    }

    void fails(String what, Call call) throws IOException {
      try {
        call.run();
        wrong.add(what + " works on " + rank);
      } catch (IOException | RuntimeException e) {
        boolean right =
            rank.number() == 1 ? e instanceof RuntimeException : e instanceof MixedCallException;
        if (!right) {
          wrong.add(what + " on " + rank + ": " + e);
        }
      }
      // by names, which wait for nobody: the next call of the odd rank would free the others
      rank.names().makeDirectory(what + rank.number());
      while (rank.names().list("").stream().filter(name -> name.startsWith(what)).count()
          < rank.size()) {
        pause();
      }
    }

    private void pause() {
      try {
        rank.session().env().sleep(1_000_000);
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  @Test
  void aWrongArgumentOfOneRankFailsOnAll() {
    for (long seed : Seeds.of(5)) {
      List<String> wrong = new ArrayList<>();
      GroupOperationsTest.runTimed(
          SeededEnv.of(seed),
          3,
          ClusterOptions.DEFAULT,
          rank -> {
            Trial t = new Trial(rank, wrong);
            OpenOptions make = OpenOptions.create();
            t.fails("path", () -> rank.open(t.or(null, "f"), make));
            t.fails("options", () -> rank.open("f", t.or(null, make)));
            t.fails("no options", () -> rank.open("f", t.or(null, make), Mode.ORDERED));
            t.fails("flags", () -> rank.open("f", t.or(OpenOptions.read().withCreate(), make)));
            try (SharedFile file = rank.open("f", make.withMode(Mode.ORDERED))) {
              MemorySegment eight = MemorySegment.ofArray(new byte[8]);
              t.fails("seek", () -> file.seek(t.or(-1, 0)));
              t.fails("shared", () -> file.seekShared(t.or(-1, 0)));
              t.fails("resize", () -> file.resize(t.or(-1, 0)));
              t.fails("room", () -> file.preallocate(t.or(-1, 0)));
              t.fails("reserve", () -> file.reserve(t.or(-1, 0)));
              t.fails("take", () -> file.takeOrdered(t.or(-1, 0)));
              t.fails("view", () -> file.setView(t.or(null, file.view())));
              t.fails("read", () -> file.read(t.or(eight.asReadOnly(), eight)));
              t.fails("write", () -> file.write(t.or(Buffers.of((byte[]) null), eight)));
              t.fails("later", () -> rank.await(file.readAsync(t.or(eight.asReadOnly(), eight))));
              t.fails("mode", () -> file.setMode(t.or(null, Mode.GLOBAL)));
              file.setMode(Mode.GLOBAL);
              t.fails("all write", () -> file.write(t.or(Buffers.of((byte[]) null), eight)));
              assertThat(file.write(eight)).isEqualTo(8);
            }
          });
      assertThat(wrong).as(Seeds.replay(seed)).isEmpty();
    }
  }
}
