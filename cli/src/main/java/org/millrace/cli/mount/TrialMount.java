package org.millrace.cli.mount;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.millrace.cli.daemons.JavaCommand;

/**
 * A cluster of processes on this host with mounts of it, for the time of a trial: all of it made by
 * the commands that users have, in one folder.
 *
 * <p>Used by one thread. Closing unmounts and ends the cluster; the folder stays.
 */
public final class TrialMount implements AutoCloseable {

  private final Path folder;
  private final Path cluster;
  private final List<Path> mounts = new ArrayList<>();

  private TrialMount(Path folder) {
    this.folder = folder.toAbsolutePath();
    cluster = this.folder.resolve("cluster");
  }

  /** Starts a cluster in a folder that exists. */
  public static TrialMount start(Path folder, int nodes) throws IOException {
    TrialMount trial = new TrialMount(folder);
    trial.millrace("up", "--nodes", "" + nodes, "--dir", trial.cluster.toString());
    return trial;
  }

  /** The cluster's directory. */
  public Path cluster() {
    return cluster;
  }

  /** Mounts it at a new folder of that name. */
  public Path mount(String name, String... options) throws IOException {
    Path at = Files.createDirectory(folder.resolve(name));
    List<String> line = new ArrayList<>(List.of("mount", "--dir", cluster.toString()));
    line.addAll(List.of(options));
    line.add(at.toString());
    millrace(line.toArray(String[]::new));
    mounts.add(at);
    return at;
  }

  /** Ends the cluster in order and starts it again; the mounts stay. */
  public void restart() throws IOException {
    millrace("stop", "--dir", cluster.toString());
    millrace("up", "--dir", cluster.toString());
  }

  private void millrace(String... args) throws IOException {
    Process process =
        new ProcessBuilder(JavaCommand.of(List.of(args))).redirectErrorStream(true).start();
    process.getOutputStream().close();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    try {
      if (process.waitFor() != 0) {
        throw new IOException("millrace %s failed: %s".formatted(args[0], said.strip()));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw (IOException) new InterruptedIOException("while millrace runs").initCause(e);
    }
  }

  @Override
  public void close() throws IOException {
    IOException failure = null;
    for (Path mount : mounts) {
      try {
        millrace("umount", "--lazy", mount.toString());
      } catch (IOException e) {
        failure = e;
      }
    }
    millrace("stop", "--dir", cluster.toString());
    if (failure != null) {
      throw failure;
    }
  }
}
