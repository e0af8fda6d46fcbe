package org.millrace.coordinator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.millrace.error.CorruptBlockException;
import org.millrace.error.MillraceException;
import org.millrace.layout.Copies;
import org.millrace.layout.CopySet;
import org.millrace.layout.Layout;
import org.millrace.testing.Seeds;

final class NamesTest {

  private static final Layout LAYOUT = Layout.striped(1024, 2);

  @Test
  void everyProgramCanBeUndoneAndRetold() throws MillraceException {
    for (long seed : Seeds.of(200)) {
      Random random = new Random(seed);
      Names names = new Names("root", 0777);
      Deque<NameChange> undo = new ArrayDeque<>();
      Deque<List<NameChange>> states = new ArrayDeque<>();
      for (int step = 0; step < 60; step++) {
        List<NameChange> before = names.asChanges();
        NameChange change = draw(random, names.nextId());
        try {
          undo.push(names.apply(change));
          states.push(before);
        } catch (CorruptBlockException e) {
          assertThat(names.asChanges()).as(Seeds.replay(seed)).isEqualTo(before);
        }
        Names retold = new Names("root", 0777);
        for (NameChange told : names.asChanges()) {
          retold.apply(told);
        }
        assertThat(retold.asChanges()).as(Seeds.replay(seed)).isEqualTo(names.asChanges());
        assertThat(retold.nextId()).isEqualTo(names.nextId());
      }
      assertThat(undo.size()).as("steps that fit").isGreaterThan(10);
      while (!undo.isEmpty()) {
        names.apply(undo.pop());
        List<NameChange> now = names.asChanges();
        List<NameChange> then = states.pop();
        // All but the next id, which never goes back.
        assertThat(now.subList(1, now.size()))
            .as(Seeds.replay(seed))
            .isEqualTo(then.subList(1, then.size()));
      }
    }
  }

  private static NameChange draw(Random random, long nextId) {
    long any = random.nextLong(nextId);
    long parent = random.nextLong(nextId);
    String name = String.valueOf((char) ('a' + random.nextInt(4)));
    return switch (random.nextInt(13)) {
      case 0, 1 -> new NameChange.MakeDirectory(nextId, parent, name, "u", "", 0755, 1);
      case 2, 3 ->
          new NameChange.CreateFile(
              nextId, parent, name, "u", "", 0644, 1, random.nextBoolean(), LAYOUT);
      case 4 -> new NameChange.Confirm(any, random.nextBoolean());
      case 5 -> new NameChange.Rename(any, parent, name);
      case 6 -> new NameChange.Remove(any);
      case 7, 8 -> new NameChange.Gone(any, LAYOUT);
      case 9 -> new NameChange.Forget(any);
      case 10 -> new NameChange.SetGroup(any, name);
      case 11 ->
          new NameChange.Together(
              List.of(
                  new NameChange.Remove(any),
                  new NameChange.Gone(any, LAYOUT),
                  new NameChange.Rename(random.nextLong(nextId), parent, name)));
      default -> new NameChange.SetPermissions(any, random.nextInt(512));
    };
  }

  @Test
  void changesThatDoNotFitAreCorrupt() throws MillraceException {
    Names names = new Names("root", 0777);
    names.apply(new NameChange.MakeDirectory(1, 0, "d", "u", "", 0755, 1));
    names.apply(new NameChange.CreateFile(2, 1, "f", "u", "", 0644, 1, true, LAYOUT));
    for (NameChange misfit :
        List.of(
            new NameChange.MakeDirectory(1, 0, "e", "u", "", 0755, 1),
            new NameChange.MakeDirectory(0, 0, "e", "u", "", 0755, 1),
            new NameChange.MakeDirectory(3, 0, "d", "u", "", 0755, 1),
            new NameChange.MakeDirectory(3, 2, "e", "u", "", 0755, 1),
            new NameChange.MakeDirectory(3, 9, "e", "u", "", 0755, 1),
            new NameChange.Remove(1),
            new NameChange.Remove(0),
            new NameChange.Remove(9),
            new NameChange.Rename(1, 1, "e"),
            new NameChange.Rename(0, 1, "e"),
            new NameChange.Rename(2, 0, "d"),
            new NameChange.Together(
                List.of(new NameChange.Remove(2), new NameChange.Rename(1, 1, "e"))),
            new NameChange.Confirm(9, true),
            new NameChange.SetPermissions(9, 0))) {
      List<NameChange> before = names.asChanges();
      assertThatThrownBy(() -> names.apply(misfit))
          .as("%s", misfit)
          .isInstanceOf(CorruptBlockException.class);
      assertThat(names.asChanges()).isEqualTo(before);
    }
  }

  @Test
  void aRemovalThatIsUndoneLeavesTheFileItsCopies() throws MillraceException {
    long id = Copies.idOf(1, 2);
    CopySet taken = new CopySet(2, List.of(2, 0), List.of(1));
    Names names = new Names("root", 0777);
    names.apply(new NameChange.CreateFile(id, 0, "f", "u", "", 0644, 1, true, LAYOUT));
    names.apply(new NameChange.Copied(id, 2, 3, 1));
    names.apply(new NameChange.StrandCopies(id, 1, taken));
    List<NameChange> before = names.asChanges();
    NameEntry file = names.byId(id).orElseThrow();
    NameChange undo = names.apply(new NameChange.Together(Removals.ofFile(file, 1)));
    names.apply(undo);
    assertThat(names.copies(id, 1)).contains(taken);
    assertThat(names.byId(id).orElseThrow().currentLayout().node(1)).isEqualTo(2);
    assertThat(names.asChanges()).isEqualTo(before);
  }

  @Test
  void pathsFollowARenamedDirectory() throws MillraceException {
    Names names = new Names("root", 0777);
    names.apply(new NameChange.MakeDirectory(1, 0, "d", "u", "", 0755, 1));
    names.apply(new NameChange.MakeDirectory(2, 1, "e", "u", "", 0755, 1));
    names.apply(new NameChange.CreateFile(3, 2, "f", "u", "", 0644, 1, true, LAYOUT));
    names.apply(new NameChange.Rename(2, 0, "g"));
    assertThat(names.byId(3).orElseThrow().path()).isEqualTo("g/f");
    assertThat(names.root().path()).isEmpty();
  }
}
