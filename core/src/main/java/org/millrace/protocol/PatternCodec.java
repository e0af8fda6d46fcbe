package org.millrace.protocol;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.millrace.access.Access;
import org.millrace.access.Indexed;
import org.millrace.access.Loop;
import org.millrace.access.Pattern;
import org.millrace.access.Placed;
import org.millrace.access.Run;
import org.millrace.access.Sequence;
import org.millrace.access.View;
import org.millrace.error.MillraceException;
import org.millrace.message.Decoder;
import org.millrace.message.Encoder;

/**
 * Encodes patterns, views and accesses. A pattern is encoded as a graph:
 *
 * <pre>
 *   count | node 0 | node 1 | ... | node count-1: the pattern
 * </pre>
 *
 * Each node once, however many share it, behind all that it is made of; nodes name others by their
 * numbers. So what is read needs no recursion, has no cycles, and is no larger than its bytes.
 * Holds no state.
 */
final class PatternCodec {

  private static final int RUN = 0;
  private static final int LOOP = 1;
  private static final int SEQUENCE = 2;
  private static final int INDEXED = 3;

  /** The smallest nodes: a sequence or index list without entries. */
  private static final int MIN_NODE_BYTES = 1 + Integer.BYTES;

  private static final int CHILD_BYTES = Long.BYTES + Integer.BYTES;
  private static final int ENTRY_BYTES = 2 * Long.BYTES;

  /** The smallest access: a pattern of one node, and four numbers. */
  static final int MIN_ACCESS_BYTES = 4 * Long.BYTES + Integer.BYTES + MIN_NODE_BYTES;

  private PatternCodec() {}

  static void putAccess(Access access, Encoder to) {
    View view = access.view();
    to.putLong(view.displacement());
    putPattern(view.tile(), to);
    to.putLong(view.tileExtent()).putLong(access.from()).putLong(access.to());
  }

  static Access getAccess(Decoder from) throws MillraceException {
    View view = new View(from.getLong(), getPattern(from), from.getLong());
    return new Access(view, from.getLong(), from.getLong());
  }

  static void putPattern(Pattern pattern, Encoder to) {
    int at = to.size();
    to.putInt(1);
    if (pattern instanceof Run run) { // most are, and need no table
      to.putByte(RUN).putLong(run.length());
      return;
    }
    Map<Pattern, Integer> numbers = new IdentityHashMap<>();
    putNode(pattern, numbers, to);
    to.setInt(at, numbers.size());
  }

  /** Writes a node and all below it that were not written yet; no deeper than patterns nest. */
  private static int putNode(Pattern node, Map<Pattern, Integer> numbers, Encoder to) {
    Integer known = numbers.get(node);
    if (known != null) {
      return known;
    }
    switch (node) {
      case Run run -> to.putByte(RUN).putLong(run.length());
      case Loop loop -> {
        int body = putNode(loop.body(), numbers, to);
        to.putByte(LOOP).putLong(loop.count()).putLong(loop.stride()).putInt(body);
      }
      case Sequence sequence -> {
        List<Placed> children = sequence.children();
        int[] child = new int[children.size()];
        for (int i = 0; i < child.length; i++) {
          child[i] = putNode(children.get(i).pattern(), numbers, to);
        }
        to.putByte(SEQUENCE).putInt(child.length);
        for (int i = 0; i < child.length; i++) {
          to.putLong(children.get(i).displacement()).putInt(child[i]);
        }
      }
      case Indexed list -> {
        to.putByte(INDEXED).putInt(list.entries());
        for (int i = 0; i < list.entries(); i++) {
          to.putLong(list.offset(i)).putLong(list.length(i));
        }
      }
    }
    int number = numbers.size();
    numbers.put(node, number);
    return number;
  }

  static Pattern getPattern(Decoder from) throws MillraceException {
    int count = from.getCount(MIN_NODE_BYTES);
    if (count == 0) {
      throw from.wrong("a pattern of no nodes");
    }
    List<Pattern> nodes = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      nodes.add(getNode(from, nodes));
    }
    return nodes.getLast();
  }

  private static Pattern getNode(Decoder from, List<Pattern> nodes) throws MillraceException {
    int kind = from.getByte();
    return switch (kind) {
      case RUN -> Pattern.run(from.getLong());
      case LOOP -> Pattern.loop(from.getLong(), from.getLong(), earlier(from, nodes));
      case SEQUENCE -> getSequence(from, nodes);
      case INDEXED -> getIndexed(from);
      default -> throw from.wrong("a pattern's node of kind " + kind);
    };
  }

  private static Pattern getSequence(Decoder from, List<Pattern> nodes) throws MillraceException {
    int count = from.getCount(CHILD_BYTES);
    List<Placed> children = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      children.add(new Placed(from.getLong(), earlier(from, nodes)));
    }
    return Pattern.sequence(children);
  }

  private static Pattern getIndexed(Decoder from) throws MillraceException {
    int count = from.getCount(ENTRY_BYTES);
    long[] offsets = new long[count];
    long[] lengths = new long[count];
    for (int i = 0; i < count; i++) {
      offsets[i] = from.getLong();
      lengths[i] = from.getLong();
    }
    return Pattern.indexed(offsets, lengths);
  }

  private static Pattern earlier(Decoder from, List<Pattern> nodes) throws MillraceException {
    int number = from.getInt();
    if (number < 0 || number >= nodes.size()) {
      throw from.wrong(
          "node " + number + " of a pattern, of which " + nodes.size() + " have arrived");
    }
    return nodes.get(number);
  }
}
