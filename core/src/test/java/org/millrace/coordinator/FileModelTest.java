package org.millrace.coordinator;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.millrace.env.Env;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.files.FileChange;
import org.millrace.files.FileKind;
import org.millrace.files.FilePath;
import org.millrace.files.FileTree.Removing;
import org.millrace.files.FileTree.Replacing;
import org.millrace.files.NewFile;
import org.millrace.layout.Layout;
import org.millrace.testing.Seeds;

/**
 * The tree and its rules against a naive model: every operation in every state that a few
 * operations lead to, and long random programs. Every state is also told anew from its own journal,
 * and every change is undone.
 */
final class FileModelTest {

  private static final Layout LAYOUT = Layout.striped(1024, 2);
  private static final List<String> PATHS = List.of("a", "b", "a/x", "a/y", "b/x");

  /** One operation of a user. */
  private record Op(String user, String what, String path, String other, int mode) {}

  private static void run(ModelTree model, Op op) throws ModelTree.No {
    switch (op.what) {
      case "mkdir" -> model.make(op.user, 'd', op.path, op.mode, "");
      case "create" -> model.make(op.user, 'f', op.path, op.mode, "");
      case "symlink" -> model.make(op.user, 'l', op.path, op.mode, op.other);
      case "link" -> model.link(op.user, op.path, op.other);
      case "unlink" -> model.remove(op.user, op.path, false);
      case "rmdir" -> model.remove(op.user, op.path, true);
      case "rename" -> model.rename(op.user, op.path, op.other, false);
      case "exchange" -> model.rename(op.user, op.path, op.other, true);
      case "chmod" -> model.chmod(op.user, op.path, op.mode);
      default -> throw new IllegalArgumentException(op.what);
    }
  }

  /** The coordinator's tree, without a journal. */
  private static final class World {
    Names names = new Names(ModelTree.ROOT, 0777);
    final NameClock clock = new NameClock(Env.real());

    private static User user(String name) {
      boolean member = name.equals("ann") || name.equals("bob");
      return new User(name, member ? List.of("g") : List.of(), 0, false);
    }

    private static FilePath at(String path) {
      return FilePath.of(path).notFollowing();
    }

    /** Carries an operation out; returns what undoes it. */
    NameChange run(Op op) throws MillraceException {
      List<NameChange> changes = new ArrayList<>();
      for (NameChange change : decide(op)) {
        changes.add(NameCodec.decode(NameCodec.encode(change)));
      }
      return names.apply(new NameChange.Together(changes));
    }

    private List<NameChange> decide(Op op) throws MillraceException {
      NameRules rules = new NameRules(names, ModelTree.ROOT, Quotas.DEFAULT, (_, _) -> false);
      FileRules files = new FileRules(names, rules, clock);
      User user = user(op.user);
      NewFile attributes = NewFile.with(op.mode);
      return switch (op.what) {
        case "mkdir" -> files.makeDirectory(user, at(op.path), attributes).changes();
        case "create" -> {
          PathWalk.Found where = files.requireNew(user, at(op.path), false);
          NameChange.Make made = files.make(user, where.parent(), FileKind.FILE, attributes);
          yield FileRules.named(made.withLayout(LAYOUT, true), where).changes();
        }
        case "symlink" -> files.makeLink(user, at(op.path), op.other, attributes).changes();
        case "link" -> List.of(files.link(user, at(op.path), at(op.other)));
        case "unlink" -> taken(files.remove(user, at(op.path), Removing.FILE));
        case "rmdir" -> taken(files.remove(user, at(op.path), Removing.DIRECTORY));
        case "rename", "exchange" -> {
          Replacing how = op.what.equals("rename") ? Replacing.REPLACE : Replacing.EXCHANGE;
          FileRules.Renaming renaming = files.rename(user, at(op.path), at(op.other), how);
          List<NameChange> changes = new ArrayList<>();
          renaming.replaced().ifPresent(one -> changes.addAll(taken(one)));
          renaming.change().ifPresent(changes::add);
          yield changes;
        }
        case "chmod" ->
            List.of(
                new AttributeRules(rules, clock)
                    .change(
                        user,
                        rules.require(user, FilePath.of(op.path)),
                        FileChange.NONE.withPermissions(op.mode)));
        default -> throw new IllegalArgumentException(op.what);
      };
    }

