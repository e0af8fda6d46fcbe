package org.millrace.protocol;

import org.millrace.access.Access;
import org.millrace.error.MillraceException;
import org.millrace.layout.Layout;
import org.millrace.message.Decoder;
import org.millrace.message.Encoder;

/** Requests to nodes and their answers as bytes, behind their kind. Holds no state. */
final class NodeCodec {

  private NodeCodec() {}

  static void put(NodeRequest request, Encoder to) {
    switch (request) {
      case NodeRequest.Create it -> {
        ValueCodec.putStrand(it.strand(), to);
        to.putInt(it.blockBytes());
      }
      case NodeRequest.Remove it -> ValueCodec.putStrand(it.strand(), to);
      case NodeRequest.Size it -> ValueCodec.putStrand(it.strand(), to);
      case NodeRequest.NextData it -> putEnd(it.strand(), it.offset(), to);
      case NodeRequest.Sum it -> {
        ValueCodec.putStrand(it.strand(), to);
        to.putLong(it.from()).putLong(it.to()).putLong(it.unit());
      }
      case NodeRequest.Resize it -> putEnd(it.strand(), it.end(), to);
      case NodeRequest.Extend it -> putEnd(it.strand(), it.end(), to);
      case NodeRequest.Preallocate it -> putEnd(it.strand(), it.end(), to);
      case NodeRequest.Flush it -> ValueCodec.putStrand(it.strand(), to);
      case NodeRequest.Preload it -> putEnd(it.strand(), it.offset(), to);
      case NodeRequest.Gather it -> putWanted(it.strand(), it.layout(), it.access(), to);
      case NodeRequest.Scatter it -> putWanted(it.strand(), it.layout(), it.access(), to);
      case NodeRequest.Pin it -> PinCodec.put(it, to);
      case NodeRequest.AskSlab it -> to.putInt(it.slab()).putInt(it.generation());
      case NodeRequest.Direct it -> {
        ValueCodec.putStrand(it.strand(), to);
        ValueCodec.putCollective(it.collective(), to);
        to.putBoolean(it.write()).putInt(it.rank()).putInt(it.ranks());
        to.putLong(it.strandBytes()).putInt(it.part()).putInt(it.parts()).putInt(it.depth());
        ValueCodec.putLayout(it.layout(), to);
        PatternCodec.putAccess(it.access(), to);
      }
      case NodeRequest.WithdrawDirect it -> {
        ValueCodec.putStrand(it.strand(), to);
        ValueCodec.putCollective(it.collective(), to);
      }
      case NodeRequest.SetCacheBytes it -> to.putLong(it.bytes());
      case NodeRequest.Present it -> {
        ValueCodec.putCapability(it.capability(), to);
        ValueCodec.putHolder(it.holder(), to);
      }
      case NodeRequest.AskReport _, NodeRequest.Shutdown _ -> {} // the kind says it all
    }
  }

