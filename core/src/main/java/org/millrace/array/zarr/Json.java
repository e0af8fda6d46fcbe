package org.millrace.array.zarr;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A value of JSON: what metadata and attributes of Zarr are made of. Objects keep the order of
 * their members, numbers their digits. Immutable.
 */
public sealed interface Json {

  /**
   * An object.
   *
   * @param members by name, in order
   */
  record Obj(Map<String, Json> members) implements Json {

    /** No members. */
    public static final Obj EMPTY = new Obj(Map.of());

    /** Keeps a copy. */
    public Obj {
      members = Collections.unmodifiableMap(new LinkedHashMap<>(members));
    }

    /** A member, if it is there. */
    public Optional<Json> get(String name) {
      return Optional.ofNullable(members.get(name));
    }

    /** The same with one more member, or another value of it. */
    public Obj with(String name, Json value) {
      Map<String, Json> more = new LinkedHashMap<>(members);
      more.put(name, value);
      return new Obj(more);
    }

    @Override
    public String toString() {
      return JsonWriter.write(this);
    }
  }

  /**
   * A list.
   *
   * @param elements in order
   */
  record Arr(List<Json> elements) implements Json {

    /** Keeps a copy. */
    public Arr {
      elements = List.copyOf(elements);
    }

    @Override
    public String toString() {
      return JsonWriter.write(this);
    }
  }

  /**
   * A string.
   *
   * @param text its characters
   */
  record Str(String text) implements Json {
    @Override
    public String toString() {
      return JsonWriter.write(this);
    }
  }

  /**
   * A number.
   *
   * @param text as it is written, so that no digit is lost
   */
  record Num(String text) implements Json {

    /** Refuses what is no number of JSON. */
    public Num {
      if (!JsonReader.NUMBER.matcher(text).matches()) {
        throw new IllegalArgumentException("'" + text + "' is no number of JSON");
      }
    }

    /** A whole number. */
    public Num(long value) {
      this(Long.toString(value));
    }

    @Override
    public String toString() {
      return text;
    }
  }

  /** A truth value. */
  enum Bool implements Json {
    /** {@code true}. */
    TRUE,
    /** {@code false}. */
    FALSE;

    /** One of the two. */
    public static Bool of(boolean value) {
      return value ? TRUE : FALSE;
    }

    @Override
    public String toString() {
      return this == TRUE ? "true" : "false";
    }
  }

  /** The value {@code null}. */
  enum Null implements Json {
    /** The only one. */
    NULL;

    @Override
    public String toString() {
      return "null";
    }
  }

  /**
   * Reads a text.
   *
   * @throws IllegalArgumentException if it is not JSON; says what is wrong, and at which character
   */
  static Json parse(String text) {
    return new JsonReader(text).document();
  }

  /** A list of whole numbers. */
  static Arr numbers(List<Long> values) {
    return new Arr(values.stream().map(value -> (Json) new Num(value)).toList());
  }
}
