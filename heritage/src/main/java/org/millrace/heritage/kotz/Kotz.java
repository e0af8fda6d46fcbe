package org.millrace.heritage.kotz;

import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.millrace.client.Agreement;
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
    rank.agree(Agreement.on("type", path).giving("path", path)).orThrow();
    return keptType(path);
  }

  private FileType keptType(String path) throws IOException {
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
    rank.names().removeUnused(path);
    StoredType.removeIfThere(rank, path);
  }

  /**
   * Opens a plain file for all processes; any file can be read as one.
   *
   * @throws WrongFileTypeException on all processes if it would be written as what it is not
   */
  public KotzFile multiopen(String path, MultiOpen how) throws IOException {
    agree("multiopen", path, how);
    if (how.global()) {
      checkGlobal(how.mapping());
    }
    if (how.type().isPresent() && how.type().get().isMultifile()) {
      throw new IllegalArgumentException("a file is opened as a multifile by multiopenSubfiles");
    }
    FileType made = how.options().has(OpenFlag.CREATE) ? how.type().orElseThrow() : keptType(path);
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
      KotzFile opened = new KotzFile(rank, file, type, how.global(), how.mapping());
      rank.agree(Agreement.on("mapping").checking(opened::checkMapping)).orThrow();
      return opened;
    } catch (IOException | RuntimeException e) {
      closeAfter(file::close, e);
      throw e;
    }
  }

  private void agree(String call, String path, MultiOpen how) throws IOException {
    rank.agree(
            Agreement.on(call, path, how == null ? "" : how.word())
                .giving("path", path)
                .giving("way to open it", how))
        .orThrow();
  }

  private void keep(String path, FileType type) throws IOException {
    Optional<StoredType> kept = StoredType.create(rank, path, type);
    if (kept.isPresent()) {
      kept.get().close();
    }
    rank.barrier(); // now every rank that asks for the type finds it
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
    agree("multiopenSubfiles", path, how);
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
      SubfileEnds ends = new SubfileEnds(file, type, kept);
      List<Subfile> subfiles = new ArrayList<>();
      for (int s : mine) {
        subfiles.add(new Subfile(file, type, s, ends));
      }
      return new Multifile(rank, file, ends, subfiles, write);
    } catch (IOException | RuntimeException e) {
      if (kept.isPresent()) {
        closeAfter(kept.get()::close, e);
      }
      if (file != null) {
        closeAfter(file::close, e);
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
    List<Integer> asked = mine;
    rank.agree(Agreement.on("subfiles").checking(() -> checkSubfiles(asked, type))).orThrow();
    if (!write) {
      return mine;
    }
    long[] owners = new long[type.subfiles()];
    for (int s : mine) {
      owners[s]++;
    }
    long[] all = rank.allReduce(owners, Long::sum);
    for (int s = 0; s < all.length; s++) {
      if (all[s] > 1) {
        throw new MillraceException(
            ErrorCode.INVALID, "subfile " + s + " would be written by several processes");
      }
    }
    return mine;
  }

  private static void checkSubfiles(List<Integer> asked, FileType type) {
    for (int i = 0; i < asked.size(); i++) {
      int s = asked.get(i);
      if (s < 0 || s >= type.subfiles()) {
        throw new IllegalArgumentException(
            "asks for subfile %s, not one of %s".formatted(s, type.subfiles()));
      }
      if (asked.indexOf(s) < i) {
        throw new IllegalArgumentException("asks for subfile " + s + " twice");
      }
    }
  }

  private static void closeAfter(Closeable one, Exception because) {
    try {
      one.close();
    } catch (IOException more) {
      because.addSuppressed(more);
    }
  }
}
