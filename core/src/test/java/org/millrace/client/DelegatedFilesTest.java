package org.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.Cluster;
import org.millrace.files.DelegationHolder;
import org.millrace.files.FileHandle;
import org.millrace.files.FilePath;
import org.millrace.files.FileTree;
import org.millrace.files.FileTree.Opening;
import org.millrace.files.NewFile;

/** Files that a program may keep bytes of, by the interface that programs use. */
final class DelegatedFilesTest {

  @TempDir private Path folder;

  private final List<String> told = new CopyOnWriteArrayList<>();
  private final DelegationHolder holder =
      new DelegationHolder() {
        @Override
        public void recalled(long file) {
          told.add("recalled " + file);
        }

        @Override
        public void lost() {
          told.add("lost");
        }
      };

  private static FileHandle open(FileTree tree, String path, Opening... how) throws IOException {
    return tree.open(FilePath.of(path), Set.of(how), NewFile.with(0644));
  }

  @Test
  void theHolderIsAskedBeforeSomebodyElseHasTheFileOpenForWriting() throws IOException {
    try (Cluster cluster = Cluster.embedded(folder, 2);
        FileTree one = cluster.files();
        FileTree other = cluster.files()) {
      one.delegateTo(holder);
      try (FileHandle file = open(one, "f", Opening.READ, Opening.WRITE, Opening.CREATE);
          FileHandle second = open(one, "f", Opening.READ)) {
        assertThat(file.isDelegated()).isTrue();
        assertThat(second.isDelegated()).isTrue();
        try (FileHandle reader = open(other, "f", Opening.READ)) {
          assertThat(reader.isDelegated()).as("it has not asked").isFalse();
        }
        assertThat(told).as("readers do no harm").isEmpty();
        try (FileHandle writer = open(other, "f", Opening.WRITE)) {
          assertThat(told).containsExactly("recalled " + writer.id());
          assertThat(file.isDelegated()).isFalse();
          assertThat(second.isDelegated()).isFalse();
          try (FileHandle late = open(one, "f", Opening.READ)) {
            assertThat(late.isDelegated()).as("another writes").isFalse();
          }
        }
        try (FileHandle again = open(one, "f", Opening.READ)) {
          assertThat(again.isDelegated()).as("nobody else writes any more").isTrue();
          assertThat(file.isDelegated()).as("once lost").isFalse();
        }
      }
    }
    assertThat(told).as("at the end of the session").contains("lost");
  }

  @Test
  void ranksThatOpenAFileToWriteHaveItGivenBack() throws IOException {
    try (Cluster cluster = Cluster.embedded(folder, 2);
        FileTree one = cluster.files()) {
      one.delegateTo(holder);
      try (FileHandle file = open(one, "f", Opening.READ, Opening.WRITE, Opening.CREATE)) {
        assertThat(file.isDelegated()).isTrue();
        cluster.run(
            2,
            rank -> {
              try (SharedFile shared = rank.open("f", OpenOptions.read())) {
                assertThat(shared.size()).isZero();
              }
            });
        assertThat(told).as("ranks that read").isEmpty();
        cluster.run(
            2,
            rank -> {
              try (SharedFile shared = rank.open("f", OpenOptions.readWrite())) {
                assertThat(told).containsExactly("recalled " + file.id());
                assertThat(shared.size()).isZero();
              }
            });
      }
    }
  }
}
