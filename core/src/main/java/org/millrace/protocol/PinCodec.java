package org.millrace.protocol;

import org.millrace.error.MillraceException;
import org.millrace.message.Decoder;
import org.millrace.message.Encoder;
import org.millrace.protocol.PinnedBlocks.BlockPlace;
import org.millrace.protocol.PinnedBlocks.ReturnedPin;
import org.millrace.protocol.PinnedBlocks.WantedBlocks;

/** Requests to pin blocks and their answers as bytes, behind their kind. Holds no state. */
final class PinCodec {

  private static final int WANTED_BYTES = Long.BYTES + Integer.BYTES + 1;
  private static final int RETURNED_BYTES = Long.BYTES + 1 + Long.BYTES;
  private static final int PLACE_BYTES = 2 * Integer.BYTES + Long.BYTES + Integer.BYTES;

  private PinCodec() {}

  static void put(NodeRequest.Pin it, Encoder to) {
    ValueCodec.putStrand(it.strand(), to);
    to.putInt(it.blockBytes()).putBoolean(it.write()).putText(it.process());
    Fields.putList(
        it.wanted(),
        to,
        (one, into) -> into.putLong(one.first()).putInt(one.count()).putBoolean(one.whole()));
    Fields.putList(
        it.returned(),
        to,
        (one, into) -> into.putLong(one.pin()).putBoolean(one.written()).putLong(one.end()));
  }

  static NodeRequest.Pin get(Decoder from) throws MillraceException {
    return new NodeRequest.Pin(
        ValueCodec.getStrand(from),
        from.getInt(),
        from.getBoolean(),
        from.getText(),
        Fields.getList(
            from,
            WANTED_BYTES,
            each -> new WantedBlocks(each.getLong(), each.getInt(), each.getBoolean())),
        Fields.getList(
            from,
            RETURNED_BYTES,
            each -> new ReturnedPin(each.getLong(), each.getBoolean(), each.getLong())));
  }

  static void putReply(NodeReply.Pinned it, Encoder to) {
    to.putLong(it.pin()).putLong(it.end());
    Fields.putList(
        it.places(),
        to,
        (one, into) ->
            into.putInt(one.slab())
                .putInt(one.generation())
                .putLong(one.offset())
                .putInt(one.count()));
    Fields.putList(it.refused(), to, Fields::putLong);
  }

  static NodeReply.Pinned getReply(Decoder from) throws MillraceException {
    return new NodeReply.Pinned(
        from.getLong(),
        from.getLong(),
        Fields.getList(
            from,
            PLACE_BYTES,
            each -> new BlockPlace(each.getInt(), each.getInt(), each.getLong(), each.getInt())),
        Fields.getList(from, Long.BYTES, Decoder::getLong));
  }
}
