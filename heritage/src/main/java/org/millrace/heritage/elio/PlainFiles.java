package org.millrace.heritage.elio;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.millrace.client.Rank;
import org.millrace.env.Env;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.error.NoSuchNameException;

/**
 * The device of file systems that all ranks share: one plain file, which each rank opens by itself.
 * Requests are made at once, on the caller's thread: a system call takes less time than to have
 * another thread make it.
 *
 * <p>Immutable; stateless.
 */
public final class PlainFiles implements ElioDevice {

  /** What a rank does on its own with a file system. */
  private interface Step {
    void run() throws IOException;
  }

  /** The device. */
  public PlainFiles() {}

  @Override
  public String name() {
    return "plain files";
  }

  /**
   * The new file gets its name last, when every rank has it open: until then one that has the name
   * stays, with its bytes.
   */
  @Override
  public ElioFile create(Rank rank, String path, ElioHints hints) throws IOException {
    Path target = Path.of(path);
    Path fresh = target.resolveSibling(target.getFileName() + "." + agreed(rank) + ".new");
    PlainFile[] opened = new PlainFile[1];
    try {
      onRankZero(rank, "create", target, () -> make(target, fresh));
      together(rank, "open", fresh, () -> opened[0] = PlainFile.open(fresh, path));
      onRankZero(rank, "name", target, () -> moveOver(fresh, target));
      return opened[0];
    } catch (IOException | RuntimeException e) {
      giveUp(rank, opened[0], fresh, e);
      throw e;
    }
  }

  private static String agreed(Rank rank) throws IOException {
    byte[] mine = new byte[8];
    Env.real().random("name of a new file").nextBytes(mine);
    return UUID.nameUUIDFromBytes(rank.broadcast(0, mine)).toString();
  }

  private static void make(Path target, Path fresh) throws IOException {
    checkUnused(target);
    Files.createFile(fresh);
  }

  private static void moveOver(Path fresh, Path target) throws IOException {
    checkUnused(target);
    Files.move(fresh, target, StandardCopyOption.ATOMIC_MOVE);
  }

  /** Whatever has the name may be replaced or removed: nothing, or a file nobody has open. */
  private static void checkUnused(Path target) throws IOException {
    if (Files.isDirectory(target)) {
      throw new MillraceException(ErrorCode.WRONG_KIND, target + " is a folder, not a file");
    }
    if (Files.exists(target) && UseMark.isTaken(target)) {
      throw new MillraceException(ErrorCode.IN_USE, target + " is open");
    }
  }

  private static void giveUp(Rank rank, @Nullable PlainFile opened, Path fresh, Exception e) {
    try {
      if (opened != null) {
        opened.close();
      }
      if (rank.number() == 0) {
        Files.deleteIfExists(fresh);
      }
    } catch (IOException more) {
      e.addSuppressed(more);
    }
  }

  @Override
  public ElioFile open(Rank rank, String path) throws IOException {
    Path target = Path.of(path);
    PlainFile[] opened = new PlainFile[1];
    try {
      together(rank, "open", target, () -> opened[0] = PlainFile.open(target, path));
    } catch (IOException e) {
      if (opened[0] != null) {
        opened[0].close();
      }
      throw e;
    }
    return opened[0];
  }

  @Override
  public void remove(Rank rank, String path) throws IOException {
    Path target = Path.of(path);
    onRankZero(
        rank,
        "remove",
        target,
        () -> {
          checkUnused(target);
          Files.delete(target);
        });
  }

  private static void onRankZero(Rank rank, String call, Path path, Step step) throws IOException {
    together(
        rank,
        call,
        path,
        () -> {
          if (rank.number() == 0) {
            step.run();
          }
        });
  }

  private static void together(Rank rank, String call, Path path, Step step) throws IOException {
    rank.together(
        call + " " + path,
        () -> {
          try {
            step.run();
          } catch (MillraceException e) {
            throw e;
          } catch (IOException e) {
            throw inOurWords(path, e);
          }
        });
  }

  private static MillraceException inOurWords(Path path, IOException e) {
    ErrorCode code =
        switch (e) {
          case NoSuchFileException _ -> ErrorCode.NO_SUCH_NAME;
          case AccessDeniedException _ -> ErrorCode.NOT_PERMITTED;
          default -> ErrorCode.DISK;
        };
    if (code == ErrorCode.NO_SUCH_NAME) {
      NoSuchNameException none = new NoSuchNameException("no file " + path);
      none.initCause(e);
      return none;
    }
    return new MillraceException(code, path + ": " + e.getMessage(), e);
  }
}
