package org.millrace.heritage.kotz;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.millrace.access.View;
import org.millrace.client.OpenFlag;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/**
 * Kotz's file system interface as one process sees it. Opening is done once for the whole parallel
 * program: all processes call, and all must ask for the same, or the call fails on all with {@link
 * org.millrace.error.MixedCallException}.
 *
 * <p>Belongs to the process's thread; needs no closing.
 */
public final class Kotz {

  private final Rank rank;

  /** The interface for this rank, which is a process. */
  public Kotz(Rank rank) {
    this.rank = rank;
  }

  /** The type a file was made with; a byte plain file if nobody said otherwise. Collective. */
  public FileType type(String path) throws IOException {
    Optional<StoredType> stored = StoredType.open(rank, path, false);
    if (stored.isEmpty()) {
      return FileType.BYTES;
    }
    try (StoredType kept = stored.get()) {
      return kept.type();
    }
  }

  /** Removes a file with all its subfiles and its type. Called by one process. */
  public void remove(String path) throws IOException {
    rank.names().remove(path);
    StoredType.removeIfThere(rank, path);
  }

  /**
   * Opens a plain file for all processes; any file can be read as one.
   *
   * @throws WrongFileTypeException on all processes if it would be written as what it is not
   */
  public KotzFile multiopen(String path, MultiOpen how) throws IOException {
    Agreement.check(rank, "multiopen " + path, how.word());
    if (how.global()) {
      checkGlobal(how.mapping());
    }
    if (how.type().isPresent() && how.type().get().isMultifile()) {
      throw new IllegalArgumentException("a file is opened as a multifile by multiopenSubfiles");
    }
    FileType made = how.options().has(OpenFlag.CREATE) ? how.type().orElseThrow() : type(path);
    FileType type = how.type().orElse(FileType.records(made.recordBytes()));
    if (how.options().has(OpenFlag.WRITE) && !type.equals(made)) {
      throw new WrongFileTypeException(path, made, type.toString());
    }
    if (how.options().has(OpenFlag.CREATE)) {
      StoredType.checkReplaceable(rank, path);
    }
    SharedFile file = rank.open(path, how.coreOptions());
    try {
      if (how.options().has(OpenFlag.CREATE)) {
        keep(path, type);
      }
      if (how.atomic()) {
        file.setAtomic(true);
      }
      KotzFile opened = new KotzFile(rank, file, type, how.global(), Mapping.plain());
      setMapping(opened, how.mapping());
      return opened;
    } catch (IOException | RuntimeException e) {
      closeAfter(file, e);
      throw e;
    }
  }

  private void keep(String path, FileType type) throws IOException {
    Optional<StoredType> kept = StoredType.create(rank, path, type);
    if (kept.isPresent()) {
      kept.get().close();
    }
    rank.barrier(); // now every rank that asks for the type finds it
  }

  /** All have agreed on a global one; a local one that is wrong must not leave the others alone. */
  private void setMapping(KotzFile file, Mapping mapping) throws IOException {
    RuntimeException wrong = null;
    try {
      file.mapping(mapping);
    } catch (RuntimeException e) {
      wrong = e;
    }
    long wrongs = rank.allReduceLong(wrong == null ? 0 : 1, Long::sum);
    if (wrongs > 0) {
      String why = wrong == null ? "on another process" : String.valueOf(wrong.getMessage());
      throw new MillraceException(ErrorCode.INVALID, "a mapping cannot be: " + why);
    }
  }

  static void checkGlobal(Mapping mapping) {
    boolean ofTheProcess =
        mapping instanceof Mapping.Part
            || (mapping instanceof Mapping.Interleaved one && one.which() < 0);
    if (ofTheProcess) {
      throw new IllegalArgumentException(
          "a global pointer has one mapping function for all processes; this is one for each");
    }
  }

