package org.millrace.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.millrace.ClusterOptions;
import org.millrace.Server;
import org.millrace.ServerOptions;
import org.millrace.Whereabouts;
import org.millrace.message.TransportOptions;

/**
 * Does for a moment what commands, daemons and ranks do, all in one JVM, so that the JVM can write
 * down what it has loaded and learned: the launcher starts it with {@code -XX:AOTCacheOutput}, and
 * later JVMs start from there. The one argument is an empty folder. Stateless.
 */
final class Training {

  private static final int ROUNDS = 20;
  private static final int FILE_BYTES = 4 << 20;

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
    try (Server _ = Server.coordinator(cluster, 1, how, _ -> {});
        Server _ = Server.node(cluster, 0, new Whereabouts.In(cluster), how, _ -> {})) {
      String place = "--dir=" + cluster;
      for (int i = 0; i < ROUNDS; i++) {
        run("put", place, file.toString(), "f" + i);
        run("get", place, "f" + i, folder.resolve("f" + i).toString());
      }
      for (String command : List.of("ls", "status", "df")) {
        run(command, place);
      }
    }
    System.exit(ExitCode.OK); // whatever thread is left: what was learned is written now
  }

  private static void run(String... args) {
    PrintWriter nobody = new PrintWriter(PrintWriter.nullWriter());
    int _ = Main.run(Runtime.version(), nobody, nobody, args);
  }
}
