package org.millrace.protocol;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.millrace.error.MillraceException;
import org.millrace.message.Decoder;
import org.millrace.message.Encoder;

/**
 * Fields that hold several values: lists and maps as their number and the values, optional ones as
 * a truth value and the value. Holds no state.
 */
final class Fields {

  /** A text takes at least its length. */
  static final int TEXT_BYTES = Integer.BYTES;

  private Fields() {}

  /** Writes one value. */
  interface Put<T> {
    void put(T value, Encoder to);
  }

  /** Reads one value. */
  interface Get<T> {
    T get(Decoder from) throws MillraceException;
  }

  static <T> void putList(List<T> list, Encoder to, Put<? super T> item) {
    to.putInt(list.size());
    for (T value : list) {
      item.put(value, to);
    }
  }

  /** Reads a list whose items take at least {@code leastBytes} bytes each. */
  static <T> List<T> getList(Decoder from, int leastBytes, Get<T> item) throws MillraceException {
    int count = from.getCount(leastBytes);
    List<T> list = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      list.add(item.get(from));
    }
    return List.copyOf(list);
  }

  static <T> void putOptional(Optional<T> value, Encoder to, Put<? super T> item) {
    to.putBoolean(value.isPresent());
    if (value.isPresent()) {
      item.put(value.get(), to);
    }
  }

  static <T> Optional<T> getOptional(Decoder from, Get<T> item) throws MillraceException {
    return from.getBoolean() ? Optional.of(item.get(from)) : Optional.empty();
  }

  static <K, V> void putMap(
      Map<K, V> map, Encoder to, Put<? super K> putKey, Put<? super V> putValue) {
    to.putInt(map.size());
    for (Map.Entry<K, V> entry : map.entrySet()) {
      putKey.put(entry.getKey(), to);
      putValue.put(entry.getValue(), to);
    }
  }

  /** Reads a map, which keeps the order in which its entries came. */
  static <K, V> Map<K, V> getMap(Decoder from, int leastBytes, Get<K> getKey, Get<V> getValue)
      throws MillraceException {
    int count = from.getCount(leastBytes);
    Map<K, V> map = LinkedHashMap.newLinkedHashMap(count);
    for (int i = 0; i < count; i++) {
      K key = getKey.get(from);
      if (map.put(key, getValue.get(from)) != null) {
        throw from.wrong("the key " + key + " twice");
      }
    }
    return Collections.unmodifiableMap(map);
  }

  static void putTexts(List<String> texts, Encoder to) {
    putList(texts, to, Fields::putText);
  }

  static List<String> getTexts(Decoder from) throws MillraceException {
    return getList(from, TEXT_BYTES, Decoder::getText);
  }

  static void putText(String text, Encoder to) {
    to.putText(text);
  }

  static void putInt(Integer value, Encoder to) {
    to.putInt(value);
  }

  static void putLong(Long value, Encoder to) {
    to.putLong(value);
  }
}