  /**
   * Opens a multifile for all processes, each with its subfiles. Any file can be read as one: then
   * the type in {@code how} says of which subfiles.
   *
   * @throws WrongFileTypeException on all processes if it would be written as what it is not
   */
  public Multifile multiopenSubfiles(String path, MultiOpen how) throws IOException {
    Agreement.check(rank, "multiopen subfiles of " + path, how.word());
    if (how.global() || !how.mapping().equals(Mapping.plain())) {
      throw new IllegalArgumentException("subfiles have pointers of their own, not mapped");
    }
    boolean write = how.options().has(OpenFlag.WRITE);
    Optional<StoredType> kept = Optional.empty();
    if (!how.options().has(OpenFlag.CREATE)) {
      kept = StoredType.open(rank, path, write);
    }
    SharedFile file = null;
    try {
      FileType made = kept.map(StoredType::type).orElse(FileType.BYTES);
      FileType type = how.type().orElse(made);
      if (!type.isMultifile()) {
        throw new IllegalArgumentException(path + " is opened as a " + type);
      }
      if (write && !how.options().has(OpenFlag.CREATE) && !type.equals(made)) {
        throw new WrongFileTypeException(path, made, type.toString());
      }
      List<Integer> mine = subfiles(how, type, write);
      if (how.options().has(OpenFlag.CREATE)) {
        StoredType.checkReplaceable(rank, path);
      }
      file = rank.open(path, how.coreOptions());
      if (how.options().has(OpenFlag.CREATE)) {
        kept = StoredType.create(rank, path, type);
      } else if (kept.isPresent() && !isKeptAs(kept.get().type(), type)) {
        kept.get().close();
        kept = Optional.empty(); // its ends are those of other subfiles
      }
      return new Multifile(rank, file, type, kept, opened(file, type, kept, mine), write);
    } catch (IOException | RuntimeException e) {
      if (kept.isPresent()) {
        kept.get().close();
      }
      if (file != null) {
        closeAfter(file, e);
      }
      throw e;
    }
  }

  private static boolean isKeptAs(FileType made, FileType type) {
    return made.subfiles() == type.subfiles() && made.blockBytes() == type.blockBytes();
  }

  /** This process's subfiles. If they are written, each is one process's only. */
  private List<Integer> subfiles(MultiOpen how, FileType type, boolean write) throws IOException {
    List<Integer> mine = new ArrayList<>();
    for (int s = rank.number(); s < type.subfiles(); s += rank.size()) {
      mine.add(s);
    }
    if (how.subfiles().isPresent()) {
      mine = how.subfiles().get();
    }
    long[] owners = new long[type.subfiles() + 1];
    for (int s : mine) {
      owners[s < 0 || s >= type.subfiles() ? type.subfiles() : s]++;
    }
    long[] all = rank.allReduce(owners, Long::sum);
    if (all[type.subfiles()] > 0) {
      throw new MillraceException(
          ErrorCode.INVALID, "a process asks for a subfile that is not one of " + type.subfiles());
    }
    for (int s = 0; write && s < type.subfiles(); s++) {
      if (all[s] > 1) {
        throw new MillraceException(
            ErrorCode.INVALID, "subfile " + s + " would be written by several processes");
      }
    }
    return mine;
  }

  private static List<Subfile> opened(
      SharedFile file, FileType type, Optional<StoredType> kept, List<Integer> mine)
      throws IOException {
    List<Subfile> subfiles = new ArrayList<>();
    for (int s : mine) {
      View view = Subfile.view(type, s);
      long end = view.positionOf(file.size()); // others may have cut it
      if (kept.isPresent()) {
        end = Math.min(end, kept.get().end(s));
      }
      subfiles.add(new Subfile(file, type, s, kept, end));
    }
    return subfiles;
  }

  private static void closeAfter(SharedFile file, Exception e) {
    try {
      file.close();
    } catch (IOException suppressed) {
      e.addSuppressed(suppressed);
    }
  }
}
