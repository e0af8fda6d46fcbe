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
        putPiece(it.piece(), to);
      }
      case RankRequest.Fetch it -> {
        ValueCodec.putCollective(it.collective(), to);
        putPiece(it.piece(), to);
      }
      case RankRequest.Want it -> {
        ValueCodec.putCollective(it.collective(), to);
        PatternCodec.putAccess(it.access(), to.putInt(it.rank()));
      }
      case RankRequest.Come it -> {
        ValueCodec.putCollective(it.meeting(), to);
        BroughtCodec.put(it.brought(), to);
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
      case RANK_PLACE -> new RankRequest.Place(ValueCodec.getCollective(from), getPiece(from));
      case RANK_FETCH -> new RankRequest.Fetch(ValueCodec.getCollective(from), getPiece(from));
      case RANK_WANT ->
          new RankRequest.Want(
              ValueCodec.getCollective(from), from.getInt(), PatternCodec.getAccess(from));
      case RANK_COME ->
          new RankRequest.Come(ValueCodec.getCollective(from), BroughtCodec.get(from));
      case RANK_TAKEN -> new RankRequest.Taken();
      default -> throw new IllegalStateException("nothing that ranks say: " + kind);
    };
  }

  private static void putPiece(RankRequest.Piece piece, Encoder to) {
    to.putLong(piece.position()).putLong(piece.bytes());
  }

  private static RankRequest.Piece getPiece(Decoder from) throws MillraceException {
    return new RankRequest.Piece(from.getLong(), from.getLong());
  }
}
