package org.millrace.heritage.mpiio;

import java.io.IOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/**
 * How files are opened and deleted by name.
 *
 * <p>Stateless.
 */
final class FileOpening {

  private FileOpening() {}

  static File open(
      Environment environment, Rank comm, @Nullable String filename, int amode, @Nullable Info info)
      throws MpiFileException {
    FileErrors errors = environment.errors();
    return errors.call(
        () -> {
          Wanted wanted = Wanted.NOTHING;
          MpiFileException refusal = null;
          try {
            wanted = Wanted.of(filename, amode, info);
          } catch (IOException | RuntimeException e) {
            refusal = MpiFileException.of(e);
          }
          Agreement.reach(comm, wanted.same(amode), refusal);
          SharedFile file = open(comm, wanted);
          Handle handle = new Handle(comm, file, amode, errors);
          File opened = new File(handle, environment, wanted.kept);
          if (Amode.has(amode, Amode.APPEND)) {
            moveToEnd(handle);
          }
          return opened;
        });
  }

  /** What one rank asks for. */
  private record Wanted(String filename, OpenOptions options, KeptHints kept) {

    static final Wanted NOTHING = new Wanted("", OpenOptions.read(), KeptHints.NONE);

    static Wanted of(@Nullable String filename, int amode, @Nullable Info info)
        throws MpiFileException {
      if (filename == null) {
        throw new MpiFileException(ErrorClass.BAD_FILE, "there is no file name");
      }
      Amode.check(amode);
      Map<String, String> hints = FileHints.map(info);
      return new Wanted(
          filename, FileHints.with(Amode.options(amode), hints), KeptHints.NONE.with(hints));
    }

    /** What must be the same on all ranks. */
    String same(int amode) {
      return "open %s with mode %s, %s and %s".formatted(filename, amode, options, kept.same());
    }
  }

  private static SharedFile open(Rank comm, Wanted wanted) throws IOException {
    try {
      return comm.open(wanted.filename, wanted.options);
    } catch (MillraceException e) {
      if (e.code() != ErrorCode.INVALID) {
        throw e;
      }
      // the same on all ranks: either no file can have the name, or be laid out like this
      checkName(comm, wanted.filename);
      throw new MpiFileException(ErrorClass.INFO_VALUE, String.valueOf(e.getMessage()));
    }
  }

  /** Says whether no file can have a name; that there is none is no answer. */
  private static void checkName(Rank comm, String filename) throws IOException {
    try {
      if (comm.names().stat(filename).layout().isEmpty()) {
        throw new MpiFileException(ErrorClass.BAD_FILE, filename + " is a directory");
      }
    } catch (MillraceException e) {
      if (e.code() == ErrorCode.INVALID) {
        throw new MpiFileException(ErrorClass.BAD_FILE, String.valueOf(e.getMessage()));
      }
    }
  }

  /** All pointers go to the end. If one rank cannot find it the file is closed again by all. */
  private static void moveToEnd(Handle handle) throws IOException {
    SharedFile file = handle.file;
    long[] end = {0};
    try {
      handle.goOn("append", MpiFileException.refusalOf(() -> end[0] = file.size()));
      long agreed = handle.rank.allGather(end[0]).getFirst();
      handle.moveTo(agreed);
      file.seekShared(agreed);
    } catch (IOException e) {
      try {
        file.closeAll();
      } catch (IOException suppressed) {
        e.addSuppressed(suppressed);
      }
      throw e;
    }
  }

  static void delete(
      Environment environment, Rank comm, @Nullable String filename, @Nullable Info info)
      throws MpiFileException {
    environment
        .errors()
        .call(
            () -> {
              FileHints.map(info); // no hint means anything here
              if (filename == null) {
                throw new MpiFileException(ErrorClass.BAD_FILE, "there is no file name");
              }
              checkName(comm, filename);
              comm.names().removeUnused(filename);
              return filename;
            });
  }
}
