package org.millrace.protocol;

import org.millrace.error.MillraceException;
import org.millrace.message.Decoder;
import org.millrace.message.Encoder;
import org.millrace.message.Message;

/** What ranks say to each other as bytes, behind its kind. Holds no state. */
final class RankCodec {

  private RankCodec() {}

  static void put(RankRequest request, Encoder to) {
    switch (request) {
      case RankRequest.Deliver it -> {
        to.putLong(it.group()).putInt(it.from()).putLong(it.tag());
        to.putLong(it.letter()).putLong(it.bytes());
        to.putInt(it.participant()).putBoolean(it.isWhole());
      }
      case RankRequest.Refuse it -> {
        to.putLong(it.group()).putInt(it.from()).putLong(it.tag());
        EffectCodec.putTrouble(it.trouble(), to);
      }
      case RankRequest.Withdraw it -> to.putLong(it.group()).putInt(it.from()).putLong(it.letter());
      case RankRequest.Place it -> {
        ValueCodec.putCollective(it.collective(), to);
        PatternCodec.putAccess(it.access(), to.putLong(it.from()).putLong(it.bytes()));
      }
      case RankRequest.Fetch it -> {
        ValueCodec.putCollective(it.collective(), to);
        PatternCodec.putAccess(it.access(), to.putLong(it.from()).putLong(it.bytes()));
      }
      case RankRequest.FetchPacked it -> {
        ValueCodec.putCollective(it.collective(), to);
        to.putLong(it.position()).putLong(it.bytes());
      }
    }
  }

  static Message get(Kind kind, Decoder from) throws MillraceException {
    return switch (kind) {
      case RANK_DELIVER ->
          new RankRequest.Deliver(
              from.getLong(),
              from.getInt(),
              from.getLong(),
              from.getLong(),
              from.getLong(),
              from.getInt(),
              from.getBoolean());
      case RANK_REFUSE ->
          new RankRequest.Refuse(
              from.getLong(), from.getInt(), from.getLong(), EffectCodec.getTrouble(from));
      case RANK_WITHDRAW -> new RankRequest.Withdraw(from.getLong(), from.getInt(), from.getLong());
      case RANK_PLACE ->
          new RankRequest.Place(
              ValueCodec.getCollective(from),
              from.getLong(),
              from.getLong(),
              PatternCodec.getAccess(from));
      case RANK_FETCH ->
          new RankRequest.Fetch(
              ValueCodec.getCollective(from),
              from.getLong(),
              from.getLong(),
              PatternCodec.getAccess(from));
      case RANK_FETCH_PACKED ->
          new RankRequest.FetchPacked(
              ValueCodec.getCollective(from), from.getLong(), from.getLong());
      case RANK_TAKEN -> new RankRequest.Taken();
      default -> throw new IllegalStateException("nothing that ranks say: " + kind);
    };
  }
}
