package org.millrace.server;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Optional;
import org.millrace.env.Env;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.files.FileHandle;
import org.millrace.files.FileStatus;
import org.millrace.files.FileTree;
import org.millrace.output.Json;

/** Answers writes of bytes: of whole files and of parts. Safe for use by several threads. */
final class Writings {

  private static final String END = "end";
  private static final String LIST = "list";
  private static final int FIRST_BYTES = 64 << 10;
  private static final long MILLISECOND = 1_000_000L;

  private final Env env;
  private final FileTree tree;
  private final Replacement replacement;

  Writings(Env env, FileTree tree, Replacement replacement) {
    this.env = env;
    this.tree = tree;
    this.replacement = replacement;
  }

  /** PUT: the whole file, or nothing. */
  void put(Call call) throws IOException {
    Target target = call.target();
    target.allow("force");
    if (call.header("Content-Range").isPresent()) {
      throw new Refusal(
          Statuses.BAD_REQUEST, "PUT writes whole files; write parts with PATCH ?at=POSITION");
    }
    Replacement.Result result =
        replacement.replace(
            target.names(), call.conditions(), target.flag("force", true), to -> copy(call, to));
    call.describe(result.status());
    call.answer(result.isNew() ? Statuses.CREATED : Statuses.NO_CONTENT);
  }

  private static void copy(Call call, FileHandle to) throws IOException {
    byte[] buffer = new byte[FIRST_BYTES];
    long at = 0;
    while (true) {
      int got = call.receiveAll(buffer, buffer.length);
      if (got > 0) {
        to.write(at, MemorySegment.ofArray(buffer).asSlice(0, got));
        at += got;
      }
      if (got < buffer.length) {
        break;
      }
      if (buffer.length < call.limits().partBytes()) {
        buffer = new byte[call.limits().partBytes()]; // it is a large one
      }
    }
    Optional<String> announced = call.header("Content-Length");
    if (announced.isPresent() && !announced.get().strip().equals(Long.toString(at))) {
      throw new IOException("the client sent %s of %s bytes".formatted(at, announced.get()));
    }
  }

  /** PATCH: a part of a file, or its size. Nothing happens before all bytes are here. */
  void patch(Call call) throws IOException {
    Target target = call.target();
    target.allow("at", "size", "force");
    Optional<String> at = target.parameter("at");
    Optional<String> size = target.parameter("size");
    if (at.isPresent() == size.isPresent()) {
      throw new Refusal(
          Statuses.BAD_REQUEST, "PATCH takes one of at=POSITION, at=end, at=list and size=BYTES");
    }
    Conditions conditions = call.conditions();
    byte[] part = part(call);
    if (size.isPresent() && part.length > 0) {
      throw new Refusal(Statuses.BAD_REQUEST, "PATCH with size=BYTES has no body");
    }
    if (at.isPresent() && at.get().equals(LIST)) {
      WriteList.parse(part); // before anything is locked
    }
    Optional<Locked> found = Locked.at(tree, target.path());
    if (found.isEmpty()) {
      conditions.checkWrite(Optional.empty());
      FileStatus there = tree.stat(target.path()); // says that there is none
      throw new MillraceException(ErrorCode.IS_DIRECTORY, target.path() + " is a " + there.kind());
    }
    try (Locked locked = found.get()) {
      conditions.checkWrite(Optional.of(locked.status()));
      long position =
          size.isPresent()
              ? resize(locked.file(), size.get())
              : write(locked.file(), at.orElseThrow(), part);
      if (target.flag("force", false)) {
        locked.file().force(true);
      }
      FileStatus now = marked(locked, position, part);
      call.describe(now);
      call.answer(Statuses.OK, Json.object("position", position, "size", now.size()));
    }
  }

  private static long resize(FileHandle file, String size) throws IOException {
    long bytes = Target.number("size", size, 0, Long.MAX_VALUE);
    file.resize(bytes);
    return bytes;
  }

  private static long write(FileHandle file, String at, byte[] part) throws IOException {
    if (at.equals(END)) {
      return file.append(MemorySegment.ofArray(part));
    }
    if (at.equals(LIST)) {
      return WriteList.parse(part).write(file);
    }
    long position = Target.number("at", at, 0, Long.MAX_VALUE - part.length);
    file.write(position, MemorySegment.ofArray(part));
    return position;
  }

  /**
   * The status after a write, with another tag than before. The times of a file's nodes differ by
   * some milliseconds, so a write may look older than one that came before it; the same bytes,
   * written again a little later, do not.
   */
  private FileStatus marked(Locked locked, long position, byte[] part) throws IOException {
    FileStatus now = locked.file().status();
    while (part.length > 0 && Tags.of(now).equals(Tags.of(locked.status()))) {
      try {
        env.sleep(MILLISECOND);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return now;
      }
      MemorySegment first = MemorySegment.ofArray(new byte[1]);
      if (locked.file().read(position, first) == 1) {
        locked.file().write(position, first);
      }
      now = locked.file().status();
    }
    return now;
  }

  /** The body of a partial write, in memory that grows as it comes. */
  private static byte[] part(Call call) throws IOException {
    int most = call.limits().partBytes();
    byte[] buffer = new byte[Math.min(most, FIRST_BYTES)];
    int filled = 0;
    while (true) {
      int got = call.receive(buffer, filled, buffer.length - filled);
      if (got < 0) {
        break;
      }
      filled += got;
      if (filled == buffer.length) {
        if (filled > most) {
          throw new Refusal(
              Statuses.TOO_LARGE,
              "a partial write has %s bytes at most; send several".formatted(most));
        }
        buffer = Arrays.copyOf(buffer, Math.min(2 * filled, most + 1));
      }
    }
    Optional<String> announced = call.header("Content-Length");
    if (announced.isPresent() && !announced.get().strip().equals(Integer.toString(filled))) {
      throw new IOException("the client sent %s of %s bytes".formatted(filled, announced.get()));
    }
    return Arrays.copyOf(buffer, filled);
  }
}
