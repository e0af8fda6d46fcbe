package org.millrace.protocol;

import org.millrace.error.MillraceException;
import org.millrace.message.Decoder;
import org.millrace.message.Encoder;

/** Answers of the coordinator as bytes, behind their kind. Holds no state. */
final class ReplyCodec {

  private ReplyCodec() {}

  static void put(CoordinatorReply reply, Encoder to) {
    switch (reply) {
      case CoordinatorReply.Done _ -> {}
      case CoordinatorReply.Value it -> to.putLong(it.value());
      case CoordinatorReply.Group it -> to.putLong(it.group()).putInt(it.size());
      case CoordinatorReply.Met it -> {
        to.putLong(it.base()).putLong(it.limit());
        RankValues.putLongs(it.values(), to);
      }
      case CoordinatorReply.Exchanged it -> {
        RankValues.putAccesses(it.accesses(), to);
        to.putBoolean(it.reachable()).putBoolean(it.remote()).putBoolean(it.mapped());
        to.putLong(it.size());
        ValueCodec.putArray(it.array(), to);
      }
      case CoordinatorReply.Digested it -> {
        ValueCodec.putDigest(it.digest(), to);
        to.putBoolean(it.reachable()).putBoolean(it.remote()).putBoolean(it.mapped());
        to.putLong(it.size());
        ValueCodec.putArray(it.array(), to);
      }
      case CoordinatorReply.Opened it -> putOpened(it, to);
      case CoordinatorReply.Split it -> to.putLong(it.group()).putInt(it.rank()).putInt(it.size());
      case CoordinatorReply.Names it -> Fields.putTexts(it.names(), to);
      case CoordinatorReply.About it -> ValueCodec.putEntry(it.entry(), to);
      case CoordinatorReply.Files it -> Fields.putList(it.files(), to, ValueCodec::putEntry);
      case CoordinatorReply.Members it ->
          Fields.putMap(it.gone(), to, Fields::putInt, Fields::putText);
      case CoordinatorReply.Waits it -> Fields.putList(it.waits(), to, StatusCodec::putWait);
      case CoordinatorReply.Assembled it -> Fields.putTexts(it.inboxes(), to.putLong(it.group()));
      case CoordinatorReply.Regrouped it ->
          Fields.putList(it.former(), to.putLong(it.group()).putInt(it.rank()), Fields::putInt);
      case CoordinatorReply.Removals it -> {
        Fields.putList(it.strands(), to, ValueCodec::putStrand);
        Fields.putList(it.revoked(), to, ValueCodec::putRevocation);
        Fields.putList(it.fences(), to.putLong(it.life()), ValueCodec::putFence);
      }
      case CoordinatorReply.Facts it -> {
        Fields.putList(it.nodes(), to.putText(it.cluster()), ValueCodec::putFact);
        Fields.putMap(it.settings(), to, Fields::putText, Fields::putText);
        to.putText(it.asker());
      }
      case CoordinatorReply.Granted it -> ValueCodec.putCapability(it.capability(), to);
      case CoordinatorReply.Doing it -> StatusCodec.put(it.status(), to);
      case CoordinatorReply.Share it -> to.putLong(it.round()).putInt(it.part()).putInt(it.parts());
      case CoordinatorReply.Locked it -> to.putLong(it.lock()).putBoolean(it.unfinished());
    }
  }

  static CoordinatorReply get(Kind kind, Decoder from) throws MillraceException {
    return switch (kind) {
      case DONE -> new CoordinatorReply.Done();
      case VALUE -> new CoordinatorReply.Value(from.getLong());
      case GROUP -> new CoordinatorReply.Group(from.getLong(), from.getInt());
      case MET ->
          new CoordinatorReply.Met(from.getLong(), from.getLong(), RankValues.getLongs(from));
      case EXCHANGED ->
          new CoordinatorReply.Exchanged(
              RankValues.getAccesses(from),
              from.getBoolean(),
              from.getBoolean(),
              from.getBoolean(),
              from.getLong(),
              ValueCodec.getArray(from));
      case DIGESTED ->
          new CoordinatorReply.Digested(
              ValueCodec.getDigest(from),
              from.getBoolean(),
              from.getBoolean(),
              from.getBoolean(),
              from.getLong(),
              ValueCodec.getArray(from));
      case OPENED -> getOpened(from);
      case SPLIT -> new CoordinatorReply.Split(from.getLong(), from.getInt(), from.getInt());
      case NAMES -> new CoordinatorReply.Names(Fields.getTexts(from));
      case ABOUT -> new CoordinatorReply.About(ValueCodec.getEntry(from));
      case FILES ->
          new CoordinatorReply.Files(
              Fields.getList(from, ValueCodec.LEAST_ENTRY_BYTES, ValueCodec::getEntry));
      case MEMBERS ->
          new CoordinatorReply.Members(
              Fields.getMap(
                  from, Integer.BYTES + Fields.TEXT_BYTES, Decoder::getInt, Decoder::getText));
      case WAITS ->
          new CoordinatorReply.Waits(
              Fields.getList(from, StatusCodec.LEAST_WAIT_BYTES, StatusCodec::getWait));
      case ASSEMBLED -> new CoordinatorReply.Assembled(from.getLong(), Fields.getTexts(from));
      case REGROUPED ->
          new CoordinatorReply.Regrouped(
              from.getLong(), from.getInt(), Fields.getList(from, Integer.BYTES, Decoder::getInt));
      case REMOVALS ->
          new CoordinatorReply.Removals(
              Fields.getList(from, ValueCodec.STRAND_BYTES, ValueCodec::getStrand),
              Fields.getList(from, ValueCodec.REVOCATION_BYTES, ValueCodec::getRevocation),
              from.getLong(),
              Fields.getList(from, ValueCodec.FENCE_BYTES, ValueCodec::getFence));
      case FACTS -> getFacts(from);
      case GRANTED -> new CoordinatorReply.Granted(ValueCodec.getCapability(from));
      case DOING -> new CoordinatorReply.Doing(StatusCodec.get(from));
      case SHARE -> new CoordinatorReply.Share(from.getLong(), from.getInt(), from.getInt());
      case LOCKED -> new CoordinatorReply.Locked(from.getLong(), from.getBoolean());
      default -> throw new IllegalStateException("no answer of the coordinator: " + kind);
    };
  }

  private static void putOpened(CoordinatorReply.Opened it, Encoder to) {
    to.putLong(it.open()).putLong(it.file());
    ValueCodec.putLayout(it.layout(), to);
    to.putBoolean(it.confirmed()).putBoolean(it.created());
    to.putLong(it.pointer()).putLong(it.endPointer());
    ValueCodec.putCapability(it.capability(), to);
    to.putBoolean(it.unfinished());
    ValueCodec.putHolder(it.holder(), to);
  }

  private static CoordinatorReply.Opened getOpened(Decoder from) throws MillraceException {
    return new CoordinatorReply.Opened(
        from.getLong(),
        from.getLong(),
        ValueCodec.getLayout(from),
        from.getBoolean(),
        from.getBoolean(),
        from.getLong(),
        from.getLong(),
        ValueCodec.getCapability(from),
        from.getBoolean(),
        ValueCodec.getHolder(from));
  }

  private static CoordinatorReply.Facts getFacts(Decoder from) throws MillraceException {
    return new CoordinatorReply.Facts(
        from.getText(),
        Fields.getList(from, ValueCodec.LEAST_FACT_BYTES, ValueCodec::getFact),
        Fields.getMap(from, 2 * Fields.TEXT_BYTES, Decoder::getText, Decoder::getText),
        from.getText());
  }
}
