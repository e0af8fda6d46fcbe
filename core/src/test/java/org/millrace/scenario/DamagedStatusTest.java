package org.millrace.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.Cluster;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.files.FileHandle;
import org.millrace.files.FilePath;
import org.millrace.files.FileTree;
import org.millrace.files.NewFile;

/** What programs that are no ranks hear about a file of which a strand is damaged. */
final class DamagedStatusTest {

  private static final int BYTES = 3_000_000;

  @TempDir private Path folder;

  private void damage(String node) throws IOException {
    List<Path> strands;
    try (Stream<Path> files = Files.list(folder.resolve(node))) {
      strands = files.filter(file -> file.toString().endsWith(".strand")).toList();
    }
    assertThat(strands).isNotEmpty();
    for (Path one : strands) {
      Files.delete(one);
    }
  }

  @Test
  void theSizeOfAFileIsToldOnlyIfAllItsStrandsAreThere() throws IOException {
    FilePath path = FilePath.of("f");
    try (Cluster cluster = Cluster.embedded(folder, 2)) {
      FileTree tree = cluster.files();
      try (FileHandle file = tree.open(path, FileTreeCases.READ_WRITE_CREATE, NewFile.with(0644))) {
        file.write(0, MemorySegment.ofArray(new byte[BYTES]));
        file.force(true);
      }
      assertThat(tree.stat(path).size()).isEqualTo(BYTES);
    }
    damage("node-1");
    try (Cluster cluster = Cluster.embedded(folder, 2)) {
      FileTree tree = cluster.files();
      assertThatThrownBy(() -> tree.stat(path))
          .isInstanceOfSatisfying(
              MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CORRUPT));
    }
  }
}
