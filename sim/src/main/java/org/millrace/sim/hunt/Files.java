package org.millrace.sim.hunt;

import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/** The files of a world that outlive episodes, and their names. For threads of its environment. */
final class Files {

  /** Whether a file is there. */
  enum State {
    /** It is. */
    THERE,
    /** It is not. */
    ABSENT,
    /** Somebody tries to make it. */
    MAKING,
    /** Somebody tried to remove it, and does not know how that ended. */
    UNKNOWN
  }

  /** A file, and the name that it may have instead. */
  static final class Named {
    final FileModel model;
    State state = State.ABSENT;
    String maybe = "";

    Named(FileModel model) {
      this.model = model;
    }

    /** Whether it is known under which name it is, or would be made. */
    boolean isCertain() {
      return state != State.UNKNOWN && maybe.isEmpty();
    }
  }

  private static final int MAX_CELLS = 4096;
  private static final List<Integer> COPIES = List.of(1, 1, 2, 2, 3);

  private final List<Named> all = new ArrayList<>();
  private int names;

  /** Some have copies, where there are nodes for them. */
  Files(World world, int count) {
    RandomGenerator random = world.env().random("copies");
    for (int i = 0; i < count; i++) {
      int copies = Math.min(world.nodes().size(), COPIES.get(random.nextInt(COPIES.size())));
      all.add(new Named(new FileModel(world.oracle(), nextName(), MAX_CELLS, copies)));
    }
  }

  List<Named> all() {
    return all;
  }

  Named get(int number) {
    return all.get(number);
  }

  int count() {
    return all.size();
  }

  String nextName() {
    return "file-" + ++names;
  }

  /** A file is being opened, and made if it is not there. */
  void making(FileModel model) {
    for (Named one : all) {
      if (one.model == model && one.state == State.ABSENT) {
        one.state = State.MAKING;
      }
    }
  }

  /** A file was opened under its name. */
  void exists(FileModel model) {
    for (Named one : all) {
      if (one.model == model) {
        one.state = State.THERE;
      }
    }
  }
}
