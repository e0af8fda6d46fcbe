package org.millrace.protocol;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.millrace.error.MillraceException;
import org.millrace.message.Decoder;
import org.millrace.message.Encoder;
import org.millrace.protocol.CoordinatorRequest.Meet;

/**
 * A rank's request to a meeting, as it is stored on a board: the part that must be equal on all
 * ranks, byte for byte, and the rank's own part. Stateless.
 */
public final class BoardEntry {

  private static final FieldCodec<Record> EFFECT = FieldCodec.oneOf(Effect.class);

  private BoardEntry() {}

  /** Whether a meeting changes nothing at the coordinator, and all is well on this rank's side. */
  public static boolean mayBePosted(Meet meet) {
    return meet.failure().code() == null
        && (meet.effect() instanceof Effect.None || meet.effect() instanceof Effect.Exchange);
  }

  /** What all ranks must say alike. */
  public static byte[] agreed(Meet meet) {
    Encoder to = new Encoder();
    to.putLong(meet.group()).putLong(meet.channel()).putLong(meet.sequence());
    to.putBoolean(meet.effect() instanceof Effect.Exchange);
    to.putLong(meet.argument()).putText(meet.call()).putText(meet.detail());
    return bytes(to);
  }

  /** What a rank says for itself. */
  public static byte[] contribution(Meet meet) {
    Encoder to = new Encoder().putLong(meet.value());
    if (meet.effect() instanceof Effect.Exchange) {
      EFFECT.put((Record) meet.effect(), to);
    }
    return bytes(to);
  }

  private static byte[] bytes(Encoder from) {
    byte[] bytes = new byte[from.size()];
    from.written().get(bytes);
    return bytes;
  }

  /** The answer to a meeting without effect, from what each rank said. */
  public static CoordinatorReply.Met met(List<byte[]> contribution) throws MillraceException {
    Long[] values = new Long[contribution.size()];
    for (int i = 0; i < values.length; i++) {
      values[i] = new Decoder(ByteBuffer.wrap(contribution.get(i))).getLong();
    }
    return new CoordinatorReply.Met(0, 0, List.of(values));
  }

  /** What each rank of an exchange said. */
  public static List<Effect.Exchange> exchanged(List<byte[]> contribution)
      throws MillraceException {
    List<Effect.Exchange> all = new ArrayList<>(contribution.size());
    for (byte[] one : contribution) {
      Decoder from = new Decoder(ByteBuffer.wrap(one));
      from.getLong();
      if (!(EFFECT.get(from) instanceof Effect.Exchange exchange)) {
        throw from.wrong("another effect");
      }
      from.end();
      all.add(exchange);
    }
    return all;
  }
}
