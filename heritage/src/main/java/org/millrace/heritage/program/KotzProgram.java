package org.millrace.heritage.program;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.millrace.access.Pattern;
import org.millrace.access.View;
import org.millrace.client.Memory;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;
import org.millrace.heritage.kotz.FileType;
import org.millrace.heritage.kotz.Kotz;
import org.millrace.heritage.kotz.KotzFile;
import org.millrace.heritage.kotz.Mapping;
import org.millrace.heritage.kotz.Moved;
import org.millrace.heritage.kotz.MultiOpen;
import org.millrace.heritage.kotz.Multifile;
import org.millrace.heritage.kotz.Subfile;
import org.millrace.heritage.kotz.Transfers;
import org.millrace.heritage.kotz.WrongFileTypeException;

/** Shows {@code kotz}: mapping functions, the global pointer, multifiles. Stateless. */
final class KotzProgram implements HeritageProgram {

  private static final int RECORD = 4;
  private static final String PLAIN = "heritage.kotz";
  private static final String MULTI = "heritage.kotz.multi";

  @Override
  public String name() {
    return "kotz";
  }

  @Override
  public String about() {
    return "mapping functions, a global pointer that tells its positions, and a multifile";
  }

  @Override
  public void run(Rank rank, Stage stage) throws IOException {
    Kotz kotz = new Kotz(rank);
    mapped(rank, stage, kotz);
    globalPointer(rank, stage, kotz);
    multifile(rank, stage, kotz);
    rank.barrier();
    if (rank.number() == 0) {
      kotz.remove(PLAIN);
      kotz.remove(MULTI);
    }
  }

  private static MemorySegment records(int count, int value) {
    byte[] bytes = new byte[count * RECORD];
    Arrays.fill(bytes, (byte) value);
    return MemorySegment.ofArray(bytes);
  }

  private static void mapped(Rank rank, Stage stage, Kotz kotz) throws IOException {
    int ranks = rank.size();
    List<View> views = new ArrayList<>();
    for (int p = 0; p < ranks; p++) {
      views.add(new View(2L * p, Pattern.run(2), 2L * ranks));
    }
    stage.draw("Interleaved by two records", views, 8 * ranks, 1, 32);
    for (Transfers transfers : Transfers.values()) {
      MultiOpen how =
          MultiOpen.create(FileType.records(RECORD)).mapped(Mapping.interleaved(2)).by(transfers);
      try (KotzFile file = kotz.multiopen(PLAIN, how)) {
        file.writeTogether(records(8, rank.number() + 1));
      }
      byte[] all = plain(rank, PLAIN, 8 * ranks * RECORD);
      boolean right = true;
      for (int i = 0; i < all.length; i++) {
        right &= all[i] == (byte) (i / RECORD / 2 % ranks + 1);
      }
      stage.check("eight records of each process, interleaved, by " + transfers, right);
    }
    long last = 8L * ranks - 1;
    try (KotzFile file = kotz.multiopen(PLAIN, MultiOpen.read())) {
      file.mapping(Mapping.of("backwards", last, (pointer, from) -> from - pointer));
      file.seek(rank.number());
      byte[] one = new byte[RECORD];
      file.read(one);
      long place = last - rank.number();
      stage.check("one's own mapping, backwards", one[0] == (byte) (place / 2 % ranks + 1));
    }
  }

  private static byte[] plain(Rank rank, String path, int length) throws IOException {
    rank.barrier();
    byte[] all = new byte[length];
    try (SharedFile file = rank.open(path, OpenOptions.read())) {
      if (file.size() != length || file.at(0).read(Memory.of(all)) != length) {
        return new byte[length];
      }
    }
    rank.barrier();
    return all;
  }

  private static void globalPointer(Rank rank, Stage stage, Kotz kotz) throws IOException {
    MultiOpen how = MultiOpen.create(FileType.records(RECORD)).globalPointer();
    try (KotzFile file = kotz.multiopen(PLAIN, how)) {
      Moved moved = file.writePositioned(records(2, rank.number() + 1));
      List<Long> positions = rank.allGather(moved.position());
      stage.check(
          "each process was told another position of the global pointer",
          positions.stream().sorted().toList().equals(evens(rank.size())));
      byte[] all = plain(rank, PLAIN, 2 * rank.size() * RECORD);
      stage.check(
          "and its records lie there",
          all[(int) moved.position() * RECORD] == (byte) (rank.number() + 1));
    }
  }

  private static List<Long> evens(int count) {
    List<Long> evens = new ArrayList<>();
    for (long i = 0; i < count; i++) {
      evens.add(2 * i);
    }
    return evens;
  }

  /** Process p appends p + 1 records; a block is one record. */
  private static void multifile(Rank rank, Stage stage, Kotz kotz) throws IOException {
    int ranks = rank.size();
    FileType type = FileType.records(RECORD).multifile(ranks, 1);
    List<View> views = new ArrayList<>();
    for (int p = 0; p < ranks; p++) { // what each has written, with its end
      views.add(new View(p, Pattern.loop(p + 1L, ranks, Pattern.run(1)), 1000L * ranks));
    }
    try (Multifile file = kotz.multiopenSubfiles(MULTI, MultiOpen.create(type))) {
      Subfile mine = file.subfile(rank.number());
      for (int i = 0; i <= rank.number(); i++) {
        mine.append(records(1, rank.number() + 1));
      }
      stage.say("Ends of the subfiles: %s", Arrays.toString(file.ends()));
    }
    stage.draw("The multifile as a plain file, to the end of each", views, ranks * ranks, 1, ranks);
    byte[] all = plain(rank, MULTI, ranks * ranks * RECORD);
    boolean right = true;
    for (int i = 0; i < all.length; i++) {
      int subfile = i / RECORD % ranks;
      right &= all[i] == (byte) (i / RECORD / ranks <= subfile ? subfile + 1 : 0);
    }
    stage.check("the plain file has every byte, and zeros behind the ends", right);
    boolean refused = false;
    try {
      kotz.multiopen(MULTI, MultiOpen.update());
    } catch (WrongFileTypeException e) {
      refused = true;
    }
    stage.check("a multifile cannot be written as a plain file", refused);
    int other = (rank.number() + 1) % ranks;
    try (Multifile file = kotz.multiopenSubfiles(MULTI, MultiOpen.read().mySubfiles(other))) {
      byte[] found = new byte[(ranks + 1) * RECORD];
      long count = file.subfile(other).read(found);
      stage.check(
          "reopened, each reads its neighbour's subfile to its end",
          count == other + 1 && found[0] == (byte) (other + 1));
    }
  }
}