  static NodeRequest get(Kind kind, Decoder from) throws MillraceException {
    return switch (kind) {
      case NODE_CREATE -> new NodeRequest.Create(ValueCodec.getStrand(from), from.getInt());
      case NODE_REMOVE -> new NodeRequest.Remove(ValueCodec.getStrand(from));
      case NODE_SIZE -> new NodeRequest.Size(ValueCodec.getStrand(from));
      case NODE_RESIZE -> new NodeRequest.Resize(ValueCodec.getStrand(from), from.getLong());
      case NODE_EXTEND -> new NodeRequest.Extend(ValueCodec.getStrand(from), from.getLong());
      case NODE_PREALLOCATE ->
          new NodeRequest.Preallocate(ValueCodec.getStrand(from), from.getLong());
      case NODE_FLUSH -> new NodeRequest.Flush(ValueCodec.getStrand(from));
      case NODE_PRELOAD -> new NodeRequest.Preload(ValueCodec.getStrand(from), from.getLong());
      case NODE_GATHER -> {
        StrandId strand = ValueCodec.getStrand(from);
        Layout layout = getLayout(strand, from);
        Access access = PatternCodec.getAccess(from);
        yield new NodeRequest.Gather(strand, layout, access);
      }
      case NODE_SCATTER -> {
        StrandId strand = ValueCodec.getStrand(from);
        Layout layout = getLayout(strand, from);
        Access access = PatternCodec.getAccess(from);
        yield new NodeRequest.Scatter(strand, layout, access);
      }
      case NODE_DIRECT -> getDirect(from);
      case NODE_PIN -> PinCodec.get(from);
      case NODE_ASK_SLAB -> new NodeRequest.AskSlab(from.getInt(), from.getInt());
      case NODE_WITHDRAW_DIRECT ->
          new NodeRequest.WithdrawDirect(
              ValueCodec.getStrand(from), ValueCodec.getCollective(from));
      case NODE_SET_CACHE_BYTES -> new NodeRequest.SetCacheBytes(from.getLong());
      case NODE_ASK_REPORT -> new NodeRequest.AskReport();
      case NODE_PRESENT ->
          new NodeRequest.Present(ValueCodec.getCapability(from), ValueCodec.getHolder(from));
      case NODE_NEXT_DATA -> new NodeRequest.NextData(ValueCodec.getStrand(from), from.getLong());
      case NODE_SUM ->
          new NodeRequest.Sum(
              ValueCodec.getStrand(from), from.getLong(), from.getLong(), from.getLong());
      case NODE_SHUTDOWN -> new NodeRequest.Shutdown();
      default -> throw new IllegalStateException("no request to a node: " + kind);
    };
  }

  private static void putEnd(StrandId strand, long end, Encoder to) {
    ValueCodec.putStrand(strand, to);
    to.putLong(end);
  }

  private static void putWanted(StrandId strand, Layout layout, Access access, Encoder to) {
    ValueCodec.putStrand(strand, to);
    ValueCodec.putLayout(layout, to);
    PatternCodec.putAccess(access, to);
  }

  private static NodeRequest.Direct getDirect(Decoder from) throws MillraceException {
    StrandId strand = ValueCodec.getStrand(from);
    CollectiveId collective = ValueCodec.getCollective(from);
    boolean write = from.getBoolean();
    int rank = from.getInt();
    int ranks = from.getInt();
    long strandBytes = from.getLong();
    int part = from.getInt();
    int parts = from.getInt();
    int depth = from.getInt();
    Layout layout = getLayout(strand, from);
    Access access = PatternCodec.getAccess(from);
    return new NodeRequest.Direct(
        strand, collective, write, rank, ranks, strandBytes, part, parts, depth, layout, access);
  }

  /** A layout that has the strand: whoever goes through the strand's bytes relies on that. */
  private static Layout getLayout(StrandId strand, Decoder from) throws MillraceException {
    Layout layout = ValueCodec.getLayout(from);
    if (strand.strand() >= layout.strands()) {
      throw from.wrong(strand + " in a layout of " + layout.strands() + " strands");
    }
    return layout;
  }

  static void putReply(NodeReply reply, Encoder to) {
    switch (reply) {
      case NodeReply.Done _ -> {}
      case NodeReply.Count it -> to.putLong(it.bytes());
      case NodeReply.Sums it -> Fields.putList(it.sums(), to, Fields::putInt);
      case NodeReply.Pinned it -> PinCodec.putReply(it, to);
      case NodeReply.SlabAt it -> to.putText(it.name()).putLong(it.bytes());
      case NodeReply.Report it ->
          Fields.putMap(it.counters(), to, Fields::putText, Fields::putLong);
    }
  }

  static NodeReply getReply(Kind kind, Decoder from) throws MillraceException {
    return switch (kind) {
      case NODE_DONE -> new NodeReply.Done();
      case NODE_COUNT -> new NodeReply.Count(from.getLong());
      case NODE_SUMS -> new NodeReply.Sums(Fields.getList(from, Integer.BYTES, Decoder::getInt));
      case NODE_PINNED -> PinCodec.getReply(from);
      case NODE_SLAB_AT -> new NodeReply.SlabAt(from.getText(), from.getLong());
      case NODE_REPORT ->
          new NodeReply.Report(
              Fields.getMap(
                  from, Fields.TEXT_BYTES + Long.BYTES, Decoder::getText, Decoder::getLong));
      default -> throw new IllegalStateException("no answer of a node: " + kind);
    };
  }
}
