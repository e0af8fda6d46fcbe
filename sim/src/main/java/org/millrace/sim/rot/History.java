package org.millrace.sim.rot;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.millrace.client.Memory;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;

/**
 * The life of a small cluster before its files are mutated: it is started four times. Each time
 * files are made, some with copies, overwritten in part, renamed, removed and protected; the last
 * time it is killed while writes are under way. The images that it leaves are the past and the
 * present of the campaign. Used by one thread.
 */
final class History {

  static final int BLOCK = 4096;

  private static final String[] SMALL = {"small", "d/inner", "secret", "renamed"};

  /** Files of which each strand is on two nodes; small enough for a log, and not. */
  private static final String[] COPIED = {"copied", "d/copied-small"};

  private final Host host;
  private final RandomGenerator random;
  private final Expected expected = new Expected();
  private final List<Image> past = new ArrayList<>();

  /** Files with writes that are not flushed: closing them would. */
  private final Map<String, SharedFile> open = new HashMap<>();

  History(Host host, RandomGenerator random) {
    this.host = host;
    this.random = random;
  }

  /** Files with what they must hold. */
  record Moment(String name, Image image, Expected expected) {}

  /** The images of earlier times, oldest first. */
  List<Image> past() {
    return past;
  }

  /** Lives, and returns the moments that are mutated. */
  List<Moment> live() throws IOException {
    List<Moment> moments = new ArrayList<>();
    host.start(cluster -> cluster.run(1, this::first));
    past.add(host.image());
    host.start(cluster -> cluster.run(1, this::second));
    past.add(host.image());
    host.start(cluster -> cluster.run(1, this::third));
    Image stopped = host.image();
    moments.add(new Moment("stopped in order", stopped, expected.copy()));
    host.start(
        cluster ->
            cluster.run(
                1,
                rank -> {
                  killed(rank);
                  moments.add(new Moment("killed", host.image(), expected.copy()));
                  for (SharedFile file : open.values()) {
                    file.close();
                  }
                }));
    past.add(stopped);
    return moments;
  }

  private void first(Rank rank) throws IOException {
    rank.names().makeDirectory("d");
    expected.directory("d");
    rank.names().makeDirectory("d/e");
    expected.directory("d/e");
    write(rank, "large", 0, 300 * BLOCK, true);
    write(rank, "sparse", 0, 3000, true);
    write(rank, "sparse", 200 * BLOCK + 77, 5000, true);
    for (String name : SMALL) {
      write(rank, name, 0, 1 + random.nextInt(3 * BLOCK), true);
    }
    write(rank, "tiny", 0, 700, true);
    write(rank, COPIED[0], 0, 30 * BLOCK + 11, true);
    write(rank, COPIED[1], 0, 900, true);
  }

  private void second(Rank rank) throws IOException {
    rewrite(rank, true);
    write(rank, "late", 0, 2 * BLOCK + 5, true);
    rank.names().setPermissions("secret", 0600);
    expected.mode("secret", 0600);
  }

  private void third(Rank rank) throws IOException {
    rewrite(rank, true);
    rank.names().remove("late");
    expected.remove("late");
    write(rank, "last", 0, BLOCK + 9, true);
    rank.names().makeDirectory("empty");
    expected.directory("empty");
    rank.names().setPermissions("small", 0640);
    expected.mode("small", 0640);
    rank.names().rename("renamed", "d/e/moved");
    expected.rename("renamed", "d/e/moved");
  }

  /**
   * Writes that are acknowledged, then some that are not. Ends with a name: the journal's last
   * frame is one that was acknowledged.
   */
  private void killed(Rank rank) throws IOException {
    write(rank, "last", 100, 3000, true);
    rewrite(rank, true);
    rewrite(rank, false);
    rank.names().rename("last", "d/last");
    expected.rename("last", "d/last");
    rank.names().setPermissions("d/last", 0600);
    expected.mode("d/last", 0600);
  }

  /** Overwrites parts of blocks here and there. */
  private void rewrite(Rank rank, boolean flush) throws IOException {
    for (int i = 0; i < 40; i++) {
      int at = random.nextInt(299 * BLOCK);
      write(rank, "large", at, 1 + random.nextInt(BLOCK - 1), flush);
    }
    write(rank, "sparse", 100 + random.nextInt(1000), 900, flush);
    write(rank, "sparse", random.nextInt(199) * BLOCK, BLOCK, flush);
    write(rank, "small", 0, 1 + random.nextInt(BLOCK), flush);
    write(rank, "d/inner", random.nextInt(500), 1 + random.nextInt(BLOCK), flush);
    write(rank, "tiny", random.nextInt(300), 1 + random.nextInt(400), flush);
    write(rank, COPIED[0], random.nextInt(29 * BLOCK), 1 + random.nextInt(BLOCK), flush);
    write(rank, COPIED[1], random.nextInt(300), 1 + random.nextInt(600), flush);
  }

  private void write(Rank rank, String path, int at, int length, boolean flush) throws IOException {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    OpenOptions options =
        OpenOptions.readWrite()
            .withCreate()
            .withBlockSize(BLOCK)
            .withStripeUnit(2 * BLOCK)
            .withCopies(List.of(COPIED).contains(path) ? 2 : 1);
    if (flush) {
      try (SharedFile file = rank.open(path, options)) {
        file.at(at).write(Memory.of(bytes)); // closing makes it durable
      }
    } else {
      SharedFile file = open.get(path);
      if (file == null) {
        file = rank.open(path, options);
        open.put(path, file);
      }
      file.at(at).write(Memory.of(bytes));
    }
    expected.write(path, at, bytes, flush);
    expected.modes().putIfAbsent(path, rank.names().stat(path).permissions());
  }
}
