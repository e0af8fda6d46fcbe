package org.millrace.heritage.edonio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.nio.file.Path;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.millrace.client.Rank;
import org.millrace.heritage.edonio.EdonioException.Reason;
import org.millrace.heritage.testing.Programs;

/** Programs of EDONIO in tests. Stateless. */
final class Edonios {

  static final int BLOCK = Edonio.BLOCK_BYTES;
  static final int ALL = 0666;

  /** What one rank does. */
  interface Body {
    void run(Edonio io, Rank rank) throws IOException;
  }

  private Edonios() {}

  static void run(Path directory, int ranks, int nodes, Body body) throws IOException {
    Programs.run(
        directory,
        ranks,
        nodes,
        rank -> {
          try (Edonio io = new Edonio(rank)) {
            io.do_nio(rank.number(), rank.size());
            body.run(io, rank);
          }
        });
  }

  static void fails(Reason reason, ThrowingCallable call) {
    assertThatExceptionOfType(EdonioException.class)
        .isThrownBy(call)
        .satisfies(e -> assertThat(e.reason()).isEqualTo(reason));
  }
}
