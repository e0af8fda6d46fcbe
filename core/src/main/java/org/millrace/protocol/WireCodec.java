package org.millrace.protocol;

import org.jspecify.annotations.Nullable;
import org.millrace.access.Access;
import org.millrace.error.MillraceException;
import org.millrace.layout.Layout;
import org.millrace.message.Codec;
import org.millrace.message.Decoder;
import org.millrace.message.Encoder;
import org.millrace.message.Message;
import org.millrace.message.PayloadLayout;
import org.millrace.message.PayloadLayout.Direction;

/**
 * Encodes the protocol's messages: the number of their kind, then their fields in the order of
 * their declaration. {@code docs/protocol.md} has the grammar.
 *
 * <p>What is read back equals what was written.
 *
 * <p>Immutable; safe for use by several threads.
 */
public final class WireCodec implements Codec {

  /** The only one: it has no state. */
  public static final WireCodec INSTANCE = new WireCodec();

  /** Requests to a node that move no more than this need no thread of their own. */
  static final long SMALL_BYTES = 64 << 10;

  private WireCodec() {}

  @Override
  public void encode(Message message, Encoder to) {
    Kind kind = Kind.of(message);
    kind.codec().put((Record) message, to.putByte(kind.number()));
  }

  @Override
  public Message decode(Decoder from) throws MillraceException {
    return decode(kind(from), from);
  }

  @Override
  public Message decodeRequest(Decoder from) throws MillraceException {
    Kind kind = kind(from);
    if (!kind.isRequest()) {
      throw from.wrong(kind + " is not a request");
    }
    return decode(kind, from);
  }

  private static Kind kind(Decoder from) throws MillraceException {
    int number = from.getByte();
    Kind kind = Kind.of(number);
    if (kind == null) {
      throw from.wrong("a message of the unknown kind " + number);
    }
    return kind;
  }

  private static Message decode(Kind kind, Decoder from) throws MillraceException {
    Message message;
    try {
      message = (Message) kind.codec().get(from);
    } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
      // A value that its own type refuses.
      MillraceException wrong = from.wrong(kind + " with a field out of bounds: " + e.getMessage());
      wrong.initCause(e);
      throw wrong;
    }
    from.end();
    return message;
  }

  @Override
  public PayloadLayout payloadLayout(Message request) {
    return switch (request) {
      case NodeRequest.Gather it ->
          onStrand(Direction.TO_SENDER, it.strand(), it.layout(), it.access());
      case NodeRequest.Scatter it -> {
        PayloadLayout payloadLayout =
            onStrand(Direction.TO_RECEIVER, it.strand(), it.layout(), it.access());
        // bytes that are written twice must end as the later position has them
        yield it.access().view().isDisjoint() ? payloadLayout : payloadLayout.inOrder();
      }
      case NodeRequest.Direct it ->
          onStrand(
              it.write() ? Direction.TO_RECEIVER : Direction.TO_SENDER,
              it.strand(),
              it.layout(),
              it.access());
      case NodeRequest.CopyWrite it -> PayloadLayout.whole(Direction.TO_RECEIVER, it.bytes());
      case NodeRequest.CopyMend it -> PayloadLayout.whole(Direction.TO_RECEIVER, it.bytes());
      case NodeRequest.CopyRead it -> PayloadLayout.whole(Direction.TO_SENDER, it.bytes());
      case RankRequest.Deliver it ->
          it.isWhole()
              ? PayloadLayout.whole(Direction.TO_RECEIVER, it.bytes())
              : PayloadLayout.NOTHING;
      case RankRequest.Place it -> PayloadLayout.whole(Direction.TO_RECEIVER, it.piece().bytes());
      case RankRequest.Fetch it -> PayloadLayout.whole(Direction.TO_SENDER, it.piece().bytes());
      default -> PayloadLayout.NOTHING;
    };
  }

  private static PayloadLayout onStrand(
      Direction direction, StrandId strand, Layout layout, Access access) {
    return layout.strands() == 1
        ? PayloadLayout.whole(direction, access.size())
        : PayloadLayout.some(
            direction, access.size(), () -> Selections.onStrand(layout, strand.strand(), access));
  }

  @Override
  public @Nullable Message part(Message request, long from, long to) {
    return switch (request) {
      case NodeRequest.Gather it ->
          new NodeRequest.Gather(it.strand(), it.layout(), it.access().part(from, to));
      case NodeRequest.Scatter it ->
          new NodeRequest.Scatter(
              it.strand(), it.layout(), it.access().part(from, to), it.toFlush());
      case RankRequest.Place it ->
          new RankRequest.Place(it.collective(), it.piece().part(from, to));
      case RankRequest.Fetch it ->
          new RankRequest.Fetch(it.collective(), it.piece().part(from, to));
      default -> null;
    };
  }

  @Override
  public boolean isRepeatable(Message request) {
    return Kind.of(request).repeat() == Kind.Repeat.AGAIN;
  }

  @Override
  public boolean isQuick(Message request) {
    return switch (Kind.of(request).speed()) {
      case QUICK -> true;
      case SLOW -> false;
      case SMALL -> wantedBytes(request) <= SMALL_BYTES;
    };
  }

  /** Strands with copies wait for other nodes, whose answers the same thread may bring. */
  private static long wantedBytes(Message request) {
    return switch (request) {
      case NodeRequest.OfStrand it when it.strand().hasCopies() -> Long.MAX_VALUE;
      case NodeRequest.Gather it -> it.access().size();
      case NodeRequest.Scatter it -> it.access().size();
      default -> Long.MAX_VALUE;
    };
  }
}
