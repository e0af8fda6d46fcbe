package org.millrace.protocol;

import org.jspecify.annotations.Nullable;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.message.Decoder;
import org.millrace.message.Encoder;

/** What a meeting does, and how a rank's part in it ended, as bytes. Holds no state. */
final class EffectCodec {

  private static final int NONE = 0;
  private static final int TAKE = 1;
  private static final int SET = 2;
  private static final int OPEN = 3;
  private static final int CLOSE = 4;
  private static final int SPLIT = 5;
  private static final int EXCHANGE = 6;

  /** Stands for no error; codes have numbers from 1 on. */
  private static final int NO_ERROR = 0;

  private EffectCodec() {}

  static void put(Effect effect, Encoder to) {
    switch (effect) {
      case Effect.None _ -> to.putByte(NONE);
      case Effect.Take it -> {
        to.putByte(TAKE).putLong(it.pointer()).putBoolean(it.once());
        to.putLong(it.floor()).putLong(it.limit());
      }
      case Effect.Set it -> to.putByte(SET).putLong(it.pointer()).putLong(it.value());
      case Effect.Open it -> {
        to.putByte(OPEN).putText(it.path());
        putFlags(it.flags(), to);
      }
      case Effect.Close it -> to.putByte(CLOSE).putLong(it.open());
      case Effect.Split it -> to.putByte(SPLIT).putInt(it.color()).putInt(it.key());
      case Effect.Exchange it -> {
        PatternCodec.putAccess(it.access(), to.putByte(EXCHANGE));
        to.putBoolean(it.reachable()).putBoolean(it.remote()).putBoolean(it.mapped());
        to.putLong(it.size());
        ValueCodec.putArray(it.array(), to);
      }
    }
  }

  static Effect get(Decoder from) throws MillraceException {
    int kind = from.getByte();
    return switch (kind) {
      case NONE -> new Effect.None();
      case TAKE ->
          new Effect.Take(from.getLong(), from.getBoolean(), from.getLong(), from.getLong());
      case SET -> new Effect.Set(from.getLong(), from.getLong());
      case OPEN -> new Effect.Open(from.getText(), getFlags(from));
      case CLOSE -> new Effect.Close(from.getLong());
      case SPLIT -> new Effect.Split(from.getInt(), from.getInt());
      case EXCHANGE ->
          new Effect.Exchange(
              PatternCodec.getAccess(from),
              from.getBoolean(),
              from.getBoolean(),
              from.getBoolean(),
              from.getLong(),
              ValueCodec.getArray(from));
      default -> throw from.wrong("an effect of kind " + kind);
    };
  }

  private static void putFlags(OpenFlags flags, Encoder to) {
    to.putBoolean(flags.read()).putBoolean(flags.write()).putBoolean(flags.create());
    to.putBoolean(flags.exclusive()).putBoolean(flags.truncate()).putBoolean(flags.append());
    to.putBoolean(flags.deleteOnClose()).putInt(flags.permissions());
    to.putLong(flags.stripeUnitBytes()).putInt(flags.strands()).putInt(flags.firstNode());
    to.putInt(flags.blockBytes());
  }

  private static OpenFlags getFlags(Decoder from) throws MillraceException {
    return new OpenFlags(
        from.getBoolean(),
        from.getBoolean(),
        from.getBoolean(),
        from.getBoolean(),
        from.getBoolean(),
        from.getBoolean(),
        from.getBoolean(),
        from.getInt(),
        from.getLong(),
        from.getInt(),
        from.getInt(),
        from.getInt());
  }

  static void putTrouble(Trouble trouble, Encoder to) {
    ErrorCode code = trouble.code();
    to.putInt(code == null ? NO_ERROR : code.number()).putText(trouble.message());
  }

  static Trouble getTrouble(Decoder from) throws MillraceException {
    int number = from.getInt();
    @Nullable ErrorCode code = number == NO_ERROR ? null : ErrorCode.of(number);
    return new Trouble(code, from.getText());
  }
}
