package org.millrace.sim.hunt;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.millrace.client.OpenOptions;
import org.millrace.error.CorruptBlockException;

/**
 * Looks at all files when nothing is under way and nothing goes wrong: what is there must be
 * explained, and is what is there from now on.
 *
 * <p>Belongs to the rank's thread.
 */
final class Verification {

  private static final int CHUNK = 1024;

  private final Member me;

  Verification(Member me) {
    this.me = me;
  }

  void run() throws IOException {
    Contention.look(me);
    List<String> names = me.call("list", "", () -> me.rank().names().list(""));
    for (Files.Named file : me.episode().files().all()) {
      findName(file, names);
      if (file.state == Files.State.THERE) {
        verifyWhatIsLeft(file.model);
      } else {
        file.model.settle(List.of());
      }
    }
  }

  /** What was not known is seen now. */
  private void findName(Files.Named file, List<String> names) {
    boolean old = names.contains(file.model.name());
    boolean fresh = !file.maybe.isEmpty() && names.contains(file.maybe);
    String both = file.model.name() + (file.maybe.isEmpty() ? "" : " or " + file.maybe);
    me.check(!old || !fresh, "two files where there should be one, " + both + ": " + names);
    switch (file.state) {
      case THERE -> me.check(old || fresh, both + " is lost; there are " + names);
      case ABSENT -> me.check(!old && !fresh, both + " is back; there are " + names);
      case MAKING, UNKNOWN -> {}
    }
    if (fresh) {
      file.model.name(file.maybe);
    }
    file.maybe = "";
    file.state = old || fresh ? Files.State.THERE : Files.State.ABSENT;
  }

  /** A file without copies is damaged for good if a node has lost its disk; others never are. */
  private void verifyWhatIsLeft(FileModel model) throws IOException {
    try {
      verify(model);
    } catch (CorruptBlockException e) {
      if (model.copies() > 1 && !mayBeDamaged()) {
        throw new Violation(me.who() + ": " + model.name() + " has copies and is damaged: " + e);
      }
      me.closeRest();
    }
  }

  private boolean mayBeDamaged() {
    return me.oracle().isRotten() || me.oracle().mayRuinCopies();
  }

  private void verify(FileModel model) throws IOException {
    Accesses file = Accesses.open(me, model, OpenOptions.readWrite());
    file.checkSize();
    List<Write> seen = new ArrayList<>();
    boolean whole = true;
    for (int at = 0; at < model.most(); at += CHUNK) {
      try {
        seen.addAll(file.readAt(Accesses.row(at, CHUNK)));
      } catch (CorruptBlockException e) {
        if (model.copies() > 1 && !mayBeDamaged()) {
          throw e;
        }
        whole = false; // it was said, which is what counts
      }
    }
    if (whole) {
      model.settle(seen);
    }
    file.close();
  }
}
