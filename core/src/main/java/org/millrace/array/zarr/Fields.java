package org.millrace.array.zarr;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The members of an object of a {@code zarr.json}, asked for by name; errors say where they are. At
 * the end {@link #checkRest} refuses members that nobody asked for and that must be understood.
 * Used by one thread.
 */
final class Fields {

  private final String where;
  private final Json.Obj object;
  private final Set<String> asked = new LinkedHashSet<>();

  Fields(String where, Json value) {
    this.where = where;
    if (!(value instanceof Json.Obj members)) {
      throw new IllegalArgumentException(where + " is no object but " + value);
    }
    this.object = members;
  }

  Optional<Json> find(String name) {
    asked.add(name);
    return object.get(name);
  }

  Json get(String name) {
    return find(name)
        .orElseThrow(() -> new IllegalArgumentException(where + " has no \"" + name + "\""));
  }

  String string(String name) {
    return string(name, get(name));
  }

  private String string(String name, Json value) {
    if (value instanceof Json.Str string) {
      return string.text();
    }
    throw wrong(name, "a string", value);
  }

  long number(String name) {
    return number(name, get(name));
  }

  private long number(String name, Json value) {
    if (value instanceof Json.Num number && number.text().matches("-?[0-9]{1,18}")) {
      return Long.parseLong(number.text());
    }
    throw wrong(name, "a whole number of at most 18 digits", value);
  }

  List<Long> numbers(String name) {
    List<Long> all = new ArrayList<>();
    for (Json one : list(name)) {
      all.add(number(name, one));
    }
    return all;
  }

  /** A number for each dimension, none below a bound. */
  List<Long> numbers(String name, long atLeast) {
    List<Long> all = numbers(name);
    for (long one : all) {
      if (one < atLeast) {
        throw wrong(name, "a list of numbers of at least " + atLeast, Json.numbers(all));
      }
    }
    return all;
  }

  List<Json> list(String name) {
    Json value = get(name);
    if (value instanceof Json.Arr list) {
      return list.elements();
    }
    throw wrong(name, "a list", value);
  }

  /** An extension: an object with a name, or the name alone. */
  Extension extension(String name) {
    return Extension.read(where + ", \"" + name + "\"", get(name));
  }

  /** A list of extensions; empty if there is none. */
  List<Extension> extensions(String name) {
    List<Extension> all = new ArrayList<>();
    for (Json one : list(name)) {
      all.add(Extension.read(where + ", \"" + name + "\"", one));
    }
    return all;
  }

  IllegalArgumentException wrong(String name, String wanted, Json found) {
    return new IllegalArgumentException(
        "%s: \"%s\" must be %s, is %s".formatted(where, name, wanted, found));
  }

  /** Refuses what was not asked for, unless it says that it need not be understood. */
  void checkRest() {
    object
        .members()
        .forEach(
            (name, value) -> {
              if (!asked.contains(name) && mustBeUnderstood(value)) {
                throw new IllegalArgumentException(
                    "%s has \"%s\", which is unknown here and must be understood"
                        .formatted(where, name));
              }
            });
  }

  static boolean mustBeUnderstood(Json value) {
    return !(value instanceof Json.Obj object
        && object.get("must_understand").equals(Optional.of(Json.Bool.FALSE)));
  }
}
