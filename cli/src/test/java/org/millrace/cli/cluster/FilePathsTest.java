package org.millrace.cli.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

final class FilePathsTest {

  @Test
  void pathsMayHaveSlashesAround() {
    assertThat(List.of("/a/b/", "a", "/", "", "./a", ".", "a//"))
        .extracting(FilePaths::of)
        .containsExactly("a/b", "a", "", "", "a", "", "a");
  }
}
