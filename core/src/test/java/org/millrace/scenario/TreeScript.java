package org.millrace.scenario;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.regex.Pattern;
import org.millrace.error.MillraceException;
import org.millrace.files.ByteLock;
import org.millrace.files.FileChange;
import org.millrace.files.FileHandle;
import org.millrace.files.FileKind;
import org.millrace.files.FileListing;
import org.millrace.files.FilePath;
import org.millrace.files.FileStatus;
import org.millrace.files.FileTree;
import org.millrace.files.NewFile;

/**
 * Random calls of all methods of a tree of files below one directory, each with what came of it in
 * words: the same seed makes the same calls of any tree. Belongs to one thread.
 */
final class TreeScript {

  /** Times that are set are small, so that they are told from times that were measured. */
  private static final long SET_MOST = 1_000_000;

  /** Calls with two paths: if both are wrong, either may be told. */
  private static final Pattern PATHS = Pattern.compile("^(rename|link)");

  private static final int MOST_BYTES = 3000;
  private static final int MOST_HANDLES = 4;

  private final FileTree tree;
  private final String home;
  private final Random random;
  private final List<FileHandle> handles = new ArrayList<>();

  TreeScript(FileTree tree, String home, long seed) {
    this.tree = tree;
    this.home = home;
    this.random = new Random(seed);
  }

  /** What a call does. */
  private interface Call {
    Object run() throws IOException;
  }

  /** Makes the next call; returns it and what came of it. */
  String next() {
    int kind = random.nextInt(30);
    return switch (kind) {
      case 0, 1 -> call("stat", path(), p -> shown(tree.stat(p)));
      case 2 -> list();
      case 3, 4 -> call("mkdir", path(), p -> shown(tree.makeDirectory(p, attributes())));
      case 5 -> link();
      case 6 -> {
        FileKind special = random.nextBoolean() ? FileKind.PIPE : FileKind.SOCKET;
        yield call("special", path(), p -> shown(tree.makeSpecial(p, special, 0, attributes())));
      }
      case 7 -> call("readlink", path(), tree::readLink);
      case 8 -> {
        FilePath to = path();
        yield call("link to " + to, path(), p -> shown(tree.link(p.notFollowing(), to)));
      }
      case 9, 10 -> remove();
      case 11, 12 -> rename();
      case 13, 14 -> change();
      case 15 -> attribute();
      case 16, 17, 18 -> open();
      default -> handles.isEmpty() ? open() : onHandle(kind);
    };
  }

  void close() throws IOException {
    for (FileHandle handle : handles) {
      handle.close();
    }
  }

  /** A call with a path. */
  private interface OfPath {
    Object run(FilePath path) throws IOException;
  }

  private String call(String name, FilePath path, OfPath call) {
    return outcome(name + " " + path, () -> call.run(path));
  }

  private static String outcome(String name, Call call) {
    try {
      return name + ": " + call.run();
    } catch (MillraceException e) {
      return name + ": fails" + (PATHS.matcher(name).find() ? "" : " with " + coarse(e));
    } catch (IOException e) {
      return name + ": throws " + e;
    }
  }

  /** Codes that the oracle need not tell apart. */
  private static String coarse(MillraceException e) {
    return switch (e.code()) {
      case IS_DIRECTORY, NOT_A_DIRECTORY, NOT_EMPTY -> "WRONG_KIND";
      case LOOP, NAME_TOO_LONG, UNSUPPORTED -> "INVALID";
      case NO_ATTRIBUTE -> "NO_SUCH_NAME";
      case NOT_OWNER -> "NOT_PERMITTED";
      default -> e.code().name();
    };
  }

  private FilePath path() {
    StringBuilder text = new StringBuilder(home);
    int depth = 1 + (random.nextInt(3) == 0 ? 1 : 0) + (random.nextInt(6) == 0 ? 1 : 0);
    for (int i = 0; i < depth; i++) {
      text.append('/').append((char) ('a' + random.nextInt(5)));
    }
    FilePath path = FilePath.of(text.toString());
    return random.nextInt(5) == 0 ? path.notFollowing() : path;
  }

  private NewFile attributes() {
    return NewFile.with(bits());
  }

  private int bits() {
    return 0700 | random.nextInt(0100);
  }

  static String shown(FileStatus status) {
    long modified = status.times().modified();
    return "%s %o links %d size %d %s"
        .formatted(
            status.kind(),
            status.permissions(),
            status.links(),
            status.kind() == FileKind.DIRECTORY ? 0 : status.size(),
            modified <= SET_MOST ? "modified at " + modified : "");
  }

  private String list() {
    FilePath path = random.nextBoolean() ? FilePath.of(home) : path();
    String after = random.nextInt(3) == 0 ? "b" : "";
    int most = 1 + random.nextInt(6);
    return call(
        "list after '" + after + "' at most " + most,
        path,
        p -> {
          FileListing part = tree.list(p, after, most);
          List<String> lines = new ArrayList<>();
          part.entries().forEach(e -> lines.add(e.name() + " " + shown(e.status())));
          return lines + (part.more() ? " and more" : "");
        });
  }

  private String link() {
    String target =
        switch (random.nextInt(4)) {
          case 0 -> "/" + home + "/a";
          case 1 -> "../" + home + "/b";
          case 2 -> "c/d";
          default -> String.valueOf((char) ('a' + random.nextInt(5)));
        };
    return call("symlink to " + target, path(), p -> shown(tree.makeLink(p, target, attributes())));
  }

