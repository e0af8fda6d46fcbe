package org.millrace.cli;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.millrace.Cluster;
import org.millrace.access.Pattern;
import org.millrace.access.Section;
import org.millrace.access.Shape;
import org.millrace.access.View;
import org.millrace.array.ElementType;
import org.millrace.array.GlobalArray;
import org.millrace.array.Local;
import org.millrace.cli.terminal.ExitCode;
import org.millrace.client.ClusterOptions;
import org.millrace.client.Memory;
import org.millrace.client.Mode;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;
import org.millrace.cluster.ClusterLocation;
import org.millrace.daemon.Server;
import org.millrace.daemon.ServerOptions;
import org.millrace.env.Env;
import org.millrace.env.ThreadKind;
import org.millrace.launch.Launch;
import org.millrace.launch.process.ProcessRank;
import org.millrace.launch.process.ProcessRankOptions;
import org.millrace.message.TransportOptions;
import org.millrace.plan.Hints;
import org.millrace.plan.Strategy;
import org.millrace.wire.Address;
import org.millrace.wire.Security;
import org.millrace.wire.Tls;

/**
 * Does for a moment what commands, daemons and ranks do, all in one JVM, so that the JVM can write
 * down what it has loaded and learned: the launcher starts it with {@code -XX:AOTCacheOutput}, and
 * later JVMs start from there. It runs with the quick compiler alone: a JVM that has seen a method
 * in the optimizing compiler hands it there as soon as it can, and that is hundreds of methods
 * before a rank's first call (decision 0080). The one argument is an empty folder. Stateless.
 */
final class Training {

  private static final int ROUNDS = 20;
  private static final int FAR_ROUNDS = 3;
  private static final String HOST = "127.0.0.1";
  private static final int FILE_BYTES = 4 << 20;
  private static final int NODES = 2;
  private static final int RANKS = 4;

  /** Bytes of a rank's part in a collective call: enough to be copied out of the nodes' memory. */
  private static final int PART_BYTES = 1 << 20;

  /** Pieces of which a part consists: single numbers, short rows, rows longer than a block. */
  private static final List<Integer> PIECES = List.of(8, 128, 8 << 10, PART_BYTES);

  private static final int ROWS = 512;

  /** Repetitions after which the JVM has compiled what every call goes through. */
  private static final int CALLS = 30;

  private static final int RECORD_BYTES = 1 << 10;
  private static final int RECORDS = 500;

  private Training() {}

