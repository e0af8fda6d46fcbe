package org.millrace.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.millrace.client.ClusterOptions;
import org.millrace.cluster.RunningCluster;
import org.millrace.disk.Disk;
import org.millrace.disk.MemoryDisk;
import org.millrace.env.Env;
import org.millrace.files.FileHandle;
import org.millrace.files.FilePath;
import org.millrace.files.FileTree;
import org.millrace.files.NewFile;
import org.millrace.plan.collective.Costs;
import org.millrace.testing.WatchedTopology;

/** How many requests a program that is no rank causes by asking about files. */
final class FileTreeMessagesTest {

  private static final int NODES = 3;
  private static final int FILES = 60;

  private final List<String> requests = Collections.synchronizedList(new ArrayList<>());
  private RunningCluster cluster;
  private FileTree tree;

  @BeforeEach
  void start() throws IOException {
    List<Disk> disks = new ArrayList<>();
    for (int i = 0; i < NODES; i++) {
      disks.add(new MemoryDisk("n" + i));
    }
    cluster =
        RunningCluster.over(
            WatchedTopology.of(
                Env.real(), (from, request) -> requests.add(request.getClass().getSimpleName())),
            new MemoryDisk("c"),
            disks,
            ClusterOptions.DEFAULT.withStripeUnitBytes(512),
            Costs.DEFAULT);
    tree = cluster.files();
    tree.makeDirectory(FilePath.of("d"), NewFile.with(0755));
    for (int i = 0; i < FILES; i++) {
      FilePath path = FilePath.of("d/f%03d".formatted(i));
      try (FileHandle file = tree.open(path, FileTreeCases.READ_WRITE_CREATE, NewFile.with(0644))) {
        file.write(0, MemorySegment.ofArray(new byte[2000]));
      }
    }
    requests.clear();
  }

  @AfterEach
  void stop() throws IOException {
    tree.close();
    cluster.close();
  }

  @Test
  void statAsksTheCoordinatorOnceAndEachNodeAtMostOnce() throws IOException {
    assertThat(tree.stat(FilePath.of("d/f007")).size()).isEqualTo(2000);
    assertThat(requests).hasSizeLessThanOrEqualTo(1 + NODES);
  }

  @Test
  void statOfADirectoryIsOneRequest() throws IOException {
    tree.stat(FilePath.of("d"));
    assertThat(requests).hasSize(1);
  }

  @Test
  void aPageOfAListAsksNoMoreThanOneFileDoes() throws IOException {
    assertThat(tree.list(FilePath.of("d"), "", FILES).entries()).hasSize(FILES);
    assertThat(requests).hasSizeLessThanOrEqualTo(1 + NODES);
  }
}
