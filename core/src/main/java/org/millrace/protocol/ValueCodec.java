package org.millrace.protocol;

import java.util.ArrayList;
import java.util.List;
import org.millrace.access.Geometry;
import org.millrace.access.Order;
import org.millrace.access.Shape;
import org.millrace.error.MillraceException;
import org.millrace.layout.Layout;
import org.millrace.layout.NodeRuns;
import org.millrace.message.Decoder;
import org.millrace.message.Encoder;

/**
 * Encodes values whose encoding differs from that of their components: layouts, arrays. Holds no
 * state.
 */
final class ValueCodec {

  static final int MIN_LAYOUT_BYTES = Long.BYTES + 2 * Integer.BYTES;
  static final int MIN_GEOMETRY_BYTES = 1 + 2 * Integer.BYTES + Long.BYTES;

  private ValueCodec() {}

  static void putGeometry(Geometry array, Encoder to) {
    Shape shape = array.shape();
    to.putBoolean(shape.order() == Order.COLUMN_MAJOR).putInt(shape.dimensions());
    shape.dims().forEach(to::putLong);
    to.putInt(array.elementBytes()).putLong(array.start());
  }

  static Geometry getGeometry(Decoder from) throws MillraceException {
    Order order = from.getBoolean() ? Order.COLUMN_MAJOR : Order.ROW_MAJOR;
    List<Long> dims = new ArrayList<>();
    for (int left = from.getCount(Long.BYTES); left > 0; left--) {
      dims.add(from.getLong());
    }
    return new Geometry(new Shape(dims, order), from.getInt(), from.getLong());
  }

  static void putLayout(Layout layout, Encoder to) {
    to.putLong(layout.stripeUnitBytes()).putInt(layout.blockBytes());
    NodeRuns nodes = layout.nodeRuns();
    to.putInt(nodes.runs());
    for (int run = 0; run < nodes.runs(); run++) {
      to.putInt(nodes.first(run)).putInt(nodes.count(run));
    }
  }

  /** A run may stand for many strands: how many are checked before anything grows with them. */
  static Layout getLayout(Decoder from) throws MillraceException {
    long unit = from.getLong();
    int block = from.getInt();
    int runs = from.getCount(2 * Integer.BYTES);
    NodeRuns.Builder nodes = new NodeRuns.Builder();
    long strands = 0;
    for (int run = 0; run < runs; run++) {
      int first = from.getInt();
      int count = from.getInt();
      strands += count;
      if (count < 1 || strands > StrandId.MAX_STRANDS) {
        throw from.wrong("a layout of " + strands + " strands, " + count + " in one run");
      }
      nodes.add(first, count);
    }
    return new Layout(unit, block, nodes.build());
  }
}
