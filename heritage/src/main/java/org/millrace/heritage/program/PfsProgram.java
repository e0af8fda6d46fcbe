package org.millrace.heritage.program;

import static org.millrace.heritage.pfs.Pfs.O_CREAT;
import static org.millrace.heritage.pfs.Pfs.O_RDWR;
import static org.millrace.heritage.pfs.Pfs.O_TRUNC;
import static org.millrace.heritage.pfs.Pfs.SEEK_SET;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import org.millrace.access.Pattern;
import org.millrace.access.View;
import org.millrace.client.Rank;
import org.millrace.heritage.pfs.Epfsl;
import org.millrace.heritage.pfs.IoMode;
import org.millrace.heritage.pfs.Pfs;
import org.millrace.heritage.pfs.PfsTrace;

/** Shows {@code pfs}: where a write goes in each mode, and what is mixed. Stateless. */
final class PfsProgram implements HeritageProgram {

  private static final int FLAGS = O_RDWR | O_CREAT | O_TRUNC;
  private static final int ROUNDS = 3;
  private static final int RECORD = 3;

  @Override
  public String name() {
    return "pfs";
  }

  @Override
  public String about() {
    return "Intel's PFS: six modes say where an access goes and who waits for whom";
  }

  @Override
  public void run(Rank rank, Stage stage) throws IOException {
    try (Pfs pfs = Pfs.pfslib_init(rank)) {
      for (IoMode mode : IoMode.values()) {
        show(pfs, rank, stage, mode);
      }
      mix(pfs, rank, stage);
      ownFiles(pfs, rank, stage);
      trace(pfs, rank, stage);
    }
  }

  /** Each rank writes its number a few times, and every byte is looked at. */
  private static void show(Pfs pfs, Rank rank, Stage stage, IoMode mode) throws IOException {
    String name = "pfs.shown";
    int fd = pfs.gopen(name, FLAGS, mode, 0644);
    int me = rank.number();
    if (mode == IoMode.M_UNIX || mode == IoMode.M_ASYNC) {
      pfs.lseek(fd, (long) me * ROUNDS * RECORD, SEEK_SET); // each its block
    }
    for (int i = 0; i < ROUNDS; i++) {
      int length = mode == IoMode.M_SYNC ? me + 1 : RECORD;
      byte[] piece = filled(length, mode == IoMode.M_GLOBAL ? 0 : me);
      if (i % 2 == 0) {
        pfs.cwrite(fd, piece, length);
      } else {
        pfs.iowait(pfs.iwrite(fd, piece, length));
      }
    }
    rank.barrier();
    pfs.setiomode(fd, IoMode.M_GLOBAL);
    byte[] all = new byte[(int) pfs.lseek(fd, 0, Pfs.SEEK_END)];
    pfs.lseek(fd, 0, SEEK_SET);
    pfs.cread(fd, all, all.length);
    close(pfs, fd);
    List<View> views = views(mode, rank.size(), all);
    int columns =
        switch (mode) {
          case M_UNIX, M_ASYNC, M_GLOBAL -> ROUNDS * RECORD;
          case M_LOG, M_SYNC, M_RECORD -> all.length / ROUNDS;
        };
    stage.draw(title(mode), views, all.length, 1, columns);
    int bytes =
        switch (mode) {
          case M_SYNC -> ROUNDS * rank.size() * (rank.size() + 1) / 2;
          case M_GLOBAL -> ROUNDS * RECORD;
          default -> ROUNDS * RECORD * rank.size();
        };
    stage.check(
        "%s bytes, each where %s puts it".formatted(bytes, mode),
        all.length == bytes && isRight(views, all));
    remove(rank, name);
  }

  private static String title(IoMode mode) {
    return switch (mode) {
      case M_UNIX -> "M_UNIX, a pointer for each rank; nobody waits; atomic";
      case M_ASYNC -> "M_ASYNC, as M_UNIX without atomicity";
      case M_LOG ->
          "M_LOG, one pointer, first come, first served; only close waits (another time otherwise)";
      case M_SYNC -> "M_SYNC, one pointer, in order of rank; read, write, lseek, close wait";
      case M_RECORD -> "M_RECORD, records of one length in order of rank; lseek, close wait";
      case M_GLOBAL -> "M_GLOBAL, all the same bytes, written once; all calls wait";
    };
  }

  /** What each rank has written, by the formulas of the report. */
  private static List<View> views(IoMode mode, int ranks, byte[] all) {
    List<View> views = new ArrayList<>();
    for (int r = 0; r < ranks; r++) {
      int row = ranks * (ranks + 1) / 2;
      views.add(
          switch (mode) {
            case M_UNIX, M_ASYNC ->
                new View((long) r * ROUNDS * RECORD, Pattern.run(ROUNDS * RECORD), all.length);
            case M_RECORD ->
                new View((long) r * RECORD, Pattern.run(RECORD), (long) ranks * RECORD);
            case M_SYNC -> new View(r * (r + 1) / 2, Pattern.run(r + 1), row);
            case M_GLOBAL -> View.WHOLE;
            case M_LOG -> came(r, all);
          });
    }
    return views;
  }

