package org.millrace.heritage.program;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.millrace.access.Pattern;
import org.millrace.access.View;
import org.millrace.client.Rank;
import org.millrace.heritage.edonio.Edonio;
import org.millrace.heritage.edonio.EdonioException;
import org.millrace.heritage.edonio.Fcntl;

/** Shows {@code edonio}: blocks and their owners, private pointers, preload, errors. Stateless. */
final class EdonioProgram implements HeritageProgram {

  private static final String FILE = "/edonio.ex";
  private static final int RECORD = 10_000;
  private static final int RECORDS = 100;
  private static final long SIZE = (long) RECORD * RECORDS;

  @Override
  public String name() {
    return "edonio";
  }

  @Override
  public String about() {
    return "one file, a pointer for each rank, blocks of 64 KiB cached by their owners";
  }

  @Override
  public String usage() {
    return FiniteElementProgram.USAGE;
  }

  @Override
  public void run(Rank rank, Stage stage, List<String> arguments) throws IOException {
    if (arguments.isEmpty()) {
      run(rank, stage);
    } else {
      new FiniteElementProgram(rank, stage).run(arguments);
    }
  }

  @Override
  public void run(Rank rank, Stage stage) throws IOException {
    try (Edonio io = new Edonio(rank)) {
      io.do_nio(rank.number(), rank.size());
      write(rank, io, stage);
      read(rank, io, stage);
      errors(io, stage);
      donio(rank, stage);
    }
    rank.barrier();
    if (rank.number() == 0) {
      rank.names().remove(FILE.substring(1));
    }
  }

  private static byte[] record(int number) {
    byte[] bytes = new byte[RECORD];
    Arrays.fill(bytes, (byte) (number + 1));
    return bytes;
  }

  private static void write(Rank rank, Edonio io, Stage stage) throws IOException {
    int nodes = rank.report().size();
    int block = Edonio.BLOCK_BYTES;
    List<View> owners =
        IntStream.range(0, nodes)
            .mapToObj(p -> new View((long) p * block, Pattern.run(block), (long) nodes * block))
            .toList();
    stage.draw("which node answers for which block of 64 KiB", owners, 16, block, 16);
    List<View> writers =
        IntStream.range(0, rank.size())
            .mapToObj(
                r -> new View((long) r * RECORD, Pattern.run(RECORD), (long) rank.size() * RECORD))
            .toList();
    stage.draw("which rank writes which record of 10,000 bytes", writers, RECORDS, RECORD, 50);
    int fd = io.do_open(FILE, Fcntl.O_WRONLY, 0666);
    io.do_lsize(fd, 2 * SIZE);
    for (int i = rank.number(); i < RECORDS; i += rank.size()) {
      io.do_lseek(fd, (long) i * RECORD, Fcntl.SEEK_SET);
      io.do_write(fd, record(i));
    }
    io.do_gsync();
    long end = io.do_lseek(fd, 0, Fcntl.SEEK_END);
    stage.say("do_lsize said %,d bytes; SEEK_END, not flushed, says %,d", 2 * SIZE, end);
    stage.check("the end is the highest byte written", end == SIZE);
    io.do_close(fd);
  }

  private static void read(Rank rank, Edonio io, Stage stage) throws IOException {
    long before = rank.report().get(0).getOrDefault("limitBytes", 0L);
    io.do_csize(512, 64); // contract and reset: the manual's way to empty the disk cache
    io.do_csize(512, 4096);
    int fd = io.do_open(FILE, Fcntl.O_RDONLY, 0);
    io.do_preload(fd);
    long loaded = bytesRead(rank);
    stage.say("do_csize(512, 4096), then do_preload: the nodes have read the file in, in parallel");
    io.do_gsync();
    boolean right = true;
    for (int i = 0; i < RECORDS; i++) {
      int other = (i + rank.number()) % RECORDS;
      byte[] got = new byte[RECORD];
      io.do_lseek(fd, (long) other * RECORD, Fcntl.SEEK_SET);
      io.do_read(fd, got);
      right &= Arrays.equals(got, record(other));
    }
    stage.say(
        "data cache: rank 0 asked other processes for %s blocks and used its copies %s times",
        rank.dataCache().misses(), rank.dataCache().hits());
    io.do_gsync();
    stage.check("every rank reads every record, from another one on", right);
    stage.check("no disk was read for it", bytesRead(rank) == loaded);
    io.do_close(fd);
    io.do_csize(512, before >> 10);
  }

  private static long bytesRead(Rank rank) throws IOException {
    return rank.report().stream().mapToLong(node -> node.getOrDefault("bytesRead", 0L)).sum();
  }

  private static void errors(Edonio io, Stage stage) throws IOException {
    int fd = io.do_open(FILE, Fcntl.O_RDONLY, 0);
    io.do_lseek(fd, -5, Fcntl.SEEK_END);
    byte[] ten = new byte[10];
    String said = failure(() -> io.do_read(fd, ten));
    stage.say("do_read of 10 bytes, 5 before the end: %s", said);
    stage.check(
        "it is an error, and neither buffer nor pointer changed",
        said.startsWith("PAST_END")
            && Arrays.equals(ten, new byte[10])
            && io.do_lseek(fd, 0, Fcntl.SEEK_CUR) == SIZE - 5);
    stage.check(
        "so are writing it, sizing it, and a disk cache of 0, on all ranks",
        failure(() -> io.do_write(fd, ten)).startsWith("READ_ONLY")
            && failure(() -> io.do_lsize(fd, 1)).startsWith("READ_ONLY")
            && failure(() -> io.do_csize(0, 0)).startsWith("NO_DISK_CACHE"));
    io.do_close(fd);
  }

  private interface Act {
    void run() throws IOException;
  }

  private static String failure(Act act) throws IOException {
    try {
      act.run();
      return "nothing wrong";
    } catch (EdonioException e) {
      return e.reason() + ", " + e.getMessage();
    }
  }

  private static void donio(Rank rank, Stage stage) throws IOException {
    try (Edonio io = Edonio.donio(rank)) {
      io.do_nio(rank.number(), rank.size());
      int fd = io.do_open(FILE, Fcntl.O_WRONLY, 0666);
      String said = failure(() -> io.do_write(fd, new byte[1]));
      stage.say("DONIO, the whole file in the caches: do_write before do_lsize is %s", said);
      io.do_lsize(fd, SIZE);
      io.do_lseek(fd, rank.number(), Fcntl.SEEK_SET);
      long wrote = io.do_write(fd, new byte[] {1});
      stage.check("after do_lsize it writes", said.startsWith("SIZE_NOT_GIVEN") && wrote == 1);
      io.do_close(fd);
    }
  }
}
