package org.millrace.protocol;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.millrace.access.Digest;
import org.millrace.access.Geometry;
import org.millrace.access.Order;
import org.millrace.access.Shape;
import org.millrace.error.MillraceException;
import org.millrace.layout.Layout;
import org.millrace.layout.NodeRuns;
import org.millrace.message.Decoder;
import org.millrace.message.Encoder;

/** What several messages have in common: names, layouts, capabilities. Holds no state. */
final class ValueCodec {

  static final int STRAND_BYTES = Long.BYTES + Integer.BYTES;
  static final int LEAST_ENTRY_BYTES = 2 * Long.BYTES + 4 * Integer.BYTES + 2;
  static final int LEAST_FACT_BYTES = 3 * Integer.BYTES + 1;

  private ValueCodec() {}

  static void putStrand(StrandId strand, Encoder to) {
    to.putLong(strand.file()).putInt(strand.strand());
  }

  static StrandId getStrand(Decoder from) throws MillraceException {
    return new StrandId(from.getLong(), from.getInt());
  }

  static void putCollective(CollectiveId id, Encoder to) {
    to.putLong(id.group()).putLong(id.channel()).putLong(id.sequence()).putLong(id.round());
  }

  static CollectiveId getCollective(Decoder from) throws MillraceException {
    return new CollectiveId(from.getLong(), from.getLong(), from.getLong(), from.getLong());
  }

  static void putArray(Optional<Geometry> array, Encoder to) {
    to.putBoolean(array.isPresent());
    if (array.isPresent()) {
      Shape shape = array.get().shape();
      to.putBoolean(shape.order() == Order.COLUMN_MAJOR).putInt(shape.dimensions());
      shape.dims().forEach(to::putLong);
      to.putInt(array.get().elementBytes()).putLong(array.get().start());
    }
  }

  static Optional<Geometry> getArray(Decoder from) throws MillraceException {
    if (!from.getBoolean()) {
      return Optional.empty();
    }
    Order order = from.getBoolean() ? Order.COLUMN_MAJOR : Order.ROW_MAJOR;
    List<Long> dims = new ArrayList<>();
    for (int left = from.getCount(Long.BYTES); left > 0; left--) {
      dims.add(from.getLong());
    }
    return Optional.of(new Geometry(new Shape(dims, order), from.getInt(), from.getLong()));
  }

  static void putDigest(Digest digest, Encoder to) {
    to.putInt(digest.ranks()).putLong(digest.bytes());
    to.putLong(digest.start()).putLong(digest.end());
    to.putBoolean(digest.ascending()).putBoolean(digest.overlapping());
    RankValues.putAccesses(digest.sample(), to);
  }

  static Digest getDigest(Decoder from) throws MillraceException {
    return new Digest(
        from.getInt(),
        from.getLong(),
        from.getLong(),
        from.getLong(),
        from.getBoolean(),
        from.getBoolean(),
        RankValues.getAccesses(from));
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

  static final int REVOCATION_BYTES = 2 * Long.BYTES;

  static void putRevocation(Revocation it, Encoder to) {
    to.putLong(it.open()).putLong(it.untilMillis());
  }

  static Revocation getRevocation(Decoder from) throws MillraceException {
    return new Revocation(from.getLong(), from.getLong());
  }

  static final int FENCE_BYTES = 3 * Long.BYTES;

  static void putFence(Fence it, Encoder to) {
    to.putLong(it.number()).putLong(it.session()).putLong(it.untilMillis());
  }

  static Fence getFence(Decoder from) throws MillraceException {
    return new Fence(from.getLong(), from.getLong(), from.getLong());
  }

  static void putHolder(Holder it, Encoder to) {
    to.putLong(it.life()).putLong(it.session());
  }

  static Holder getHolder(Decoder from) throws MillraceException {
    return new Holder(from.getLong(), from.getLong());
  }

  static void putCapability(Capability it, Encoder to) {
    to.putLong(it.file()).putLong(it.open());
    to.putBoolean(it.read()).putBoolean(it.write()).putText(it.user());
    to.putLong(it.expiresMillis()).putText(it.seal());
  }

  static Capability getCapability(Decoder from) throws MillraceException {
    return new Capability(
        from.getLong(),
        from.getLong(),
        from.getBoolean(),
        from.getBoolean(),
        from.getText(),
        from.getLong(),
        from.getText());
  }

  static void putEntry(FileEntry entry, Encoder to) {
    to.putText(entry.path()).putLong(entry.id());
    Fields.putOptional(entry.layout(), to, ValueCodec::putLayout);
    to.putText(entry.owner()).putText(entry.group()).putInt(entry.permissions());
    to.putLong(entry.createdMillis()).putBoolean(entry.confirmed());
  }

  static FileEntry getEntry(Decoder from) throws MillraceException {
    return new FileEntry(
        from.getText(),
        from.getLong(),
        Fields.getOptional(from, ValueCodec::getLayout),
        from.getText(),
        from.getText(),
        from.getInt(),
        from.getLong(),
        from.getBoolean());
  }

  static void putFact(NodeFact fact, Encoder to) {
    to.putInt(fact.number()).putText(fact.address());
    to.putBoolean(fact.up()).putText(fact.state());
  }

  static NodeFact getFact(Decoder from) throws MillraceException {
    return new NodeFact(from.getInt(), from.getText(), from.getBoolean(), from.getText());
  }
}
