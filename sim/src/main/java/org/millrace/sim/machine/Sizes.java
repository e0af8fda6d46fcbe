package org.millrace.sim.machine;

import org.jspecify.annotations.Nullable;
import org.millrace.message.Encoder;
import org.millrace.message.Message;
import org.millrace.protocol.WireCodec;

/**
 * How many bytes messages take on the wire. What was asked for last is remembered: answers of a
 * meeting are one message for thousands of ranks.
 *
 * <p>For threads of one seeded environment, which run one at a time.
 */
final class Sizes {

  // owned by whichever thread runs
  private @Nullable Message last;
  private long lastBytes;

  @SuppressWarnings("ReferenceEquality") // comparing them would take as long as encoding them
  long of(Message message) {
    if (message != last) {
      Encoder body = new Encoder();
      WireCodec.INSTANCE.encode(message, body);
      last = message;
      lastBytes = body.size();
    }
    return lastBytes;
  }
}
