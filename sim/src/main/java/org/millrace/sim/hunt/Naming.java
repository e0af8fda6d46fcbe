package org.millrace.sim.hunt;

import java.io.IOException;
import java.util.List;
import java.util.random.RandomGenerator;
import org.millrace.error.MillraceException;

/**
 * A chapter in which all ranks contend for some names, and rank 0 renames or removes a file, or
 * lists the names.
 *
 * <p>Belongs to the rank's thread.
 */
final class Naming {

  private final Member me;
  private final RandomGenerator common;

  Naming(Member me, RandomGenerator common) {
    this.me = me;
    this.common = common;
  }

  void run(Files.Named file, RandomGenerator own, String unique) throws IOException {
    me.barrier();
    new Contention(me, own).run(unique);
    int what = common.nextInt(3);
    String fresh = "renamed-" + common.nextInt(1 << 30);
    if (me.rank().number() == 0 && file.state == Files.State.THERE && file.maybe.isEmpty()) {
      switch (what) {
        case 0 -> rename(file, fresh);
        case 1 -> remove(file);
        default -> look(file);
      }
    }
    me.barrier();
  }

  private void rename(Files.Named file, String fresh) throws IOException {
    String old = file.model.name();
    file.maybe = fresh;
    try {
      me.act("rename", old + " to " + fresh, () -> me.rank().names().rename(old, fresh));
    } catch (MillraceException e) {
      file.state = Files.State.UNKNOWN;
      throw e;
    }
    file.model.name(fresh);
    file.maybe = "";
  }

  private void remove(Files.Named file) throws IOException {
    file.state = Files.State.UNKNOWN;
    file.model.beginCut(0, 0);
    String name = file.model.name();
    me.act("remove", name, () -> me.rank().names().remove(name));
    file.state = Files.State.ABSENT;
    file.model.settle(List.of());
  }

  private void look(Files.Named file) throws IOException {
    List<String> names = me.call("list", "", () -> me.rank().names().list(""));
    me.check(
        names.contains(file.model.name()), file.model.name() + " is not among the names " + names);
  }
}
