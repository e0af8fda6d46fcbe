package org.millrace.spark;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.millrace.access.Shape;
import org.millrace.array.ElementType;
import org.millrace.array.Local;
import org.millrace.array.Words;

/** What elements are, in a file and in Spark. Memory holds them in this machine's byte order. */
@SuppressWarnings("ImmutableEnumChecker") // types of arrays and of Spark are immutable
enum ValueType {
  /** Of 4 bytes. */
  INT(ElementType.INT32, DataTypes.IntegerType),
  /** Of 8 bytes. */
  LONG(ElementType.INT64, DataTypes.LongType),
  /** Of 4 bytes. */
  FLOAT(ElementType.FLOAT32, DataTypes.FloatType),
  /** Of 8 bytes. */
  DOUBLE(ElementType.FLOAT64, DataTypes.DoubleType);

  private final ElementType inFile;
  private final DataType inSpark;

  ValueType(ElementType inFile, DataType inSpark) {
    this.inFile = inFile;
    this.inSpark = inSpark;
  }

  static ValueType of(ElementType type) {
    for (ValueType one : values()) {
      if (one.inFile.kind() == type.kind() && one.inFile.bytes() == type.bytes()) {
        return one;
      }
    }
    throw new IllegalArgumentException(
        "elements of type %s; Spark can be given i4, i8, f4 and f8".formatted(type));
  }

  static ValueType of(DataType type) {
    for (ValueType one : values()) {
      if (one.inSpark.equals(type)) {
        return one;
      }
    }
    throw new IllegalArgumentException(
        "values of type %s; arrays can be written of int, long, float and double"
            .formatted(type.simpleString()));
  }

  ElementType inFile() {
    return inFile;
  }

  DataType inSpark() {
    return inSpark;
  }

  int bytes() {
    return inFile.bytes();
  }

  /** Memory for elements, and as what an array is read into it. */
  Local local(MemorySegment memory, Shape shape) {
    return switch (this) {
      case INT -> Local.of(memory, Words.INT, shape);
      case LONG -> Local.of(memory, Words.LONG, shape);
      case FLOAT -> Local.of(memory, Words.FLOAT, shape);
      case DOUBLE -> Local.of(memory, Words.DOUBLE, shape);
    };
  }

  Object get(MemorySegment memory, long index) {
    return switch (this) {
      case INT -> memory.getAtIndex(ValueLayout.JAVA_INT_UNALIGNED, index);
      case LONG -> memory.getAtIndex(ValueLayout.JAVA_LONG_UNALIGNED, index);
      case FLOAT -> memory.getAtIndex(ValueLayout.JAVA_FLOAT_UNALIGNED, index);
      case DOUBLE -> memory.getAtIndex(ValueLayout.JAVA_DOUBLE_UNALIGNED, index);
    };
  }

  void put(MemorySegment memory, long index, InternalRow row, int column) {
    switch (this) {
      case INT -> memory.setAtIndex(ValueLayout.JAVA_INT_UNALIGNED, index, row.getInt(column));
      case LONG -> memory.setAtIndex(ValueLayout.JAVA_LONG_UNALIGNED, index, row.getLong(column));
      case FLOAT ->
          memory.setAtIndex(ValueLayout.JAVA_FLOAT_UNALIGNED, index, row.getFloat(column));
      case DOUBLE ->
          memory.setAtIndex(ValueLayout.JAVA_DOUBLE_UNALIGNED, index, row.getDouble(column));
    }
  }

  /** As above, for what {@link org.apache.spark.sql.Row} has. */
  void put(MemorySegment memory, long index, Object value) {
    switch (this) {
      case INT -> memory.setAtIndex(ValueLayout.JAVA_INT_UNALIGNED, index, (Integer) value);
      case LONG -> memory.setAtIndex(ValueLayout.JAVA_LONG_UNALIGNED, index, (Long) value);
      case FLOAT -> memory.setAtIndex(ValueLayout.JAVA_FLOAT_UNALIGNED, index, (Float) value);
      case DOUBLE -> memory.setAtIndex(ValueLayout.JAVA_DOUBLE_UNALIGNED, index, (Double) value);
    }
  }
}
