package org.millrace.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.Cluster;
import org.millrace.access.View;
import org.millrace.client.Memory;
import org.millrace.client.OpenOptions;

/** A rank that sees nothing of a file is at its end, by whichever verb it reads. */
final class EmptyViewTest {

  @TempDir private Path directory;

  @Test
  void readsNothingThroughAnEmptyViewAndCannotWrite() throws IOException {
    try (var cluster = Cluster.embedded(directory, 2)) {
      cluster.run(
          1,
          rank -> {
            try (var file = rank.open("f", OpenOptions.create())) {
              file.write(MemorySegment.ofArray(new byte[10]));
              file.setView(View.EMPTY);
              MemorySegment three = MemorySegment.ofArray(new byte[3]);
              assertThat(file.read(three)).isZero();
              assertThat(file.read(Memory.of(three))).isZero();
              assertThat(file.at(0).read(three)).isZero();
              assertThat(file.at(5).read(Memory.of(three))).isZero();
              assertThat(file.shared().read(three)).isZero();
              assertThatThrownBy(() -> file.at(0).write(three))
                  .isInstanceOf(IndexOutOfBoundsException.class);
              assertThat(file.size()).isEqualTo(10);
            }
          });
    }
  }
}
