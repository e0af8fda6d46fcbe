package org.millrace;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.millrace.client.ClusterOptions;
import org.millrace.client.Memory;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;
import org.millrace.error.MillraceException;

/** What another user tries at a cluster, in a process of its own; prints what came of each. */
final class SecondUser {

  private SecondUser() {}

  /** Arguments: the address of the coordinator, then files that it tries to read from the disks. */
  public static void main(String[] args) throws IOException {
    System.out.println("user " + System.getProperty("user.name"));
    for (String file : Arrays.asList(args).subList(1, args.length)) {
      System.out.println("disk " + outcome(() -> Files.readAllBytes(Path.of(file))));
    }
    List<String> said = new ArrayList<>();
    try (Cluster cluster = Cluster.connect(args[0], ClusterOptions.DEFAULT)) {
      cluster.run(
          1,
          rank -> {
            said.add("private " + outcome(() -> read(rank, "private")));
            said.add("public " + outcome(() -> read(rank, "public")));
            said.add(
                "writing public "
                    + outcome(
                        () -> {
                          rank.open("public", OpenOptions.create()).close();
                          return new byte[0];
                        }));
          });
    }
    said.forEach(System.out::println);
  }

  private interface Attempt {
    byte[] run() throws IOException;
  }

  private static String outcome(Attempt attempt) {
    try {
      return "read " + Arrays.toString(attempt.run());
    } catch (MillraceException e) {
      return e.code().toString();
    } catch (IOException e) {
      return e.getClass().getSimpleName();
    }
  }

  private static byte[] read(Rank rank, String path) throws IOException {
    try (SharedFile file = rank.open(path, OpenOptions.read())) {
      byte[] bytes = new byte[3];
      file.at(0).read(Memory.of(bytes));
      return bytes;
    }
  }
}
