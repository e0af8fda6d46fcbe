package org.millrace.protocol;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.stream.IntStream;
import org.millrace.access.Access;
import org.millrace.access.Geometry;
import org.millrace.access.Order;
import org.millrace.access.Shape;
import org.millrace.access.group.Digest;
import org.millrace.error.ErrorCode;
import org.millrace.files.ByteLock;
import org.millrace.layout.CopySet;
import org.millrace.layout.Layout;
import org.millrace.message.Message;

/**
 * Makes a message of any kind by looking at the components of its record, so that no kind and no
 * field is forgotten. Subclasses choose the values.
 */
abstract class MessageMaker {

  final Message make(Kind kind) {
    return kind.type().cast(make(kind.type(), ""));
  }

  abstract boolean aBoolean();

  abstract int anInt();

  abstract long aLong();

  abstract String aText(String name);

  abstract int howMany();

  abstract <T> T oneOf(List<T> choices);

  abstract Access anAccess();

  abstract StrandId aStrand(boolean isInLayout);

  /** A layout of at least so many strands. */
  abstract Layout aLayout(int minStrands);

  /** A length or offset, as records that check themselves want it. */
  abstract long aLength();

  private Object make(Type type, String name) {
    if (type instanceof ParameterizedType generic) {
      return makeGeneric(generic, name);
    }
    Class<?> plain = (Class<?>) type;
    if (plain == boolean.class) {
      return aBoolean();
    } else if (plain == int.class || plain == Integer.class) {
      return anInt();
    } else if (plain == long.class || plain == Long.class) {
      return aLong();
    } else if (plain == String.class) {
      return aText(name);
    } else if (plain == OptionalInt.class) {
      return aBoolean() ? OptionalInt.of(anInt()) : OptionalInt.empty();
    } else if (plain == OptionalLong.class) {
      return aBoolean() ? OptionalLong.of(aLong()) : OptionalLong.empty();
    } else if (plain == Bytes.class) {
      return Bytes.of(aText(name).getBytes(StandardCharsets.UTF_8));
    } else if (plain.isEnum()) {
      return oneOf(List.of(plain.getEnumConstants()));
    } else if (plain == Access.class) {
      return anAccess();
    } else if (plain == StrandId.class) {
      return aStrand(false);
    } else if (plain == Layout.class) {
      return aLayout(1);
    } else if (plain == Geometry.class) {
      return new Geometry(Shape.of(oneOf(List.of(Order.values())), 3, 1 + howMany()), 8, aLength());
    } else if (plain == Digest.class) {
      long start = aLength();
      List<Access> sample = IntStream.range(0, howMany()).mapToObj(_ -> anAccess()).toList();
      return new Digest(
          1 + sample.size(), aLength(), start, start + 1, aBoolean(), aBoolean(), sample);
    } else if (plain == ByteLock.class) {
      ByteLock.Kind kind = oneOf(List.of(ByteLock.Kind.values()));
      return new ByteLock(aLong(), aLength(), 1 + aLength(), kind);
    } else if (plain == RankRequest.Piece.class) {
      return new RankRequest.Piece(aLength(), aLength());
    } else if (plain == CopySet.class) {
      return new CopySet(aLong(), List.of(anInt()), List.of(anInt()));
    } else if (plain == Failure.class) {
      return aTrouble();
    } else if (plain.isSealed()) {
      return make(oneOf(List.of(plain.getPermittedSubclasses())), name);
    }
    return makeRecord(plain);
  }

  private Object makeGeneric(ParameterizedType generic, String name) {
    Type[] of = generic.getActualTypeArguments();
    if (generic.getRawType() == Optional.class) {
      return aBoolean() ? Optional.of(make(of[0], name)) : Optional.empty();
    }
    if (generic.getRawType() == List.class) {
      List<Object> list = new ArrayList<>();
      IntStream.range(0, howMany()).forEach(_ -> list.add(make(of[0], name)));
      return List.copyOf(list);
    }
    if (generic.getRawType() != Map.class) {
      throw new IllegalArgumentException("cannot make a " + generic);
    }
    Map<Object, Object> map = new LinkedHashMap<>();
    IntStream.range(0, howMany()).forEach(_ -> map.put(make(of[0], name), make(of[1], name)));
    return map;
  }

  /** A record whose components fit each other. */
  private Object makeRecord(Class<?> type) {
    RecordComponent[] components = type.getRecordComponents();
    List<Class<?>> types =
        Arrays.stream(components).<Class<?>>map(RecordComponent::getType).toList();
    boolean rank = RankRequest.class.isAssignableFrom(type);
    StrandId strand = aStrand(types.contains(Layout.class));
    Access access = anAccess();
    List<Object> values = new ArrayList<>();
    for (RecordComponent component : components) {
      Class<?> of = component.getType();
      String name = component.getName();
      if (of == StrandId.class) {
        values.add(strand);
      } else if (of == Layout.class && types.contains(StrandId.class)) {
        values.add(aLayout(strand.strand() + 1));
      } else if (of == Access.class) {
        values.add(access);
      } else if (rank && of == long.class && List.of("from", "position", "bytes").contains(name)) {
        values.add(aLength());
      } else {
        values.add(make(component.getGenericType(), name));
      }
    }
    try {
      var constructor = type.getDeclaredConstructor(types.toArray(Class<?>[]::new));
      constructor.setAccessible(true);
      return constructor.newInstance(values.toArray());
    } catch (ReflectiveOperationException e) {
      throw new LinkageError(type + " of " + values, e);
    }
  }

  private Failure aTrouble() {
    return aBoolean()
        ? new Failure(oneOf(List.of(ErrorCode.values())), aText("message"), anInt())
        : Failure.NONE;
  }
}
