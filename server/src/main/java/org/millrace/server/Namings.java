package org.millrace.server;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.files.FileChange;
import org.millrace.files.FileHandle;
import org.millrace.files.FileKind;
import org.millrace.files.FilePath;
import org.millrace.files.FileStatus;
import org.millrace.files.FileTree;
import org.millrace.files.FileTree.Opening;
import org.millrace.files.FileTree.Removing;
import org.millrace.files.FileTree.Replacing;
import org.millrace.files.NewFile;

/** Answers changes of names and attributes, and copies. Safe for use by several threads. */
final class Namings {

  private static final int DIRECTORY_PERMISSIONS = 0755;
  private static final int MODE_BITS = 07777;
  private static final int OCTAL = 8;

  private final FileTree tree;
  private final Replacement replacement;

  Namings(FileTree tree, Replacement replacement) {
    this.tree = tree;
    this.replacement = replacement;
  }

  /** DELETE: a file, or an empty directory. */
  void delete(Call call) throws IOException {
    call.target().allow();
    call.requireNoBody();
    Conditions conditions = call.conditions();
    FilePath path = call.target().path().notFollowing();
    FileStatus status = tree.stat(path);
    if (status.kind() == FileKind.FILE) {
      try (Guards guards = new Guards()) {
        Optional<Locked> locked = guards.lock(tree, path);
        conditions.checkWrite(Optional.of(locked.map(Locked::status).orElse(status)));
        tree.remove(path, Removing.FILE);
      }
    } else {
      conditions.checkWrite(Optional.of(status));
      tree.remove(path, Removing.EITHER);
    }
    call.answer(Statuses.NO_CONTENT);
  }

  /** POST: what {@code op} says. */
  void post(Call call) throws IOException {
    Target target = call.target();
    call.requireNoBody();
    switch (target.parameter("op").orElse("")) {
      case "mkdir" -> makeDirectory(call);
      case "rename" -> rename(call);
      case "copy" -> copy(call);
      case "force" -> force(call);
      case "chmod" -> changeMode(call);
      case "touch" -> touch(call);
      default ->
          throw new Refusal(
              Statuses.BAD_REQUEST,
              "POST takes op=mkdir, op=rename, op=copy, op=force, op=chmod or op=touch");
    }
  }

  private void makeDirectory(Call call) throws IOException {
    Target target = call.target();
    target.allow("op", "parents");
    boolean parents = target.flag("parents", false);
    NewFile attributes = NewFile.with(DIRECTORY_PERMISSIONS);
    if (parents) {
      for (List<String> above : Replacement.above(target.names())) {
        makeIfMissing(FilePath.of(Target.text(above)), attributes);
      }
      makeIfMissing(target.path(), attributes);
      call.answer(Statuses.NO_CONTENT);
    } else {
      tree.makeDirectory(target.path(), attributes);
      call.answer(Statuses.CREATED);
    }
  }

  private void makeIfMissing(FilePath path, NewFile attributes) throws IOException {
    try {
      tree.makeDirectory(path, attributes);
    } catch (MillraceException e) {
      if (e.code() != ErrorCode.NAME_EXISTS || tree.stat(path).kind() != FileKind.DIRECTORY) {
        throw e;
      }
    }
  }

  private static List<String> to(Target target) throws Refusal {
    return Target.path(
        target
            .parameter("to")
            .filter(path -> !path.isEmpty())
            .orElseThrow(
                () -> new Refusal(Statuses.BAD_REQUEST, "to=PATH is missing: the new name")));
  }

  /** Files at both ends are locked, in the order of their ids. */
  private void rename(Call call) throws IOException {
    Target target = call.target();
    target.allow("op", "to", "replace");
    FilePath from = target.path().notFollowing();
    FilePath to = FilePath.of(Target.text(to(target))).notFollowing();
    boolean replace = target.flag("replace", false);
    FileStatus source = tree.stat(from);
    Optional<FileStatus> there = replacement.status(to);
    try (Guards guards = new Guards()) {
      boolean toFirst = there.isPresent() && there.get().id() < source.id();
      Optional<Locked> first = guards.lock(tree, toFirst ? to : from);
      Optional<Locked> second =
          there.isPresent() && there.get().id() != source.id()
              ? guards.lock(tree, toFirst ? from : to)
              : Optional.empty();
      Optional<Locked> locked = toFirst ? second : first;
      call.conditions().checkWrite(Optional.of(locked.map(Locked::status).orElse(source)));
      tree.rename(from, to, replace ? Replacing.REPLACE : Replacing.NEVER);
    }
    call.answer(Statuses.NO_CONTENT);
  }

  /** The bytes stay within the server; the new file has its name when it is whole. */
  private void copy(Call call) throws IOException {
    Target target = call.target();
    target.allow("op", "to", "replace", "force");
    List<String> to = to(target);
    Conditions conditions =
        target.flag("replace", true)
            ? Conditions.NONE
            : new Conditions(
                Optional.empty(), Optional.of(List.of("*")), Optional.empty(), Optional.empty());
    try (FileHandle from = tree.open(target.path(), Set.of(Opening.READ), NewFile.with(0))) {
      call.conditions().checkWrite(Optional.of(from.status()));
      byte[] buffer = new byte[call.limits().partBytes()];
      Replacement.Result result =
          replacement.replace(
              to, conditions, target.flag("force", true), into -> copy(from, into, buffer));
      call.describe(result.status());
      call.answer(result.isNew() ? Statuses.CREATED : Statuses.NO_CONTENT);
    }
  }

  private static void copy(FileHandle from, FileHandle into, byte[] buffer) throws IOException {
    MemorySegment memory = MemorySegment.ofArray(buffer);
    long at = 0;
    for (long got = from.read(at, memory); got > 0; got = from.read(at, memory)) {
      into.write(at, memory.asSlice(0, got));
      at += got;
    }
  }

  private void force(Call call) throws IOException {
    call.target().allow("op");
    try (FileHandle file = tree.open(call.target().path(), Set.of(Opening.READ), NewFile.with(0))) {
      file.force(true);
    }
    call.answer(Statuses.NO_CONTENT);
  }

  private void changeMode(Call call) throws IOException {
    Target target = call.target();
    target.allow("op", "permissions");
    String octal = target.parameter("permissions").orElse("");
    int bits;
    try {
      bits = Integer.parseInt(octal, OCTAL);
    } catch (NumberFormatException e) {
      bits = -1;
    }
    if (bits < 0 || bits > MODE_BITS) {
      throw new Refusal(Statuses.BAD_REQUEST, "permissions=BITS are octal, as in chmod");
    }
    change(call, FileChange.NONE.withPermissions(bits));
  }

  private void touch(Call call) throws IOException {
    call.target().allow("op", "modifiedNanos");
    Optional<String> given = call.target().parameter("modifiedNanos");
    long time =
        given.isPresent()
            ? Target.number("modifiedNanos", given.get(), 0, Long.MAX_VALUE)
            : FileChange.NOW;
    change(call, FileChange.NONE.withModified(time));
  }

  private void change(Call call, FileChange change) throws IOException {
    call.describe(tree.change(call.target().path(), change));
    call.answer(Statuses.NO_CONTENT);
  }
}
