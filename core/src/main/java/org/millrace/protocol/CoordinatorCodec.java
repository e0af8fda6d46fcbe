package org.millrace.protocol;

import org.millrace.error.MillraceException;
import org.millrace.message.Decoder;
import org.millrace.message.Encoder;

/** Requests to the coordinator as bytes, behind their kind. Holds no state. */
final class CoordinatorCodec {

  private CoordinatorCodec() {}

  static void put(CoordinatorRequest request, Encoder to) {
    switch (request) {
      case CoordinatorRequest.Form it -> to.putInt(it.size());
      case CoordinatorRequest.Join it -> to.putLong(it.group()).putInt(it.rank());
      case CoordinatorRequest.Leave it ->
          to.putLong(it.group()).putInt(it.rank()).putText(it.why());
      case CoordinatorRequest.Meet it -> putMeet(it, to);
      case CoordinatorRequest.MeetTogether it ->
          BroughtCodec.put(
              it.brought(), to.putLong(it.group()).putLong(it.channel()).putLong(it.sequence()));
      case CoordinatorRequest.Withdraw it ->
          to.putLong(it.group()).putInt(it.rank()).putLong(it.channel()).putLong(it.sequence());
      case CoordinatorRequest.Confirm it -> to.putLong(it.file());
      case CoordinatorRequest.Locate it -> to.putLong(it.file());
      case CoordinatorRequest.PointerSet it -> to.putLong(it.pointer()).putLong(it.value());
      case CoordinatorRequest.PointerAt it -> to.putLong(it.pointer());
      case CoordinatorRequest.Lock it -> {
        to.putLong(it.group()).putInt(it.rank()).putText(it.name());
        to.putLong(it.from()).putLong(it.to()).putBoolean(it.shared());
        to.putBoolean(it.alone()).putBoolean(it.brief());
      }
      case CoordinatorRequest.Declare it -> {
        to.putLong(it.group()).putInt(it.rank()).putLong(it.number()).putText(it.call());
        to.putInt(it.on()).putInt(it.others());
      }
      case CoordinatorRequest.Undeclare it ->
          to.putLong(it.group()).putInt(it.rank()).putLong(it.number());
      case CoordinatorRequest.ShareFlush it ->
          to.putLong(it.group()).putInt(it.rank()).putLong(it.open());
      case CoordinatorRequest.Flushed it -> {
        to.putLong(it.group()).putInt(it.rank()).putLong(it.open()).putLong(it.round());
        EffectCodec.putTrouble(it.trouble(), to);
      }
      case CoordinatorRequest.Unlock it -> to.putLong(it.lock());
      case CoordinatorRequest.CancelLock it -> {
        to.putLong(it.group()).putInt(it.rank()).putText(it.name());
        to.putLong(it.from()).putLong(it.to());
      }
      case CoordinatorRequest.MakeDirectory it -> to.putText(it.path()).putInt(it.permissions());
      case CoordinatorRequest.ListNames it -> to.putText(it.path());
      case CoordinatorRequest.Stat it -> to.putText(it.path());
      case CoordinatorRequest.Rename it ->
          to.putText(it.from()).putText(it.to()).putBoolean(it.replace());
      case CoordinatorRequest.Remove it -> to.putText(it.path());
      case CoordinatorRequest.SetPermissions it -> to.putText(it.path()).putInt(it.permissions());
      case CoordinatorRequest.AskMembers it -> to.putLong(it.group());
      case CoordinatorRequest.Assemble it -> {
        to.putText(it.job()).putInt(it.rank()).putInt(it.size());
        to.putText(it.inbox()).putLong(it.waitNanos());
      }
      case CoordinatorRequest.Regroup it ->
          to.putLong(it.group()).putInt(it.rank()).putLong(it.waitNanos());
      case CoordinatorRequest.Register it -> to.putInt(it.node()).putText(it.address());
      case CoordinatorRequest.Beat it -> {
        Fields.putList(it.removed(), to.putInt(it.node()), ValueCodec::putStrand);
        to.putLong(it.life()).putLong(it.fenced());
      }
      case CoordinatorRequest.Renew it -> to.putLong(it.group()).putLong(it.open());
      case CoordinatorRequest.Reset it -> Fields.putTexts(it.paths(), to);
      case CoordinatorRequest.SetGroup it -> to.putText(it.path()).putText(it.group());
      case CoordinatorRequest.AskWaits _,
          CoordinatorRequest.AskFiles _,
          CoordinatorRequest.AskCluster _,
          CoordinatorRequest.AskStatus _,
          CoordinatorRequest.Shutdown _ -> {} // the kind says it all
    }
  }

