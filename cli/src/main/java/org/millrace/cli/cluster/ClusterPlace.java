package org.millrace.cli.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.millrace.client.ClusterOptions;
import org.millrace.client.Rank;
import org.millrace.cluster.ClusterLocation;
import org.millrace.cluster.CoordinatorAddress;
import org.millrace.cluster.RunningCluster;
import org.millrace.disk.RunFolder;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.files.FileTree;
import org.millrace.message.TransportOptions;
import org.millrace.wire.Address;
import org.millrace.wire.Security;
import org.millrace.wire.Tls;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/**
 * The cluster that a command uses, as options: the daemons of a directory if they run, otherwise
 * the directory itself, or an address. Used by one thread.
 */
public final class ClusterPlace {

  /** What is done with one rank. */
  public interface Work<T> {

    /** Does it. */
    T with(Rank rank) throws IOException;
  }

  /** A command needs little: what it copies goes through once. */
  private static final ClusterOptions OPTIONS =
      ClusterOptions.DEFAULT.withCacheBytesPerNode(64L << 20);

  @Spec(Target.MIXEE)
  private CommandSpec spec;

  private @Nullable Path directory;

  @Option(
      names = "--connect",
      paramLabel = "ADDRESS",
      description =
          "The coordinator's address: unix:/path, tcp:host:port or tls:host:port; of several"
              + " coordinators all, with commas between.")
  private @Nullable String address;

  @Option(
      names = "--keys",
      paramLabel = "K",
      description = "Folder with the keys for tls: addresses, as millrace keys makes it.")
  private @Nullable Path keys;

  @Option(
      names = "--dir",
      paramLabel = "D",
      description =
          "The cluster's directory (default: .millrace/data); if its daemons run they are asked.")
  void setDirectory(Path path) {
    if (path.toString().isEmpty()) { // a shell variable that was not set, likely
      throw new ParameterException(
          spec.commandLine(), "--dir is empty; give a folder, or . for the current one");
    }
    directory = path;
  }

  /** The cluster in a directory, for a command that names it in its own way. */
  public static ClusterPlace in(CommandSpec spec, Path directory, @Nullable Path keys) {
    ClusterPlace place = at(spec, null, keys);
    place.setDirectory(directory);
    return place;
  }

  /** The cluster at an address, for a command that names it in its own way. */
  public static ClusterPlace at(CommandSpec spec, @Nullable String address, @Nullable Path keys) {
    ClusterPlace place = new ClusterPlace();
    place.spec = spec;
    place.address = address;
    place.keys = keys;
    return place;
  }

  /** What messages call it. */
  public String name() {
    return address != null ? address : directory().toString();
  }

  /** Whether an address was given, and no directory. */
  public boolean hasAddress() {
    checkOne();
    return address != null;
  }

  /** The options that name it, for another process. */
  public List<String> arguments() {
    checkOne();
    List<String> line = new ArrayList<>();
    if (address != null) {
      line.addAll(List.of("--connect", address));
    } else {
      line.addAll(List.of("--dir", directory().toAbsolutePath().toString()));
    }
    if (keys != null) {
      line.addAll(List.of("--keys", keys.toAbsolutePath().toString()));
    }
    return line;
  }

  /** The directory that was named, or the usual one. */
  public Path directory() {
    return directory == null ? ClusterLocation.DEFAULT_DIRECTORY : directory;
  }

  /** Whether processes are asked, rather than files read. */
  private boolean isRunning() throws IOException {
    return address != null
        || CoordinatorAddress.read(RunFolder.of(directory()))
            .filter(ClusterPlace::mayLive)
            .isPresent();
  }

  /** A coordinator of this host that was killed has left its address, but has no process. */
  private static boolean mayLive(CoordinatorAddress there) {
    return !(there.address() instanceof Address.Unix)
        || there.addresses().size() > 1 // another may have taken its place
        || there.process().isPresent();
  }

  /** Opens the cluster or connects to it. */
  public RunningCluster open() throws IOException {
    checkOne();
    if (!isRunning()) {
      return RunningCluster.open(directory(), OPTIONS);
    }
    try {
      return RunningCluster.connect(location(), OPTIONS, transport());
    } catch (MillraceException e) {
      if (address != null) {
        throw e;
      }
      return openInstead(e);
    }
  }

  /** Connects to the cluster, whose processes must be running. */
  public RunningCluster connect() throws IOException {
    checkOne();
    if (!isRunning()) {
      throw new MillraceException(
          ErrorCode.NODE,
          "no processes run in %1$s; start them with: millrace up --dir %1$s"
              .formatted(directory()));
    }
    return RunningCluster.connect(location(), OPTIONS, transport());
  }

  private void checkOne() {
    if (address != null && directory != null) {
      throw new ParameterException(
          spec.commandLine(), "--dir and --connect name two clusters; give one of them");
    }
  }

  private ClusterLocation location() throws IOException {
    if (address == null) {
      return new ClusterLocation.In(directory());
    }
    try {
      ClusterLocation there = ClusterLocation.parse(address);
      if (there instanceof ClusterLocation.In) {
        throw new IllegalArgumentException(
            "'"
                + address
                + "' is not an address; write unix:/path, tcp:host:port or tls:host:port");
      }
      if (there instanceof ClusterLocation.At(Address.Unix unix)
          && !Files.exists(Path.of(unix.path()))) {
        throw new MillraceException(
            ErrorCode.NODE, "no process listens at " + unix + ": there is no such socket");
      }
      return there;
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
  }

  private TransportOptions transport() throws IOException {
    TransportOptions plain = TransportOptions.DEFAULT;
    return keys == null ? plain : plain.withSecurity(Security.LOCAL.withTls(Tls.load(keys)));
  }

  /** Daemons that were killed leave their address behind, but not the lock of the directory. */
  private RunningCluster openInstead(MillraceException unreachable) throws IOException {
    try {
      return RunningCluster.open(directory(), OPTIONS);
    } catch (MillraceException e) {
      unreachable.addSuppressed(e);
      throw unreachable;
    }
  }

  /** Opens the cluster and does something as its only rank. */
  public <T> T with(Work<T> work) throws IOException {
    try (RunningCluster cluster = open()) {
      return as(cluster, work);
    }
  }

  /** What is done with the files, by a program that is no rank. */
  public interface FileWork<T> {

    /** Does it. */
    T with(FileTree files) throws IOException;
  }

  /** Opens the cluster and does something with its files. */
  public <T> T withFiles(FileWork<T> work) throws IOException {
    try (RunningCluster cluster = open();
        FileTree files = cluster.files()) {
      return work.with(files);
    }
  }

  /** Does something as a program of one rank. */
  public static <T> T as(RunningCluster cluster, Work<T> work) throws IOException {
    AtomicReference<@Nullable T> result = new AtomicReference<>();
    cluster.run(1, rank -> result.set(work.with(rank)));
    T made = result.get();
    if (made == null) {
      throw new IllegalStateException("the rank returned nothing");
    }
    return made;
  }
}