    private List<NameChange> taken(FileRules.Taken one) {
      return Removals.ofName(one.place(), false, clock.next());
    }

    String dump() {
      StringBuilder text = new StringBuilder();
      dump(names.root(), "", new HashMap<>(), text);
      return text.toString();
    }

    private static void dump(
        NameEntry entry, String path, Map<Long, String> seen, StringBuilder text) {
      String first = seen.putIfAbsent(entry.id, path);
      String kind = entry.isDirectory() ? "d" : entry.isLink() ? "l" : "f";
      text.append(
          "%s %s %d %s:%s %o %s%n"
              .formatted(
                  path,
                  first == null ? kind : "=" + first,
                  entry.links(),
                  entry.owner,
                  entry.group,
                  entry.permissions,
                  entry.target));
      entry.children.forEach((name, child) -> dump(child, path + "/" + name, seen, text));
    }

    void checkRetold(String as) throws MillraceException {
      World retold = new World();
      for (NameChange change : names.asChanges()) {
        retold.names.apply(NameCodec.decode(NameCodec.encode(change)));
      }
      assertThat(retold.dump()).as(as).isEqualTo(dump());
      assertThat(retold.names.asChanges()).as(as).isEqualTo(names.asChanges());
    }
  }

  /** Runs an operation on both, which must agree; returns what undoes it, null if refused. */
  private static @Nullable NameChange both(World world, ModelTree model, Op op, String as)
      throws MillraceException {
    ErrorCode expected = null;
    try {
      run(model, op);
    } catch (ModelTree.No e) {
      expected = e.code;
    }
    ErrorCode got = null;
    NameChange undo = null;
    try {
      undo = world.run(op);
    } catch (MillraceException e) {
      got = e.code();
    }
    assertThat(got).as("%s of %s", op, as).isEqualTo(expected);
    assertThat(world.dump()).as("%s of %s", op, as).isEqualTo(model.dump());
    return undo;
  }

  private static List<Op> structure(String user) {
    List<Op> ops = new ArrayList<>();
    for (String path : PATHS) {
      ops.add(new Op(user, "mkdir", path, "", 0755));
      ops.add(new Op(user, "create", path, "", 0644));
      ops.add(new Op(user, "symlink", path, "b", 0777));
      ops.add(new Op(user, "unlink", path, "", 0));
      ops.add(new Op(user, "rmdir", path, "", 0));
      for (String other : PATHS) {
        ops.add(new Op(user, "link", path, other, 0));
        ops.add(new Op(user, "rename", path, other, 0));
        ops.add(new Op(user, "exchange", path, other, 0));
      }
    }
    return ops;
  }

  private static ModelTree model(List<Op> done) {
    ModelTree model = new ModelTree();
    for (Op op : done) {
      try {
        run(model, op);
      } catch (ModelTree.No e) {
        throw new IllegalStateException(op + " was possible", e);
      }
    }
    return model;
  }

