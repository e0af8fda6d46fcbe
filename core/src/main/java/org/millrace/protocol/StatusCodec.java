package org.millrace.protocol;

import org.millrace.error.MillraceException;
import org.millrace.message.Decoder;
import org.millrace.message.Encoder;

/** What a coordinator is doing, as bytes. Holds no state. */
final class StatusCodec {

  static final int LEAST_WAIT_BYTES = 2 * Long.BYTES + 3 * Integer.BYTES;
  private static final int LEAST_GROUP_BYTES = Long.BYTES + 4 * Integer.BYTES;
  private static final int LEAST_MEMBER_BYTES = 3 * Integer.BYTES;
  private static final int LEAST_OPEN_BYTES = 4 * Long.BYTES + 2 * Integer.BYTES;
  private static final int LEAST_LOCK_BYTES = Long.BYTES + 2 * Integer.BYTES;

  private StatusCodec() {}

  static void put(Status status, Encoder to) {
    to.putLong(status.upMillis()).putInt(status.sessions());
    Fields.putList(status.groups(), to, StatusCodec::putGroup);
    Fields.putList(status.opens(), to, StatusCodec::putOpen);
    Fields.putList(status.waits(), to, StatusCodec::putWait);
    Fields.putList(status.locks(), to, StatusCodec::putLock);
  }

  static Status get(Decoder from) throws MillraceException {
    return new Status(
        from.getLong(),
        from.getInt(),
        Fields.getList(from, LEAST_GROUP_BYTES, StatusCodec::getGroup),
        Fields.getList(from, LEAST_OPEN_BYTES, StatusCodec::getOpen),
        Fields.getList(from, LEAST_WAIT_BYTES, StatusCodec::getWait),
        Fields.getList(from, LEAST_LOCK_BYTES, StatusCodec::getLock));
  }

  static void putWait(CoordinatorReply.Wait wait, Encoder to) {
    to.putLong(wait.group()).putInt(wait.rank()).putText(wait.call()).putLong(wait.sinceNanos());
    Fields.putTexts(wait.waitsFor(), to);
  }

  static CoordinatorReply.Wait getWait(Decoder from) throws MillraceException {
    return new CoordinatorReply.Wait(
        from.getLong(), from.getInt(), from.getText(), from.getLong(), Fields.getTexts(from));
  }

  private static void putGroup(Status.OfGroup group, Encoder to) {
    to.putLong(group.group()).putInt(group.size()).putText(group.user()).putText(group.job());
    Fields.putList(group.members(), to, StatusCodec::putMember);
  }

  private static Status.OfGroup getGroup(Decoder from) throws MillraceException {
    return new Status.OfGroup(
        from.getLong(),
        from.getInt(),
        from.getText(),
        from.getText(),
        Fields.getList(from, LEAST_MEMBER_BYTES, StatusCodec::getMember));
  }

  private static void putMember(Status.OfMember member, Encoder to) {
    to.putInt(member.rank()).putText(member.inbox()).putText(member.left());
  }

  private static Status.OfMember getMember(Decoder from) throws MillraceException {
    return new Status.OfMember(from.getInt(), from.getText(), from.getText());
  }

  private static void putOpen(Status.OfOpen open, Encoder to) {
    to.putLong(open.open()).putLong(open.group()).putText(open.path()).putText(open.how());
    to.putLong(open.pointer()).putLong(open.endPointer());
  }

  private static Status.OfOpen getOpen(Decoder from) throws MillraceException {
    return new Status.OfOpen(
        from.getLong(),
        from.getLong(),
        from.getText(),
        from.getText(),
        from.getLong(),
        from.getLong());
  }

  private static void putLock(Status.OfLock lock, Encoder to) {
    to.putText(lock.name()).putText(lock.holder()).putLong(lock.sinceNanos());
  }

  private static Status.OfLock getLock(Decoder from) throws MillraceException {
    return new Status.OfLock(from.getText(), from.getText(), from.getLong());
  }
}