  static CoordinatorRequest get(Kind kind, Decoder from) throws MillraceException {
    return switch (kind) {
      case FORM -> new CoordinatorRequest.Form(from.getInt());
      case JOIN -> new CoordinatorRequest.Join(from.getLong(), from.getInt());
      case LEAVE -> new CoordinatorRequest.Leave(from.getLong(), from.getInt(), from.getText());
      case MEET -> getMeet(from);
      case MEET_TOGETHER ->
          new CoordinatorRequest.MeetTogether(
              from.getLong(), from.getLong(), from.getLong(), BroughtCodec.get(from));
      case WITHDRAW ->
          new CoordinatorRequest.Withdraw(
              from.getLong(), from.getInt(), from.getLong(), from.getLong());
      case CONFIRM -> new CoordinatorRequest.Confirm(from.getLong());
      case LOCATE -> new CoordinatorRequest.Locate(from.getLong());
      case POINTER_SET -> new CoordinatorRequest.PointerSet(from.getLong(), from.getLong());
      case POINTER_AT -> new CoordinatorRequest.PointerAt(from.getLong());
      case ASK_MEMBERS -> new CoordinatorRequest.AskMembers(from.getLong());
      case ASSEMBLE ->
          new CoordinatorRequest.Assemble(
              from.getText(), from.getInt(), from.getInt(), from.getText(), from.getLong());
      case REGROUP -> new CoordinatorRequest.Regroup(from.getLong(), from.getInt(), from.getLong());
      case DECLARE ->
          new CoordinatorRequest.Declare(
              from.getLong(),
              from.getInt(),
              from.getLong(),
              from.getText(),
              from.getInt(),
              from.getInt());
      case UNDECLARE ->
          new CoordinatorRequest.Undeclare(from.getLong(), from.getInt(), from.getLong());
      case SHARE_FLUSH ->
          new CoordinatorRequest.ShareFlush(from.getLong(), from.getInt(), from.getLong());
      case FLUSHED ->
          new CoordinatorRequest.Flushed(
              from.getLong(),
              from.getInt(),
              from.getLong(),
              from.getLong(),
              EffectCodec.getTrouble(from));
      case REGISTER -> new CoordinatorRequest.Register(from.getInt(), from.getText());
      case BEAT ->
          new CoordinatorRequest.Beat(
              from.getInt(),
              Fields.getList(from, ValueCodec.STRAND_BYTES, ValueCodec::getStrand),
              from.getLong(),
              from.getLong());
      case RENEW -> new CoordinatorRequest.Renew(from.getLong(), from.getLong());
      case RESET -> new CoordinatorRequest.Reset(Fields.getTexts(from));
      case ASK_WAITS -> new CoordinatorRequest.AskWaits();
      case ASK_FILES -> new CoordinatorRequest.AskFiles();
      case ASK_CLUSTER -> new CoordinatorRequest.AskCluster();
      case ASK_STATUS -> new CoordinatorRequest.AskStatus();
      case SHUTDOWN -> new CoordinatorRequest.Shutdown();
      default -> getOfName(kind, from);
    };
  }

  /** Requests about names: of locks, files and directories. */
  private static CoordinatorRequest getOfName(Kind kind, Decoder from) throws MillraceException {
    return switch (kind) {
      case LOCK ->
          new CoordinatorRequest.Lock(
              from.getLong(),
              from.getInt(),
              from.getText(),
              from.getLong(),
              from.getLong(),
              from.getBoolean(),
              from.getBoolean(),
              from.getBoolean());
      case UNLOCK -> new CoordinatorRequest.Unlock(from.getLong());
      case CANCEL_LOCK ->
          new CoordinatorRequest.CancelLock(
              from.getLong(), from.getInt(), from.getText(), from.getLong(), from.getLong());
      case MAKE_DIRECTORY -> new CoordinatorRequest.MakeDirectory(from.getText(), from.getInt());
      case LIST_NAMES -> new CoordinatorRequest.ListNames(from.getText());
      case STAT -> new CoordinatorRequest.Stat(from.getText());
      case RENAME ->
          new CoordinatorRequest.Rename(from.getText(), from.getText(), from.getBoolean());
      case REMOVE -> new CoordinatorRequest.Remove(from.getText());
      case SET_PERMISSIONS -> new CoordinatorRequest.SetPermissions(from.getText(), from.getInt());
      case SET_GROUP -> new CoordinatorRequest.SetGroup(from.getText(), from.getText());
      default -> throw new IllegalStateException("no request to the coordinator: " + kind);
    };
  }

  private static void putMeet(CoordinatorRequest.Meet it, Encoder to) {
    to.putLong(it.group()).putInt(it.rank()).putLong(it.channel()).putLong(it.sequence());
    to.putText(it.call()).putLong(it.argument()).putText(it.detail()).putLong(it.value());
    EffectCodec.put(it.effect(), to);
    EffectCodec.putTrouble(it.trouble(), to);
    to.putBoolean(it.alone());
  }

  private static CoordinatorRequest.Meet getMeet(Decoder from) throws MillraceException {
    return new CoordinatorRequest.Meet(
        from.getLong(),
        from.getInt(),
        from.getLong(),
        from.getLong(),
        from.getText(),
        from.getLong(),
        from.getText(),
        from.getLong(),
        EffectCodec.get(from),
        EffectCodec.getTrouble(from),
        from.getBoolean());
  }
}
