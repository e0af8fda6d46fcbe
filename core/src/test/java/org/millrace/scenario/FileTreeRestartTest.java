package org.millrace.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.client.ClusterOptions;
import org.millrace.cluster.ClusterLocation;
import org.millrace.cluster.RunningCluster;
import org.millrace.files.ByteLock;
import org.millrace.files.FileHandle;
import org.millrace.files.FilePath;
import org.millrace.files.FileTree;
import org.millrace.files.NewFile;
import org.millrace.scenario.ServerHost.Role;

/** Open files and locks of a program that is no rank, when the coordinator is killed. */
final class FileTreeRestartTest {

  private static final int NODES = 2;

  @TempDir private Path directory;
  private final ServerHosts hosts = new ServerHosts();

  private Role role() {
    return new Role(
        ServerHost.COORDINATOR,
        NODES,
        4096,
        4 << 20,
        ServerHost.Talk.SOCKETS,
        20_000,
        10_000, // a loaded machine takes seconds to connect again
        directory);
  }

  @BeforeEach
  void start() throws IOException {
    hosts.serve(role());
  }

  @AfterEach
  void stop() throws IOException {
    hosts.close();
  }

  @Test
  void opensAndLocksReturnToARestartedCoordinator() throws IOException {
    FilePath path = FilePath.of("f");
    ByteLock lock = new ByteLock(4, 10, 10, ByteLock.Kind.EXCLUSIVE);
    try (RunningCluster cluster =
            RunningCluster.connect(
                new ClusterLocation.In(directory), ClusterOptions.DEFAULT, role().transport());
        FileTree tree = cluster.files();
        FileTree other = cluster.files();
        FileHandle file = tree.open(path, FileTreeCases.READ_WRITE_CREATE, NewFile.with(0644));
        FileHandle theirs = other.open(path, Set.of(FileTree.Opening.READ), NewFile.with(0))) {
      file.write(0, MemorySegment.ofArray(new byte[] {1, 2, 3}));
      assertThat(file.lock(lock, 0)).isTrue();
      Jvm old = hosts.jvm(ServerHost.COORDINATOR);
      old.kill();
      old.await();
      Jvm again = hosts.jvm(ServerHost.COORDINATOR);
      again.send(role().toString());
      again.expect("ok");
      byte[] read = new byte[9];
      assertThat(theirs.read(0, MemorySegment.ofArray(read))).isEqualTo(3);
      assertThat(theirs.lock(lock, 0)).as("the lock is still held").isFalse();
      assertThat(file.append(MemorySegment.ofArray(new byte[] {4}))).isEqualTo(3);
      assertThat(file.lock(new ByteLock(4, 10, 10, ByteLock.Kind.NONE), 0)).isTrue();
      assertThat(theirs.lock(lock, 0)).isTrue();
      tree.remove(path, FileTree.Removing.FILE);
      assertThat(theirs.read(0, MemorySegment.ofArray(read))).isEqualTo(4);
      assertThat(theirs.status().links()).isZero();
    }
  }
}
