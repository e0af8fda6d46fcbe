package org.millrace.heritage.mpiio;

import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Hints by name: an info object of MPI. Files copy what they are given; changing the object later
 * changes no file.
 *
 * <p>Belongs to one thread. Closing frees it (MPI_Info_free): using it afterwards is an error of
 * class INFO.
 */
public final class Info implements AutoCloseable {

  /** How many characters a key may have (MPI_MAX_INFO_KEY). */
  public static final int MAX_KEY = 255;

  /** How many characters a value may have (MPI_MAX_INFO_VAL). */
  public static final int MAX_VALUE = 1024;

  /** No hints (MPI_INFO_NULL). It cannot be changed, and closing it does nothing. */
  public static final Info NULL = new Info(Collections.emptySortedMap());

  private final SortedMap<String, String> values;
  private boolean freed;

  private Info(SortedMap<String, String> values) {
    this.values = values;
  }

  /** MPI_Info_create: no keys yet. */
  public Info() {
    this(new TreeMap<>());
  }

  /** An info object of keys and values in turn. */
  public static Info of(String... keysAndValues) {
    if (keysAndValues.length % 2 != 0) {
      throw new MpiArgumentException(ErrorClass.ARG, "a key without a value");
    }
    Info info = new Info();
    for (int i = 0; i < keysAndValues.length; i += 2) {
      info.set(keysAndValues[i], keysAndValues[i + 1]);
    }
    return info;
  }

  static Info of(SortedMap<String, String> values) {
    return new Info(new TreeMap<>(values));
  }

  /** MPI_Info_set: adds a key, or changes its value. */
  public void set(String key, String value) {
    checkUsable();
    if (this == NULL) {
      throw new MpiArgumentException(ErrorClass.INFO, "Info.NULL cannot be changed");
    }
    if (value.isEmpty() || value.length() > MAX_VALUE) {
      throw new MpiArgumentException(
          ErrorClass.INFO_VALUE,
          "a value of %s characters, must be 1 to %s".formatted(value.length(), MAX_VALUE));
    }
    values.put(checkKey(key), value);
  }

  /** MPI_Info_get_string: the value of a key, if it has one. */
  public Optional<String> get(String key) {
    checkUsable();
    return Optional.ofNullable(values.get(checkKey(key)));
  }

  /** MPI_Info_get_valuelen: how many characters the value of a key has, if it has one. */
  public Optional<Integer> getValueLength(String key) {
    return get(key).map(String::length);
  }

  /** MPI_Info_delete: takes a key and its value away, which must be there. */
  public void delete(String key) {
    checkUsable();
    if (!values.containsKey(checkKey(key))) {
      throw new MpiArgumentException(ErrorClass.INFO_NOKEY, "there is no key " + key);
    }
    values.remove(key);
  }

  /** MPI_Info_get_nkeys. */
  public int size() {
    checkUsable();
    return values.size();
  }

  /** MPI_Info_get_nthkey, from 0; the order is the alphabet's. */
  public String getKey(int n) {
    checkUsable();
    if (n < 0 || n >= values.size()) {
      throw new MpiArgumentException(
          ErrorClass.ARG, "key number %s of %s".formatted(n, values.size()));
    }
    return values.keySet().stream().skip(n).findFirst().orElseThrow();
  }

  /** MPI_Info_dup: another one with the same keys and values. */
  public Info dup() {
    checkUsable();
    return of(values);
  }

  /** A copy of the keys and values. */
  public SortedMap<String, String> toMap() {
    checkUsable();
    return new TreeMap<>(values);
  }

  /** MPI_Info_free. */
  @Override
  public void close() {
    freed = this != NULL;
  }

  private void checkUsable() {
    if (freed) {
      throw new MpiArgumentException(ErrorClass.INFO, "the info object was freed");
    }
  }

  private static String checkKey(String key) {
    if (key.isEmpty() || key.length() > MAX_KEY) {
      throw new MpiArgumentException(
          ErrorClass.INFO_KEY,
          "a key of %s characters, must be 1 to %s".formatted(key.length(), MAX_KEY));
    }
    return key;
  }

  @Override
  public String toString() {
    return freed ? "freed" : values.toString();
  }
}
