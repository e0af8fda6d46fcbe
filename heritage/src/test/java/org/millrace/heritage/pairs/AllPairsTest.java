package org.millrace.heritage.pairs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.millrace.client.Rank;
import org.millrace.heritage.testing.Programs;

/** A file that is written through any interface is read through any other, byte for byte. */
final class AllPairsTest {

  private static final int[] LENGTHS = {100_003, 0, 1, 4096};

  @TempDir private Path directory;

  static List<Arguments> writersAndNumbers() {
    List<Arguments> all = new ArrayList<>();
    for (Way way : Ways.ALL) {
      all.add(Arguments.of(way.name(), way, 3, 2));
      all.add(Arguments.of(way.name(), way, 2, 3));
    }
    return all;
  }

  @ParameterizedTest(name = "{0}, {2} ranks on {3} nodes")
  @MethodSource("writersAndNumbers")
  void whatOneWritesAllRead(String name, Way writer, int ranks, int nodes) throws IOException {
    Programs.run(directory, ranks, nodes, rank -> writeAndReadByAll(rank, writer));
    Programs.run(directory, ranks + 2, nodes, rank -> readAgain(rank, writer));
  }

  private static void writeAndReadByAll(Rank rank, Way writer) throws IOException {
    String path = "pfs/pairs." + writer.name(); // PFSLib shares only what has pfs in its name
    if (rank.number() == 0) {
      rank.names().makeDirectory("pfs");
    }
    rank.barrier();
    for (int length : LENGTHS) { // shrinks and grows: nothing of the old content may stay
      byte[] content = content(length);
      writer.write(rank, path, content);
      rank.barrier();
      assertThat(rank.names().size(path)).as("size of %s bytes", length).isEqualTo(length);
      for (Way reader : Ways.ALL) {
        assertThat(reader.read(rank, path, length))
            .as("%s bytes through %s", length, reader.name())
            .isEqualTo(content);
        rank.barrier();
      }
    }
  }

  private static void readAgain(Rank rank, Way writer) throws IOException {
    int length = LENGTHS[LENGTHS.length - 1];
    for (Way reader : Ways.ALL) {
      assertThat(
              Arrays.equals(
                  reader.read(rank, "pfs/pairs." + writer.name(), length), content(length)))
          .as("by another number of ranks through %s", reader.name())
          .isTrue();
      rank.barrier();
    }
  }

  private static byte[] content(int length) {
    byte[] bytes = new byte[length];
    new Random(length).nextBytes(bytes);
    return bytes;
  }
}
