package org.millrace.protocol;

import java.util.ArrayList;
import java.util.List;
import org.millrace.access.Access;
import org.millrace.access.Pattern;
import org.millrace.access.View;
import org.millrace.layout.Layout;
import org.millrace.message.Message;

/**
 * One message of each kind, with values that can be told apart in its bytes: numbers count up from
 * 1, texts are the names of their fields, lists have one item. A meeting comes once for each
 * effect. Their bytes are kept in a file and never change.
 */
final class PlainMessages extends MessageMaker {

  private static final List<Class<?>> EFFECTS = List.of(Effect.class.getPermittedSubclasses());

  private final int effect;
  private int last;

  private PlainMessages(int effect) {
    this.effect = effect;
  }

  /** A message, and what it is called. */
  record Named(String name, Message message) {}

  static List<Named> all() {
    List<Named> all = new ArrayList<>();
    for (Kind kind : Kind.values()) {
      if (kind == Kind.MEET) {
        for (int i = 0; i < EFFECTS.size(); i++) {
          String name = kind + " " + EFFECTS.get(i).getSimpleName();
          all.add(new Named(name, new PlainMessages(i).make(kind)));
        }
      } else {
        all.add(new Named(kind.toString(), new PlainMessages(0).make(kind)));
      }
    }
    return all;
  }

  @Override
  boolean aBoolean() {
    return true;
  }

  @Override
  int anInt() {
    return ++last;
  }

  @Override
  long aLong() {
    return ++last;
  }

  @Override
  String aText(String name) {
    return name;
  }

  @Override
  int howMany() {
    return 1;
  }

  @Override
  <T> T oneOf(List<T> choices) {
    return choices.equals(EFFECTS) ? choices.get(effect) : choices.getFirst();
  }

  /** Three runs of 8 bytes, 32 apart, every 256 bytes from 64 on; two such tiles. */
  @Override
  Access anAccess() {
    View view = new View(64, Pattern.loop(3, 32, Pattern.run(8)), 256);
    return new Access(view, 0, 48);
  }

  @Override
  StrandId aStrand(boolean isInLayout) {
    return new StrandId(1, 1);
  }

  @Override
  Layout aLayout(int minStrands) {
    return Layout.striped(65536, 2).withBlockBytes(8192);
  }

  @Override
  long aLength() {
    return ++last;
  }
}
