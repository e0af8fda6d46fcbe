package org.millrace.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.testing.Seeds;

/** Files that share fewer descriptors than there are files. */
final class DescriptorsTest {

  @TempDir Path directory;

  @Test
  void manyFilesAreUsedWithFewDescriptors() throws IOException {
    for (long seed : Seeds.of(3)) {
      Descriptors few = new Descriptors(8);
      Random random = new Random(seed);
      try (FileDisk disk = FileDisk.open(directory, FileDisk.Options.DEFAULT, few)) {
        List<DiskFile> files = new ArrayList<>();
        Map<DiskFile, Long> written = new HashMap<>();
        for (int i = 0; i < 100; i++) {
          disk.delete("f" + i);
          files.add(disk.create("f" + i));
        }
        for (int i = 0; i < 2000; i++) {
          DiskFile file = files.get(random.nextInt(files.size()));
          if (random.nextBoolean()) {
            long value = random.nextLong();
            file.write(0, MemorySegment.ofBuffer(ByteBuffer.allocate(8).putLong(0, value)));
            written.put(file, value);
          }
          ByteBuffer read = ByteBuffer.allocate(8);
          file.read(0, MemorySegment.ofBuffer(read));
          assertThat(read.getLong(0))
              .as(Seeds.replay(seed))
              .isEqualTo(written.getOrDefault(file, 0L));
          assertThat(few.held()).as(Seeds.replay(seed)).isBetween(0, 8);
        }
      }
      assertThat(few.held()).isZero();
    }
  }

  @Test
  void filesThatWereNotUsedSinceTheLastLookRestFirst() throws IOException {
    Descriptors few = new Descriptors(16);
    List<Napper> nappers = new ArrayList<>();
    for (int i = 0; i < 16; i++) {
      nappers.add(openedBy(few));
      nappers.get(i).used = i != 2 && i != 7 && i != 11;
    }
    Napper last = openedBy(few);
    for (int i = 0; i < 16; i++) {
      assertThat(nappers.get(i).rested).as("napper %d", i).isEqualTo(i == 2 || i == 7 || i == 11);
    }
    assertThat(last.rested).isFalse();
    assertThat(few.held()).isEqualTo(14);
  }

  @Test
  void whenTheSystemRefusesOthersRestAndTheOpenIsRepeated() throws IOException {
    Descriptors plenty = new Descriptors(1000);
    Napper before = openedBy(plenty);
    String opened =
        plenty.open(
            new Napper(),
            () -> {
              if (!before.rested) {
                throw new IOException("/some/where: Too many open files");
              }
              return "opened";
            });
    assertThat(opened).isEqualTo("opened");
  }

  @Test
  void whenNobodyCanRestTheErrorComesThrough() {
    Descriptors none = new Descriptors(1000);
    assertThatThrownBy(
            () ->
                none.briefly(
                    () -> {
                      throw new IOException("/some/where: Too many open files");
                    }))
        .hasMessageContaining("Too many open files");
  }

  @Test
  void disksTakeHalfOfWhatTheSystemAllows() {
    assertThat(Descriptors.share(1024)).isEqualTo(512);
    assertThat(Descriptors.share(10)).isEqualTo(8);
    assertThat(Descriptors.share(-1)).isPositive();
  }

  private static Napper openedBy(Descriptors descriptors) throws IOException {
    Napper made = new Napper();
    descriptors.open(made, () -> made);
    return made;
  }

  private static final class Napper implements Descriptors.Sleeper {
    boolean used;
    boolean rested;

    @Override
    public boolean wasUsed() {
      boolean was = used;
      used = false;
      return was;
    }

    @Override
    public int tryRest() {
      int held = rested ? 0 : 1;
      rested = true;
      return held;
    }
  }
}
