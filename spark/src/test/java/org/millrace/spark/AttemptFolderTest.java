package org.millrace.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where nodes inside executors keep their files. */
final class AttemptFolderTest {

  @TempDir private Path directory;

  @Test
  void earlierAttemptsOfTheRunAreRemovedAndNothingElse() throws IOException {
    Path killed = AttemptFolder.make(directory, "run", 4, 9, 0).path();
    Files.writeString(killed.resolve("strand"), "half");
    Path later = AttemptFolder.make(directory, "run", 4, 11, 0).path();
    Path other = AttemptFolder.make(directory, "another", 4, 0, 0).path();
    Path stage = AttemptFolder.make(directory, "run", 41, 0, 0).path();
    Path own = AttemptFolder.make(directory, "run", 4, 10, 1).path();
    assertThat(killed.getParent()).doesNotExist();
    assertThat(later).exists();
    assertThat(other).exists();
    assertThat(stage).exists();
    assertThat(own).isEmptyDirectory();
  }

  @Test
  void closingRemovesTheFolderWithTheLastRankOfTheHost() throws IOException {
    AttemptFolder one = AttemptFolder.make(directory, "run", 1, 0, 0);
    AttemptFolder two = AttemptFolder.make(directory, "run", 1, 0, 1);
    Files.writeString(one.path().resolve("strand"), "bytes");
    one.close();
    assertThat(two.path()).exists();
    two.close();
    assertThat(directory).isEmptyDirectory();
  }
}
