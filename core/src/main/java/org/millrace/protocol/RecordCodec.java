package org.millrace.protocol;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.millrace.error.MillraceException;
import org.millrace.message.Decoder;
import org.millrace.message.Encoder;

/**
 * The bytes of a record: those of its components, in the order of their declaration. Made once for
 * each record. Immutable; safe for use by several threads.
 */
final class RecordCodec extends FieldCodec<Record> {

  private static final ClassValue<RecordCodec> ALL =
      new ClassValue<>() {
        @Override
        protected RecordCodec computeValue(Class<?> type) {
          return make(type.asSubclass(Record.class));
        }
      };

  /** A component, its bytes and the way to it. */
  private record Field(MethodHandle accessor, FieldCodec<Object> codec) {}

  // constant after construction
  private final Field[] fields;
  private final MethodHandle constructor;

  private RecordCodec(Field[] fields, MethodHandle constructor) {
    super(Arrays.stream(fields).mapToInt(field -> field.codec.minBytes).sum());
    this.fields = fields;
    this.constructor = constructor;
  }

  static RecordCodec of(Class<? extends Record> type) {
    return ALL.get(type);
  }

  @SuppressWarnings("unchecked") // a component's accessor returns what its codec takes
  private static RecordCodec make(Class<? extends Record> type) {
    RecordComponent[] components = type.getRecordComponents();
    Field[] fields = new Field[components.length];
    Class<?>[] types = new Class<?>[components.length];
    MethodHandles.Lookup lookup = MethodHandles.lookup();
    try {
      for (int i = 0; i < components.length; i++) {
        types[i] = components[i].getType();
        MethodHandle accessor =
            lookup
                .unreflect(components[i].getAccessor())
                .asType(MethodType.methodType(Object.class, Record.class));
        boolean byRank = components[i].isAnnotationPresent(ByRank.class);
        FieldCodec<?> codec = FieldCodec.of(components[i].getGenericType(), byRank);
        fields[i] = new Field(accessor, (FieldCodec<Object>) codec);
      }
      MethodHandle constructor =
          lookup
              .findConstructor(type, MethodType.methodType(void.class, types))
              .asSpreader(Object[].class, types.length)
              .asType(MethodType.methodType(Record.class, Object[].class));
      return new RecordCodec(fields, constructor);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("the components of " + type + " cannot be reached", e);
    }
  }

  @Override
  void put(@Nullable Record value, Encoder to) {
    Objects.requireNonNull(value, "value");
    for (Field field : fields) {
      field.codec.put(read(field.accessor, value), to);
    }
  }

  private static @Nullable Object read(MethodHandle accessor, Record value) {
    try {
      return (Object) accessor.invokeExact(value);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException("accessors throw nothing", e);
    }
  }

  @Override
  Record get(Decoder from) throws MillraceException {
    @Nullable Object[] values = new @Nullable Object[fields.length];
    for (int i = 0; i < fields.length; i++) {
      values[i] = fields[i].codec.get(from);
    }
    try {
      return (Record) constructor.invokeExact(values);
    } catch (RuntimeException | Error e) { // a value that its own type refuses
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException("constructors of records throw nothing checked", e);
    }
  }
}
