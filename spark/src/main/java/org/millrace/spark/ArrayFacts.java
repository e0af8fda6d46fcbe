package org.millrace.spark;

import java.io.IOException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.millrace.Cluster;
import org.millrace.access.Order;
import org.millrace.access.Shape;
import org.millrace.array.ElementType;

/**
 * What an array is. In Spark it has a row for each element: its indices {@code d0}, {@code d1} and
 * so on, and what is there. Immutable; sent to executors.
 *
 * @param dims the size of each dimension
 * @param columnMajor whether the first index runs fastest in the file
 * @param values what elements are
 * @param headerBytes where in a {@code .npy} file the first element lies
 */
record ArrayFacts(List<Long> dims, boolean columnMajor, ValueType values, long headerBytes)
    implements Serializable {

  static final String VALUE = "value";

  static ArrayFacts of(ArrayPlace place, Cluster cluster) throws IOException {
    return place.read(
        cluster,
        array ->
            new ArrayFacts(
                List.copyOf(array.shape().dims()),
                array.shape().order() == Order.COLUMN_MAJOR,
                ValueType.of(array.type()),
                array.headerBytes()));
  }

  Shape shape() {
    return new Shape(dims, columnMajor ? Order.COLUMN_MAJOR : Order.ROW_MAJOR);
  }

  static String index(int dimension) {
    return "d" + dimension;
  }

  StructType schema() {
    return schema(dims.size(), values);
  }

  static StructType schema(int dimensions, ValueType values) {
    StructType all = new StructType();
    for (int d = 0; d < dimensions; d++) {
      all = all.add(index(d), DataTypes.LongType, false);
    }
    return all.add(VALUE, values.inSpark(), false);
  }

  /** What the values of rows are, whose columns must be those of an array. */
  static ValueType valuesOf(StructType given, int dimensions) {
    List<String> names = new ArrayList<>();
    for (int d = 0; d < dimensions; d++) {
      names.add(index(d));
    }
    names.add(VALUE);
    if (!names.equals(List.of(given.fieldNames()))) {
      throw new IllegalArgumentException(
          "columns %s, must be %s".formatted(List.of(given.fieldNames()), names));
    }
    return ValueType.of(given.apply(dimensions).dataType());
  }

  ElementType type() {
    return values.inFile();
  }
}
