package org.millrace.hadoop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.cluster.ClusterLocation;
import org.millrace.daemon.Server;
import org.millrace.daemon.ServerOptions;

/** What Hadoop's contract does not say: which cluster, several writers, places of blocks. */
final class MillraceFileSystemTest {

  private static final URI ROOT = URI.create("millrace://data/");
  private static final Path FILE = new Path("/folder/file");

  @TempDir private java.nio.file.Path folder;
  private final Configuration configuration = new Configuration();
  private FileSystem files;

  @BeforeEach
  void open() throws IOException {
    configuration.set("fs.millrace.cluster.data.location", folder.resolve("one").toString());
    configuration.set("fs.millrace.nodes", "3");
    files = FileSystem.newInstance(ROOT, configuration);
  }

  @AfterEach
  void close() throws IOException {
    files.close();
  }

  private static void write(FileSystem to, Path path, String text) throws IOException {
    try (FSDataOutputStream out = to.create(path)) {
      out.write(text.getBytes(StandardCharsets.UTF_8));
    }
  }

  private static String read(FileSystem from, Path path) throws IOException {
    try (FSDataInputStream in = from.open(path)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @Test
  void fileSystemsOfOneUriShareAClusterThatEndsWithTheLast() throws IOException {
    FileSystem other = FileSystem.newInstance(ROOT, configuration);
    write(files, FILE, "text");
    assertThat(read(other, FILE)).isEqualTo("text");
    other.close();
    other.close();
    assertThat(read(files, FILE)).isEqualTo("text");
    files.close();
    assertThatThrownBy(() -> files.exists(FILE)).isInstanceOf(IOException.class);
    files = FileSystem.newInstance(ROOT, configuration);
    assertThat(read(files, FILE)).isEqualTo("text");
  }

  @Test
  void filesAreDeletedOnExitBeforeTheClusterIsClosed() throws IOException {
    write(files, FILE, "text");
    files.deleteOnExit(FILE);
    files.close();
    files = FileSystem.newInstance(ROOT, configuration);
    assertThat(files.exists(FILE)).isFalse();
  }

  @Test
  void namesWithoutLocationAreRefusedAndHostsWithPortsAreAddresses() throws IOException {
    assertThatThrownBy(() -> ClusterSettings.of(URI.create("millrace://other/"), configuration))
        .hasMessageContaining("fs.millrace.cluster.other.location");
    assertThatThrownBy(() -> ClusterSettings.of(URI.create("millrace:///x"), configuration))
        .hasMessageContaining("fs.millrace.location");
    URI address = URI.create("millrace://host:7000/");
    assertThat(ClusterSettings.of(address, configuration).location()).isEqualTo("tcp:host:7000");
    configuration.set("fs.millrace.keys", "keys");
    assertThat(ClusterSettings.of(address, configuration).location()).isEqualTo("tls:host:7000");
    configuration.set("fs.millrace.cluster.host:7000.location", "unix:/socket");
    assertThat(ClusterSettings.of(address, configuration).location()).isEqualTo("unix:/socket");
    configuration.set("fs.millrace.location", "tcp:a:1,tcp:b:1");
    assertThat(ClusterSettings.of(URI.create("millrace:/x"), configuration).location())
        .isEqualTo("tcp:a:1,tcp:b:1");
  }

  @Test
  void flushedBytesAreVisibleToReadersThatOpenedTheFileBefore() throws IOException {
    try (FSDataOutputStream out = files.create(FILE);
        FSDataInputStream in = files.open(FILE)) {
      assertThat(in.read()).isEqualTo(-1);
      out.write(7);
      assertThat(in.read()).isEqualTo(-1);
      out.hflush();
      assertThat(in.read()).isEqualTo(7);
      out.write(8);
      out.hsync();
      assertThat(in.read()).isEqualTo(8);
      assertThat(files.getFileStatus(FILE).getLen()).isEqualTo(2);
    }
  }

  @Test
  void twoThatAppendLoseNothing() throws IOException {
    write(files, FILE, "a");
    try (FSDataOutputStream one = files.append(FILE);
        FSDataOutputStream two = files.append(FILE)) {
      one.writeBytes("bb");
      two.writeBytes("cc");
      two.hflush();
      one.hflush();
      two.writeBytes("d");
    }
    assertThat(read(files, FILE)).isEqualTo("accbbd");
  }

  @Test
  void nothingIsWrittenAfterAWriteThatFailed() throws IOException {
    write(files, FILE, "old");
    FSDataOutputStream out = files.append(FILE);
    FileSystem other = FileSystem.newInstance(ROOT, configuration);
    out.writeBytes("new");
    other.close();
    files.close(); // with the cluster
    assertThatThrownBy(out::hflush).isInstanceOf(IOException.class);
    assertThatThrownBy(() -> out.write(1)).hasMessageContaining("failed before");
    out.close();
    files = FileSystem.newInstance(ROOT, configuration);
    assertThat(read(files, FILE)).isEqualTo("old");
  }

  @Test
  void filesAreCutButNotLengthened() throws IOException {
    write(files, FILE, "0123456789");
    assertThat(files.truncate(FILE, 4)).isTrue();
    assertThat(read(files, FILE)).isEqualTo("0123");
    assertThatThrownBy(() -> files.truncate(FILE, 5)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void everyByteIsInABlockThatHasAHost() throws IOException {
    configuration.set("fs.millrace.block.bytes", "64k");
    try (FileSystem small = FileSystem.newInstance(ROOT, configuration)) {
      write(small, FILE, "x".repeat(200_000));
      FileStatus status = small.getFileStatus(FILE);
      var blocks = small.getFileBlockLocations(status, 70_000, 100_000);
      assertThat(blocks).hasSize(2);
      assertThat(blocks[0].getOffset()).isEqualTo(65_536);
      assertThat(blocks[1].getOffset() + blocks[1].getLength()).isEqualTo(196_608);
      assertThat(blocks[0].getHosts()).hasSize(1); // all nodes are in this process
      assertThat(small.getFileBlockLocations(status, 200_000, 1)).isEmpty();
    }
  }

  @Test
  void daemonsAreUsedWhereTheyRunAndTakenAgainAfterARestart() throws IOException {
    java.nio.file.Path directory = Files.createDirectories(folder.resolve("d"));
    configuration.set("fs.millrace.cluster.daemons.location", directory.toString());
    List<Server> servers = start(directory);
    try (FileSystem remote =
        FileSystem.newInstance(URI.create("millrace://daemons/"), configuration)) {
      write(remote, FILE, "text");
      stop(servers);
      servers = start(directory);
      String text = null;
      for (int i = 0; text == null && i < 100; i++) {
        text = tryRead(remote); // a session that is over is noticed by a call that fails
      }
      assertThat(text).isEqualTo("text");
      try (FSDataOutputStream out = remote.create(FILE, false)) {
        out.write(1);
      } catch (FileAlreadyExistsException e) {
        assertThat(e.getMessage()).contains("folder/file");
      }
    } finally {
      stop(servers);
    }
  }

  private static @Nullable String tryRead(FileSystem from) {
    try {
      return read(from, FILE);
    } catch (IOException e) {
      return null;
    }
  }

  private static List<Server> start(java.nio.file.Path directory) throws IOException {
    List<Server> servers = new ArrayList<>();
    servers.add(Server.coordinator(directory, 1, ServerOptions.DEFAULT, _ -> {}));
    servers.add(
        Server.node(
            directory, 0, new ClusterLocation.In(directory), ServerOptions.DEFAULT, _ -> {}));
    return servers;
  }

  private static void stop(List<Server> servers) throws IOException {
    for (Server server : servers.reversed()) {
      server.close();
    }
    servers.clear();
  }
}
