package org.millrace.server;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.URLConnection;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.millrace.env.Env;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.files.FileHandle;
import org.millrace.files.FileKind;
import org.millrace.files.FileListing;
import org.millrace.files.FilePath;
import org.millrace.files.FileStatus;
import org.millrace.files.FileTree;
import org.millrace.files.FileTree.Opening;
import org.millrace.files.NewFile;
import org.millrace.output.Json;

/** Answers reads: bytes of files, names in directories, attributes. Safe for use by threads. */
final class Readings {

  private static final String BYTES = "application/octet-stream";
  private static final Set<String> LISTED = Set.of("after", "most", "all");
  private static final int USUAL_NAMES = 1000;
  private static final int MOST_NAMES = 10_000;

  private static final int BOUNDARY_BYTES = 16;

  private final Env env;
  private final FileTree tree;

  Readings(Env env, FileTree tree) {
    this.env = env;
    this.tree = tree;
  }

  /** GET and HEAD. */
  void read(Call call) throws IOException {
    Target target = call.target();
    if (target.parameter("stat").isPresent()) {
      target.allow("stat", "follow");
      FilePath path = target.path();
      FileStatus status = tree.stat(target.flag("follow", true) ? path : path.notFollowing());
      call.describe(status);
      call.answer(Statuses.OK, Facts.of(target.name(), status));
      return;
    }
    FileHandle opened;
    try {
      opened = tree.open(target.path(), Set.of(Opening.READ), NewFile.with(0));
    } catch (MillraceException e) {
      if (e.code() != ErrorCode.IS_DIRECTORY) {
        throw e;
      }
      list(call);
      return;
    }
    try (FileHandle file = opened) {
      if (LISTED.stream().anyMatch(target.query()::containsKey)) {
        throw new MillraceException(
            ErrorCode.NOT_A_DIRECTORY, target.path() + " is a file: it has no names to list");
      }
      target.allow();
      read(call, file);
    }
  }

  private void read(Call call, FileHandle file) throws IOException {
    FileStatus status = file.status();
    if (status.kind() != FileKind.FILE) {
      throw new MillraceException(ErrorCode.WRONG_KIND, call.target().path() + " is no file");
    }
    call.describe(status);
    call.set("Accept-Ranges", "bytes");
    switch (call.conditions().ofRead(status)) {
      case FAILED -> throw Conditions.failed(Optional.of(status));
      case NOT_MODIFIED -> call.answer(Statuses.NOT_MODIFIED);
      case GO -> send(call, file, status);
    }
  }

  private void send(Call call, FileHandle file, FileStatus status) throws IOException {
    long size = status.size();
    String type = type(call.target().name());
    Optional<Ranges> asked = ranges(call, status);
    if (asked.isEmpty()) {
      call.set("Content-Type", type);
      call.begin(Statuses.OK, size);
      copy(call, file, new Ranges.Part(0, size));
      return;
    }
    List<Ranges.Part> parts = asked.get().parts();
    // ranges that overlap so much are of no use to a client, but would cost us
    if (parts.isEmpty() || parts.size() > 1 && asked.get().bytes() > size) {
      call.set("Content-Range", "bytes */" + size);
      throw new Refusal(
          Statuses.NOT_SATISFIABLE,
          "no range is within the %s bytes of the file, or all together are more".formatted(size));
    }
    if (parts.size() == 1) {
      call.set("Content-Type", type);
      call.set("Content-Range", parts.getFirst().of(size));
      call.begin(Statuses.PARTIAL, parts.getFirst().length());
      copy(call, file, parts.getFirst());
    } else {
      sendParts(call, file, parts, status);
    }
  }

  /** Only GET has ranges; only those of the state that If-Range names, if it does. */
  private static Optional<Ranges> ranges(Call call, FileStatus status) {
    Optional<String> header = call.header("Range");
    if (header.isEmpty() || call.isHead()) {
      return Optional.empty();
    }
    Optional<String> state = call.header("If-Range").map(String::strip);
    if (state.isPresent() && !state.get().equals(Tags.of(status))) {
      return Optional.empty(); // dates are not exact enough: strong tags only
    }
    return Ranges.parse(header.get(), status.size());
  }

  private void sendParts(Call call, FileHandle file, List<Ranges.Part> parts, FileStatus status)
      throws IOException {
    // random, so that no file can contain it on purpose
    String boundary = HexFormat.of().formatHex(env.secretBytes(BOUNDARY_BYTES));
    String type = type(call.target().name());
    long length = 0;
    List<byte[]> heads = new ArrayList<>();
    for (Ranges.Part part : parts) {
      byte[] head =
          "\r\n--%s\r\nContent-Type: %s\r\nContent-Range: %s\r\n\r\n"
              .formatted(boundary, type, part.of(status.size()))
              .getBytes(StandardCharsets.US_ASCII);
      heads.add(head);
      length += head.length + part.length();
    }
    byte[] tail = "\r\n--%s--\r\n".formatted(boundary).getBytes(StandardCharsets.US_ASCII);
    call.set("Content-Type", "multipart/byteranges; boundary=" + boundary);
    call.begin(Statuses.PARTIAL, length + tail.length);
    for (int i = 0; i < parts.size(); i++) {
      call.send(heads.get(i), 0, heads.get(i).length);
      copy(call, file, parts.get(i));
    }
    call.send(tail, 0, tail.length);
  }

  private static void copy(Call call, FileHandle file, Ranges.Part part) throws IOException {
    if (call.isHead()) {
      return;
    }
    byte[] buffer = new byte[(int) Math.min(part.length(), call.limits().partBytes())];
    long end = part.first() + part.length();
    for (long at = part.first(); at < end; ) {
      int length = (int) Math.min(buffer.length, end - at);
      long got = file.read(at, MemorySegment.ofArray(buffer).asSlice(0, length));
      if (got < length) { // it was promised: the connection is cut, and the client notices
        throw new IOException("the file was cut at " + (at + got) + " while it was read");
      }
      call.send(buffer, 0, length);
      at += length;
    }
  }

  private void list(Call call) throws IOException {
    Target target = call.target();
    target.allow(LISTED.toArray(String[]::new));
    int most =
        (int)
            Target.number("most", target.parameter("most").orElse("" + USUAL_NAMES), 1, MOST_NAMES);
    FileStatus directory = tree.stat(target.path());
    FileListing part = tree.list(target.path(), target.parameter("after").orElse(""), most);
    boolean all = target.flag("all", false);
    List<Object> entries = new ArrayList<>();
    for (FileListing.Entry entry : part.entries()) {
      if (all || !Replacement.isUnfinished(entry.name())) {
        entries.add(Facts.of(entry.name(), entry.status()));
      }
    }
    call.set("Millrace-Kind", "directory");
    call.set("Last-Modified", Tags.date(directory));
    Optional<String> next =
        part.more() ? Optional.of(part.entries().getLast().name()) : Optional.empty();
    call.answer(Statuses.OK, Json.object("kind", "directory", "entries", entries, "next", next));
  }

  private static String type(String name) {
    String known = URLConnection.getFileNameMap().getContentTypeFor(name);
    return known == null ? BYTES : known;
  }
}