  /** Every operation in every state that {@code left} operations or fewer lead to. */
  private static void explore(
      World world, List<Op> done, List<Op> ops, int left, Map<String, Integer> seen)
      throws MillraceException {
    String before = world.dump();
    List<NameChange> state = world.names.asChanges();
    for (Op op : ops) {
      NameChange undo = both(world, model(done), op, done.toString());
      if (undo == null) {
        continue;
      }
      String now = world.dump();
      if (seen.getOrDefault(now, 0) < left) {
        if (seen.put(now, left) == null) {
          world.checkRetold(done + " " + op);
        }
        if (left > 1) {
          List<Op> further = new ArrayList<>(done);
          further.add(op);
          explore(world, further, ops, left - 1, seen);
        }
      }
      world.names.apply(undo);
      assertThat(world.dump()).as("undo of %s after %s", op, done).isEqualTo(before);
      List<NameChange> undone = world.names.asChanges();
      assertThat(undone.stream().filter(c -> !isCounter(c)).toList())
          .as("undo of %s after %s", op, done)
          .isEqualTo(state.stream().filter(c -> !isCounter(c)).toList());
    }
  }

  /** Ids, and files of which strands may be, never go back to what they were. */
  private static boolean isCounter(NameChange change) {
    return change instanceof NameChange.Begin;
  }

  @Test
  void everyStructureThatFourOperationsMakeIsTheModels() throws MillraceException {
    Map<String, Integer> seen = new HashMap<>();
    explore(new World(), List.of(), structure("ann"), 4, seen);
    assertThat(seen.size()).isGreaterThan(100);
  }

  @Test
  void threeUsersMayWhatTheModelLetsThem() throws MillraceException {
    for (int mode : List.of(0755, 0775, 01777, 0711, 02775, 0744, 0000)) {
      List<Op> begin =
          List.of(
              new Op("ann", "mkdir", "a", "", 0777),
              new Op("ann", "mkdir", "b", "", 02777),
              new Op("ann", "create", "a/x", "", 0644),
              new Op("bob", "mkdir", "b/x", "", 0755),
              new Op("ann", "chmod", "a", "", mode));
      List<Op> ops = new ArrayList<>();
      for (String user : List.of("ann", "bob", "eve")) {
        ops.addAll(structure(user).stream().filter(op -> !op.what.equals("symlink")).toList());
        ops.add(new Op(user, "chmod", "a", "", 0770));
        ops.add(new Op(user, "chmod", "b/x", "", 02755));
      }
      World world = new World();
      for (Op op : begin) {
        world.run(op);
      }
      explore(world, begin, ops, 2, new HashMap<>());
    }
  }

  @Test
  void longProgramsGoAsTheModelSays() throws MillraceException {
    List<String> names = List.of("a", "b", "c");
    for (long seed : Seeds.of(30)) {
      Random random = new Random(seed);
      World world = new World();
      ModelTree model = new ModelTree();
      for (int step = 0; step < 300; step++) {
        Op op = draw(random, names);
        both(world, model, op, Seeds.replay(seed));
        if (step % 50 == 0) {
          world.checkRetold(Seeds.replay(seed));
        }
      }
    }
  }

  private static Op draw(Random random, List<String> names) {
    String user = List.of("ann", "ann", "bob", "eve", "root").get(random.nextInt(5));
    String what =
        List.of(
                "mkdir",
                "mkdir",
                "create",
                "symlink",
                "link",
                "unlink",
                "rmdir",
                "rename",
                "rename",
                "exchange",
                "chmod")
            .get(random.nextInt(11));
    int mode = List.of(0777, 0755, 01777, 02775, 0700, 0644).get(random.nextInt(6));
    String other = path(random, names);
    if (what.equals("symlink")) {
      other = List.of("a", "../b", "/c", ".", "b/../a", "/a/b").get(random.nextInt(6));
    }
    return new Op(user, what, path(random, names), other, mode);
  }

  private static String path(Random random, List<String> names) {
    StringBuilder path = new StringBuilder(random.nextInt(4) == 0 ? "/" : "");
    int depth = 1 + random.nextInt(3);
    for (int i = 0; i < depth; i++) {
      String prefix = random.nextInt(8) == 0 ? "./" : random.nextInt(8) == 0 ? "../" : "";
      path.append(i > 0 ? "/" : "").append(prefix).append(names.get(random.nextInt(3)));
    }
    return path.toString();
  }
}
