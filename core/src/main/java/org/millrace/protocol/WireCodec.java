package org.millrace.protocol;

import org.millrace.access.Access;
import org.millrace.access.Places;
import org.millrace.error.MillraceException;
import org.millrace.layout.Layout;
import org.millrace.message.Cargo;
import org.millrace.message.Cargo.Direction;
import org.millrace.message.Codec;
import org.millrace.message.Decoder;
import org.millrace.message.Encoder;
import org.millrace.message.Message;

/**
 * The protocol's messages as bytes: the number of their kind, then their fields in the order of
 * their declaration. {@code docs/protocol.md} has the grammar.
 *
 * <p>What is read back equals what was written, but for the {@link Places} of requests to nodes:
 * they stay with the sender, and the receiver has {@link Places#packed} ones.
 *
 * <p>Immutable; safe for use by several threads.
 */
public final class WireCodec implements Codec {

  /** The only one: it has no state. */
  public static final WireCodec INSTANCE = new WireCodec();

  /** Given as the length of a payload: what the message itself says. */
  public static final long AS_THE_MESSAGE_SAYS = -1;

  /** Requests to a node that move no more than this need no thread of their own. */
  static final long SMALL_BYTES = 64 << 10;

  private WireCodec() {}

  @Override
  public void encode(Message message, Encoder to) {
    to.putByte(Kind.of(message).number());
    switch (message) {
      case CoordinatorRequest it -> CoordinatorCodec.put(it, to);
      case CoordinatorReply it -> ReplyCodec.put(it, to);
      case NodeRequest it -> NodeCodec.put(it, to);
      case NodeReply it -> NodeCodec.putReply(it, to);
      case RankRequest it -> RankCodec.put(it, to);
      default -> {} // Taken: the kind says it all
    }
  }

  @Override
  public Message decode(Decoder from) throws MillraceException {
    return decode(kind(from), from);
  }

  @Override
  public Message decodeRequest(Decoder from) throws MillraceException {
    Kind kind = kind(from);
    if (!kind.isRequest()) {
      throw from.wrong(kind + " is no request");
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
      message = read(kind, from);
    } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
      // A value that its own type refuses.
      MillraceException wrong = from.wrong(kind + " with a field out of bounds: " + e.getMessage());
      wrong.initCause(e);
      throw wrong;
    }
    from.end();
    return message;
  }

  private static Message read(Kind kind, Decoder from) throws MillraceException {
    Class<? extends Message> type = kind.type();
    if (CoordinatorRequest.class.isAssignableFrom(type)) {
      return CoordinatorCodec.get(kind, from);
    } else if (CoordinatorReply.class.isAssignableFrom(type)) {
      return ReplyCodec.get(kind, from);
    } else if (NodeRequest.class.isAssignableFrom(type)) {
      return NodeCodec.get(kind, from);
    } else if (NodeReply.class.isAssignableFrom(type)) {
      return NodeCodec.getReply(kind, from);
    }
    return RankCodec.get(kind, from);
  }

  /**
   * What travels. With {@link #AS_THE_MESSAGE_SAYS} for a length it is the receiver's: all is known
   * from the message, and {@link Cargo#memoryBytes} says how long its payload is. Whoever received
   * a message looks at that first: {@link Cargo#bytes} costs a walk through what is asked for.
   *
   * @throws IllegalArgumentException if the payload is not as long as the message says
   */
  @Override
  public Cargo cargo(Message request, long payloadBytes) {
    return switch (request) {
      case NodeRequest.Gather it ->
          onStrand(
              Direction.TO_SENDER,
              it.strand(),
              it.layout(),
              it.access(),
              it.places(),
              payloadBytes);
      case NodeRequest.Scatter it ->
          onStrand(
              Direction.TO_RECEIVER,
              it.strand(),
              it.layout(),
              it.access(),
              it.places(),
              payloadBytes);
      case NodeRequest.Direct it ->
          onStrand(
              it.write() ? Direction.TO_RECEIVER : Direction.TO_SENDER,
              it.strand(),
              it.layout(),
              it.access(),
              it.places(),
              payloadBytes);
      case RankRequest.Deliver it ->
          it.isWhole()
              ? Cargo.whole(Direction.TO_RECEIVER, checkBytes(it.bytes(), payloadBytes))
              : Cargo.NOTHING;
      case RankRequest.Place it -> piece(Direction.TO_RECEIVER, it.piece(), payloadBytes);
      case RankRequest.Fetch it -> piece(Direction.TO_SENDER, it.piece(), payloadBytes);
      default -> Cargo.NOTHING;
    };
  }

  private static Cargo piece(Direction direction, RankRequest.Piece piece, long payloadBytes) {
    checkBytes(piece.payloadBytes(), payloadBytes);
    return new PieceCargo(direction, piece);
  }

  private static Cargo onStrand(
      Direction direction,
      StrandId strand,
      Layout layout,
      Access access,
      Places places,
      long payloadBytes) {
    long memoryBytes = payloadBytes == AS_THE_MESSAGE_SAYS ? access.size() : payloadBytes;
    return new StrandCargo(direction, strand, layout, access, places, memoryBytes);
  }

  private static long checkBytes(long said, long payloadBytes) {
    if (payloadBytes != AS_THE_MESSAGE_SAYS && payloadBytes != said) {
      throw new IllegalArgumentException(
          "a payload of " + payloadBytes + " bytes, the message says " + said);
    }
    return said;
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

  private static long wantedBytes(Message request) {
    return switch (request) {
      case NodeRequest.Gather it -> it.access().size();
      case NodeRequest.Scatter it -> it.access().size();
      default -> Long.MAX_VALUE;
    };
  }
}
