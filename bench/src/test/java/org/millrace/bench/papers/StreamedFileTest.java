package org.millrace.bench.papers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.Cluster;
import org.millrace.bench.measure.WrongResultException;
import org.millrace.client.OpenOptions;
import org.millrace.client.Program;
import org.millrace.client.SharedFile;
import org.millrace.env.Env;

final class StreamedFileTest {

  private static final long BYTES = 2L << 20;

  @TempDir private Path folder;

  private void alone(Program program) throws IOException {
    try (Cluster cluster = Cluster.embedded(folder, 3)) {
      cluster.run(1, program);
    }
  }

  /** Ends a stream when it has been asked so often. */
  private static StreamedFile.Until looks(int most) {
    int[] looks = {0};
    return () -> ++looks[0] >= most;
  }

  @Test
  void everyKindOfStreamGoesOnUntilItIsToldAndVerifies() throws IOException {
    alone(
        rank -> {
          try (StreamedFile file = new StreamedFile(Env.real(), rank, 2, BYTES)) {
            for (SharingStream kind : SharingStream.values()) {
              // more requests than places, so that some come again
              StreamedFile.Streamed done = file.run(kind.writes(), kind.random(), looks(200));
              assertThat(done.requests()).isEqualTo(3200);
              assertThat(StreamedFile.Streamed.parse(done.toString())).isEqualTo(done);
            }
            file.verify();
          }
        });
  }

  @Test
  void aByteOfSomebodyElseIsNoticedByReadsAndByVerifying() throws IOException {
    alone(
        rank -> {
          try (StreamedFile file = new StreamedFile(Env.real(), rank, 1, BYTES)) {
            try (SharedFile same = rank.open("stream-1", OpenOptions.readWrite())) {
              same.at(5000).write(MemorySegment.ofArray(new byte[] {1, 2, 3}));
            }
            assertThatThrownBy(file::verify).isInstanceOf(WrongResultException.class);
            assertThatThrownBy(() -> file.run(false, false, looks(1)))
                .isInstanceOf(WrongResultException.class)
                .hasMessageContaining("at 5000");
          }
        });
  }
}