  /** Runs. */
  public static void main(String[] args) throws IOException {
    Path folder = Path.of(args[0]);
    Path cluster = folder.resolve("cluster");
    Path file = folder.resolve("file");
    byte[] bytes = new byte[FILE_BYTES];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) (i * 31 >> 3);
    }
    Files.write(file, bytes);
    Files.createDirectories(cluster);
    ServerOptions how = ServerOptions.of(ClusterOptions.DEFAULT, TransportOptions.DEFAULT);
    ClusterLocation where = new ClusterLocation.In(cluster);
    try (Server _ = Server.coordinator(cluster, NODES, how, _ -> {});
        Server _ = Server.node(cluster, 0, where, how, _ -> {});
        Server _ = Server.node(cluster, 1, where, how, _ -> {})) {
      String place = "--dir=" + cluster;
      for (int i = 0; i < ROUNDS; i++) {
        run("put", place, file.toString(), "f" + i);
        run("get", place, "f" + i, folder.resolve("f" + i).toString());
      }
      for (String command : List.of("ls", "status", "df", "find", "du")) {
        run(command, place);
      }
      run("ls", place, "-lh", "f1*");
      run("cp", place, "f0", "copy");
      run("mv", place, "copy", "moved");
      run("rm", place, "moved");
      run("--version");
      run("--help");
      try (Cluster ranks = Cluster.connect(cluster.toString(), ClusterOptions.DEFAULT)) {
        ranks.run(RANKS, Training::work);
      }
    }
    talkThroughTls(folder, file);
    beProcesses(Files.createDirectories(folder.resolve("peers")));
    System.exit(ExitCode.OK); // whatever thread is left: what was learned is written now
  }

  /**
   * What commands and daemons do between hosts: a thousand classes of the JDK are for TLS alone.
   * Where no keys can be made, there is nothing to learn.
   */
  private static void talkThroughTls(Path folder, Path file) throws IOException {
    Path cluster = Files.createDirectories(folder.resolve("far"));
    Path keys = folder.resolve("keys");
    String user = "--user=" + System.getProperty("user.name");
    int made = run("keys", "init", "--dir=" + keys, user, "--host=" + HOST);
    if (made != ExitCode.OK) {
      return;
    }
    Path own = keys.resolve(HOST);
    Security tls = TransportOptions.DEFAULT.security().withTls(Tls.load(own));
    ServerOptions how =
        ServerOptions.of(ClusterOptions.DEFAULT, TransportOptions.DEFAULT.withSecurity(tls))
            .withAddress(Address.parse("tls:" + HOST + ":0"));
    ClusterLocation where = new ClusterLocation.In(cluster);
    try (Server _ = Server.coordinator(cluster, 1, how, _ -> {});
        Server _ = Server.node(cluster, 0, where, how, _ -> {})) {
      String place = "--dir=" + cluster;
      String with = "--keys=" + own;
      for (int i = 0; i < FAR_ROUNDS; i++) {
        run("put", place, with, file.toString(), "f" + i);
        run("get", place, with, "f" + i, folder.resolve("far" + i).toString());
        run("ls", place, with);
      }
      run("status", place, with);
    }
  }

  /**
   * What the processes of a parallel program do that are the cluster, too: they find each other,
   * meet in shared memory and copy out of each other's caches. Here they are threads, which neither
   * they nor the JVM can tell from processes.
   */
  private static void beProcesses(Path cluster) {
    List<CompletableFuture<Integer>> ends = new ArrayList<>();
    for (int r = 0; r < RANKS; r++) {
      Launch launch = new Launch("training", "training", r, RANKS);
      CompletableFuture<Integer> end = new CompletableFuture<>();
      ends.add(end);
      Env.real().start(ThreadKind.SERVICE, "rank " + r, () -> beProcess(launch, cluster, end));
    }
    ends.forEach(CompletableFuture::join);
  }

  private static void beProcess(Launch launch, Path cluster, CompletableFuture<Integer> end) {
    ProcessRankOptions how = ProcessRankOptions.of(ClusterOptions.DEFAULT);
    try {
      try (ProcessRank process = ProcessRank.asPeer(launch, cluster, RANKS, how)) {
        process.run(Training::work);
      }
      end.complete(launch.rank());
    } catch (IOException | RuntimeException | Error e) {
      end.completeExceptionally(e);
    }
  }

  /** What a rank of a parallel program does. */
  private static void work(Rank rank) throws IOException {
    call(rank);
    callForSections(rank);
    append(rank);
  }

  /** Short records at the end of a file that all share. */
  private static void append(Rank rank) throws IOException {
    OpenOptions how = OpenOptions.create().withMode(Mode.SHARED);
    try (SharedFile log = rank.open("log", how);
        Arena arena = Arena.ofShared()) {
      Memory record = Memory.of(arena.allocate(RECORD_BYTES, Long.BYTES));
      for (int i = 0; i < RECORDS; i++) {
        log.write(record);
      }
      rank.barrier();
      long all = rank.allReduceLong(log.size(), Math::max);
      if (all < (long) RECORDS * RANKS * RECORD_BYTES) {
        throw new IllegalStateException("records are missing: " + all);
      }
    }
  }

  /** Collective calls by every strategy that processes choose. */
  private static void call(Rank rank) throws IOException {
    for (Strategy strategy : List.of(Strategy.AUTO, Strategy.SIEVED, Strategy.DISK_DIRECTED)) {
      OpenOptions how = OpenOptions.create().withHints(Hints.DEFAULT.withStrategy(strategy));
      try (SharedFile file = rank.open("array", how);
          Arena arena = Arena.ofShared()) {
        Memory part = Memory.of(arena.allocate(PART_BYTES, Long.BYTES));
        for (int piece : PIECES) {
          long stride = (long) RANKS * piece;
          file.setView(new View((long) rank.number() * piece, Pattern.run(piece), stride));
          for (int i = 0; i < CALLS; i++) {
            file.at(0).all().write(part);
            file.at(0).all().read(part);
          }
        }
      }
    }
  }

  /** The same of an array: each rank's columns, and a section that all want. */
  private static void callForSections(Rank rank) throws IOException {
    int columns = PART_BYTES / Long.BYTES / ROWS;
    Shape shape = Shape.columnMajor(ROWS, (long) RANKS * columns);
    int first = rank.number() * columns;
    Section own = Section.parse("0:%s,%s:%s".formatted(ROWS - 1, first, first + columns - 1));
    Section common = Section.parse("10:%s,0:%s".formatted(ROWS / 2, columns - 1));
    try (GlobalArray array =
            GlobalArray.openRaw(
                rank, "array", shape, ElementType.INT64, 0, OpenOptions.readWrite());
        Arena arena = Arena.ofShared()) {
      for (Section section : List.of(own, common)) {
        Shape part = section.shape(shape.order());
        Local local = Local.of(arena.allocate(part.bytes(Long.BYTES), Long.BYTES), part);
        for (int i = 0; i < CALLS; i++) {
          array.readSection(section, local);
        }
      }
    }
  }

  @CanIgnoreReturnValue
  private static int run(String... args) {
    PrintWriter nobody = new PrintWriter(PrintWriter.nullWriter());
    return Main.run(Runtime.version(), nobody, nobody, args);
  }
}
