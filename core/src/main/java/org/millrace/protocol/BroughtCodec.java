package org.millrace.protocol;

import org.millrace.error.MillraceException;
import org.millrace.message.Decoder;
import org.millrace.message.Encoder;

/** What several ranks bring to a meeting, as bytes. Holds no state. */
final class BroughtCodec {

  private BroughtCodec() {}

  static void put(Brought it, Encoder to) {
    to.putInt(it.first()).putText(it.call()).putLong(it.argument()).putText(it.detail());
    RankValues.putLongs(it.values(), to);
    EffectCodec.put(it.effect(), to);
    RankValues.putAccesses(it.accesses(), to);
    EffectCodec.putTrouble(it.trouble(), to);
    to.putInt(it.troubled());
  }

  static Brought get(Decoder from) throws MillraceException {
    return new Brought(
        from.getInt(),
        from.getText(),
        from.getLong(),
        from.getText(),
        RankValues.getLongs(from),
        EffectCodec.get(from),
        RankValues.getAccesses(from),
        EffectCodec.getTrouble(from),
        from.getInt());
  }
}