  private String remove() {
    FileTree.Removing what = List.of(FileTree.Removing.values()).get(random.nextInt(3));
    return call(
        "remove " + what,
        path(),
        p -> {
          tree.remove(p, what);
          return "done";
        });
  }

  private String rename() {
    FileTree.Replacing how = List.of(FileTree.Replacing.values()).get(random.nextInt(3));
    FilePath to = path();
    return call(
        "rename " + how + " to " + to,
        path(),
        p -> {
          tree.rename(p, to, how);
          return "done";
        });
  }

  private String change() {
    FileChange change =
        switch (random.nextInt(3)) {
          case 0 -> FileChange.NONE.withPermissions(bits());
          case 1 -> FileChange.NONE.withModified(1 + random.nextInt((int) SET_MOST));
          default -> FileChange.NONE.withSize(random.nextInt(MOST_BYTES));
        };
    FilePath path = path();
    return call("change " + change, path, p -> shown(tree.change(p, change)));
  }

  /** Only of files and directories: what others may have depends on the system. */
  private String attribute() {
    String name = "user." + (char) ('p' + random.nextInt(3));
    byte[] value = new byte[random.nextInt(5)];
    FileTree.Setting setting = List.of(FileTree.Setting.values()).get(random.nextInt(3));
    int what = random.nextInt(4);
    return call(
        "attribute " + name + " " + what + " " + setting,
        path(),
        p -> {
          FileKind kind = tree.stat(p).kind();
          if (kind != FileKind.FILE && kind != FileKind.DIRECTORY) {
            return "not tried";
          }
          return switch (what) {
            case 0 -> tree.attributes(p).stream().sorted().toList();
            case 1 -> tree.attribute(p, name).length;
            case 2 -> {
              tree.setAttribute(p, name, value, setting);
              yield "set";
            }
            default -> {
              tree.removeAttribute(p, name);
              yield "removed";
            }
          };
        });
  }

  private String open() {
    Set<FileTree.Opening> how = EnumSet.of(FileTree.Opening.READ, FileTree.Opening.WRITE);
    if (random.nextInt(4) == 0) {
      how.remove(random.nextBoolean() ? FileTree.Opening.READ : FileTree.Opening.WRITE);
    }
    if (random.nextInt(3) > 0) {
      how.add(FileTree.Opening.CREATE);
    }
    if (random.nextInt(8) == 0) {
      how.add(FileTree.Opening.EXCLUSIVE);
    }
    if (random.nextInt(8) == 0 && how.contains(FileTree.Opening.WRITE)) {
      how.add(FileTree.Opening.TRUNCATE);
    }
    NewFile attributes = attributes();
    int place = random.nextInt(MOST_HANDLES);
    return call(
        "open " + how,
        path(),
        p -> {
          FileHandle opened = tree.open(p, how, attributes);
          if (handles.size() < MOST_HANDLES) {
            handles.add(opened);
          } else {
            handles.set(place, opened).close();
          }
          return "size " + opened.size();
        });
  }

  private String onHandle(int kind) {
    int which = random.nextInt(handles.size());
    FileHandle handle = handles.get(which);
    String name = "handle " + which;
    long position = random.nextInt(MOST_BYTES);
    byte[] bytes = new byte[random.nextInt(700)];
    Arrays.fill(bytes, (byte) (1 + random.nextInt(100)));
    MemorySegment memory = MemorySegment.ofArray(bytes);
    return switch (kind) {
      case 19, 20, 21 ->
          outcome(
              name + " reads at " + position,
              () -> handle.read(position, memory) + " " + Arrays.hashCode(bytes));
      case 22, 23 ->
          outcome(
              name + " writes at " + position,
              () -> {
                handle.write(position, memory);
                return handle.size();
              });
      case 24 -> outcome(name + " appends", () -> handle.append(memory));
      case 25 ->
          outcome(
              name + " is resized to " + position,
              () -> {
                handle.resize(position);
                return shown(handle.status());
              });
      case 26 ->
          outcome(
              name + " reserves " + position,
              () -> {
                handle.reserve(position, 100, bytes.length % 2 == 0);
                handle.resize(handle.size()); // systems differ in whether room alone is a change
                handle.force(true);
                return handle.size();
              });
      case 27 -> outcome(name + " status", () -> shown(handle.status()));
      case 28 -> lock(handle, name);
      default -> close(which, name);
    };
  }

  private String lock(FileHandle handle, String name) {
    ByteLock.Kind kind = List.of(ByteLock.Kind.values()).get(random.nextInt(3));
    ByteLock lock =
        new ByteLock(random.nextInt(3), random.nextInt(20), 1 + random.nextInt(20), kind);
    return switch (random.nextInt(4)) {
      case 0, 1 -> outcome(name + " " + lock, () -> handle.lock(lock, 0));
      case 2 -> outcome(name + " asks " + lock, () -> handle.conflict(lock).isPresent());
      default ->
          outcome(
              name + " unlocks " + lock.owner(),
              () -> {
                handle.unlockAll(lock.owner());
                return "done";
              });
    };
  }

  private String close(int which, String name) {
    FileHandle handle = handles.remove(which);
    return outcome(
        name + " closes",
        () -> {
          handle.close();
          handle.close();
          return "done";
        });
  }
}