  /** Who came when is known only afterwards; pieces are whole. */
  private static View came(int number, byte[] all) {
    long[] offsets =
        IntStream.range(0, all.length / RECORD)
            .filter(i -> all[i * RECORD] == (byte) number)
            .mapToLong(i -> (long) i * RECORD)
            .toArray();
    long[] lengths = new long[offsets.length];
    Arrays.fill(lengths, RECORD);
    return new View(0, Pattern.indexed(offsets, lengths), all.length);
  }

  private static boolean isRight(List<View> views, byte[] all) {
    byte[] expected = filled(all.length, -1);
    for (int r = views.size() - 1; r >= 0; r--) { // in M_GLOBAL it is rank 0's bytes
      for (long position = 0; position < all.length; position++) {
        long offset = views.get(r).offsetOf(position);
        if (offset >= all.length) {
          break;
        }
        expected[(int) offset] = (byte) r;
      }
    }
    return Arrays.equals(expected, all);
  }

  /** One rank calls something else. */
  private static void mix(Pfs pfs, Rank rank, Stage stage) throws IOException {
    String name = "pfs.mixed";
    int fd = pfs.gopen(name, FLAGS, IoMode.M_SYNC, 0644);
    byte[] ten = filled(10, 1);
    pfs.cwrite(fd, ten, 10);
    boolean last = rank.number() == rank.size() - 1 && rank.size() > 1;
    long result = last ? pfs.close(fd) : pfs._setiomode(fd, IoMode.M_LOG);
    boolean mixed = rank.size() == 1 || result == -1 && pfs.errno() == Epfsl.EPFSLMIXIO;
    stage.say("Rank %s closes while the others call setiomode:", rank.size() - 1);
    stage.check("EPFSLMIXIO on all ranks", mixed);
    pfs.setiomode(fd, IoMode.M_GLOBAL);
    pfs.lseek(fd, 0, SEEK_SET);
    byte[] read = new byte[10 * rank.size()];
    boolean whole = pfs._cread(fd, read, read.length) == read.length;
    boolean end = pfs._cread(fd, read, 1) == 0 && pfs.iseof(fd) == 1;
    stage.check("the file unharmed, the next correct call works", whole && end);
    close(pfs, fd);
    remove(rank, name);
  }

  /** Ordinary files are those of each process's host: in a folder of its own, to leave no trace. */
  private static void ownFiles(Pfs pfs, Rank rank, Stage stage) throws IOException {
    Path folder = Files.createTempDirectory("millrace");
    int fd = pfs.open(folder.resolve("own.###").toString(), FLAGS, 0644);
    byte[] mine = filled(8, rank.number());
    boolean right = pfs.write(fd, MemorySegment.ofArray(mine)) == 8;
    pfs.lseek(fd, 0, SEEK_SET);
    byte[] read = new byte[9];
    right &= pfs.read(fd, MemorySegment.ofArray(read)) == 8;
    right &= Arrays.equals(mine, Arrays.copyOf(read, 8));
    close(pfs, fd);
    Path own = folder.resolve(String.format(Locale.ROOT, "own.%03d", rank.number()));
    right &= Arrays.equals(mine, Files.readAllBytes(own));
    List<byte[]> all =
        rank.allGather(own.getFileName().toString().getBytes(StandardCharsets.UTF_8));
    stage.say(
        "own.### is %s, one for each rank, on its own host",
        all.stream().map(name -> new String(name, StandardCharsets.UTF_8)).toList());
    stage.check("each has read its own", right);
    Files.delete(own);
    Files.delete(folder);
  }

  private static void trace(Pfs pfs, Rank rank, Stage stage) throws IOException {
    pfs.traceTo("pfs.trace");
    int fd = pfs.gopen("pfs.traced", FLAGS, IoMode.M_RECORD, 0644);
    for (int i = 0; i < ROUNDS; i++) {
      pfs.cwrite(fd, filled(RECORD, i), RECORD);
    }
    close(pfs, fd);
    pfs.traceEnd();
    List<PfsTrace.Entry> entries = PfsTrace.read(rank, "pfs.trace");
    stage.say(
        "A trace of all ranks in one file, in order of time: %s",
        entries.stream().map(PfsTrace.Entry::call).distinct().toList());
    stage.check("every call of every rank is in it", entries.size() == (ROUNDS + 2) * rank.size());
    remove(rank, "pfs.trace");
    remove(rank, "pfs.traced");
  }

  private static void close(Pfs pfs, int fd) throws IOException {
    if (pfs.close(fd) < 0) {
      throw new IOException(pfs.pfslib_strerror("close"));
    }
  }

  private static void remove(Rank rank, String name) throws IOException {
    rank.barrier();
    if (rank.number() == 0) {
      rank.names().remove(name);
    }
    rank.barrier();
  }

  private static byte[] filled(int length, int value) {
    byte[] bytes = new byte[length];
    Arrays.fill(bytes, (byte) value);
    return bytes;
  }
}
