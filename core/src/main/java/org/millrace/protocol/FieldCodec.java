package org.millrace.protocol;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.millrace.access.Access;
import org.millrace.access.Geometry;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.layout.Layout;
import org.millrace.message.Decoder;
import org.millrace.message.Encoder;

/**
 * Encodes one component of a record, depending on its type: numbers, booleans and texts directly;
 * lists and maps as their size and elements; optional values as a boolean and the value; records as
 * their components in order; sealed types as the index of the record and the record; enums as their
 * index. Immutable.
 *
 * @param <T> the type, in its boxed form
 */
abstract class FieldCodec<T> {

  private static final int NO_ERROR = 0; // codes have numbers from 1 on

  /** The fewest bytes that a value can take. */
  final int minBytes;

  FieldCodec(int minBytes) {
    this.minBytes = minBytes;
  }

  abstract void put(@Nullable T value, Encoder to);

  abstract @Nullable T get(Decoder from) throws MillraceException;

  /** Reads a value. */
  private interface Reader<T> {
    @Nullable T read(Decoder from) throws MillraceException;
  }

  private static <T> FieldCodec<T> of(
      int minBytes, BiConsumer<T, Encoder> writer, Reader<T> reader) {
    return new FieldCodec<>(minBytes) {
      @Override
      @SuppressWarnings("NullAway") // the writer of codes takes null, no other meets it
      void put(@Nullable T value, Encoder to) {
        writer.accept(value, to);
      }

      @Override
      @Nullable T get(Decoder from) throws MillraceException {
        return reader.read(from);
      }
    };
  }

  private static final Map<Type, FieldCodec<?>> SIMPLE = simple();

  private static Map<Type, FieldCodec<?>> simple() {
    Map<Type, FieldCodec<?>> simple = new LinkedHashMap<>();
    FieldCodec<Integer> ints = of(Integer.BYTES, (v, to) -> to.putInt(v), Decoder::getInt);
    FieldCodec<Long> longs = of(Long.BYTES, (v, to) -> to.putLong(v), Decoder::getLong);
    simple.put(int.class, ints);
    simple.put(Integer.class, ints);
    simple.put(long.class, longs);
    simple.put(Long.class, longs);
    simple.put(
        boolean.class, FieldCodec.<Boolean>of(1, (v, to) -> to.putBoolean(v), Decoder::getBoolean));
    simple.put(
        String.class,
        FieldCodec.<String>of(Integer.BYTES, (v, to) -> to.putText(v), Decoder::getText));
    simple.put(
        OptionalInt.class,
        FieldCodec.<OptionalInt>of(
            1,
            (v, to) -> {
              to.putBoolean(v.isPresent());
              v.ifPresent(to::putInt);
            },
            from -> from.getBoolean() ? OptionalInt.of(from.getInt()) : OptionalInt.empty()));
    simple.put(
        OptionalLong.class,
        FieldCodec.<OptionalLong>of(
            1,
            (v, to) -> {
              to.putBoolean(v.isPresent());
              v.ifPresent(to::putLong);
            },
            from -> from.getBoolean() ? OptionalLong.of(from.getLong()) : OptionalLong.empty()));
    simple.put(
        Bytes.class,
        FieldCodec.<Bytes>of(
            Integer.BYTES,
            (v, to) -> to.putInt(v.length()).putBytes(v.toArray()),
            from -> Bytes.of(from.getBytes(from.getCount(1)))));
    simple.put(
        ErrorCode.class,
        FieldCodec.<ErrorCode>of(Integer.BYTES, FieldCodec::putCode, FieldCodec::getCode));
    simple.put(
        Layout.class,
        of(ValueCodec.MIN_LAYOUT_BYTES, ValueCodec::putLayout, ValueCodec::getLayout));
    simple.put(
        Geometry.class,
        of(ValueCodec.MIN_GEOMETRY_BYTES, ValueCodec::putGeometry, ValueCodec::getGeometry));
    simple.put(
        Access.class,
        of(PatternCodec.MIN_ACCESS_BYTES, PatternCodec::putAccess, PatternCodec::getAccess));
    return simple;
  }

  private static void putCode(@Nullable ErrorCode code, Encoder to) {
    to.putInt(code == null ? NO_ERROR : code.number());
  }

  private static @Nullable ErrorCode getCode(Decoder from) throws MillraceException {
    int number = from.getInt();
    return number == NO_ERROR ? null : ErrorCode.of(number);
  }

  /**
   * The bytes of a component.
   *
   * @param byRank whether it is a list of one value for each rank
   */
  static FieldCodec<?> of(Type type, boolean byRank) {
    FieldCodec<?> simple = SIMPLE.get(type);
    if (simple != null) {
      return simple;
    }
    if (type instanceof ParameterizedType generic) {
      Type[] arguments = generic.getActualTypeArguments();
      if (generic.getRawType() == List.class) {
        return ofList(arguments[0], byRank);
      } else if (generic.getRawType() == Optional.class) {
        return optional(of(arguments[0], false));
      } else if (generic.getRawType() == Map.class) {
        return map(of(arguments[0], false), of(arguments[1], false));
      }
    }
    if (type instanceof Class<?> named && named.isRecord()) {
      return RecordCodec.of(named.asSubclass(Record.class));
    }
    if (type instanceof Class<?> named && named.isEnum()) {
      return ofEnum(named);
    }
    if (type instanceof Class<?> named && named.isSealed()) {
      return oneOf(named);
    }
    throw new IllegalArgumentException("messages have no fields of type " + type);
  }

  private static FieldCodec<?> ofList(Type element, boolean byRank) {
    if (element == Access.class) {
      return of(Integer.BYTES, RankValues::putAccesses, RankValues::getAccesses);
    }
    return byRank
        ? of(Integer.BYTES, RankValues::putLongs, RankValues::getLongs)
        : list(of(element, false));
  }

  private static <E> FieldCodec<List<E>> list(FieldCodec<E> element) {
    return of(
        Integer.BYTES,
        (values, to) -> {
          to.putInt(values.size());
          for (E value : values) {
            element.put(value, to);
          }
        },
        from -> {
          int count = from.getCount(element.minBytes);
          List<E> list = new ArrayList<>(count);
          for (int i = 0; i < count; i++) {
            list.add(element.get(from));
          }
          return List.copyOf(list);
        });
  }

  private static <E> FieldCodec<Optional<E>> optional(FieldCodec<E> element) {
    return of(
        1,
        (value, to) -> {
          to.putBoolean(value.isPresent());
          value.ifPresent(present -> element.put(present, to));
        },
        from -> from.getBoolean() ? Optional.ofNullable(element.get(from)) : Optional.empty());
  }

  /** A map keeps the order in which its entries came. */
  private static <K, V> FieldCodec<Map<K, V>> map(FieldCodec<K> keys, FieldCodec<V> values) {
    return of(
        Integer.BYTES,
        (map, to) -> {
          to.putInt(map.size());
          for (Map.Entry<K, V> entry : map.entrySet()) {
            keys.put(entry.getKey(), to);
            values.put(entry.getValue(), to);
          }
        },
        from -> {
          int count = from.getCount(keys.minBytes + values.minBytes);
          Map<K, V> map = LinkedHashMap.newLinkedHashMap(count);
          for (int i = 0; i < count; i++) {
            K key = keys.get(from);
            if (map.put(key, values.get(from)) != null) {
              throw from.wrong("the key " + key + " twice");
            }
          }
          return Collections.unmodifiableMap(map);
        });
  }

  /** One of a closed set: its place among them, as they are declared. */
  @SuppressWarnings("EnumOrdinal") // docs/protocol.md says which is which, and is tested
  private static FieldCodec<Enum<?>> ofEnum(Class<?> type) {
    Object[] all = type.getEnumConstants();
    return of(
        1,
        (value, to) -> to.putByte(value.ordinal()),
        from -> {
          int place = from.getByte();
          if (place >= all.length) {
            throw from.wrong("number %s of %s".formatted(place, type.getSimpleName()));
          }
          return (Enum<?>) all[place];
        });
  }

  /** One of several records: its place among them, as they are declared, and its bytes. */
  static FieldCodec<Record> oneOf(Class<?> sealed) {
    List<Class<?>> all = List.of(sealed.getPermittedSubclasses());
    List<RecordCodec> codecs =
        all.stream().map(one -> RecordCodec.of(one.asSubclass(Record.class))).toList();
    return of(
        1,
        (value, to) -> {
          int place = all.indexOf(value.getClass());
          codecs.get(place).put(value, to.putByte(place));
        },
        from -> {
          int place = from.getByte();
          if (place >= all.size()) {
            throw from.wrong("number %s of %s".formatted(place, sealed.getSimpleName()));
          }
          return codecs.get(place).get(from);
        });
  }
}
