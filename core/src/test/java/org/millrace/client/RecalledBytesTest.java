package org.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.millrace.client.assembly.SessionFacts;
import org.millrace.files.ByteLock;
import org.millrace.files.FileKind;
import org.millrace.files.FilePath;
import org.millrace.files.FileStatus;
import org.millrace.files.NewFile;
import org.millrace.layout.Layout;
import org.millrace.message.Message;
import org.millrace.protocol.Capability;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.CoordinatorRequest.OfBytes;
import org.millrace.protocol.CoordinatorRequest.OfFile;
import org.millrace.protocol.Holder;
import org.millrace.protocol.OpenFlags;
import org.millrace.protocol.Recalled.HeldBytes;

/** Which locked bytes a session brings back to a restarted coordinator. */
final class RecalledBytesTest {

  private static final long OPEN = 5;
  private static final long OWNER = 3;
  private static final OpenFlags FLAGS =
      new OpenFlags(true, true, false, false, false, false, false, 0644, 0, 0);

  private final SessionFacts facts = new SessionFacts();

  RecalledBytesTest() {
    var opened =
        new CoordinatorReply.Opened(
            OPEN,
            7,
            Layout.striped(1024, 1),
            true,
            false,
            0,
            1,
            0,
            Capability.NONE,
            false,
            Holder.NONE,
            0);
    var status =
        new FileStatus(
            7, FileKind.FILE, 0644, "ann", "", 1, 0, new FileStatus.Times(0, 0, 0, 0), 0);
    facts.onReply(
        new OfFile.Open(FilePath.of("f"), FLAGS, NewFile.with(0644)),
        new CoordinatorReply.FileOpened(opened, status, false));
    facts.onReply(locking(0, 10, ByteLock.Kind.EXCLUSIVE), new CoordinatorReply.Value(1));
  }

  private static OfBytes.LockBytes locking(long from, long length, ByteLock.Kind kind) {
    return new OfBytes.LockBytes(OPEN, new ByteLock(OWNER, from, length, kind), 0);
  }

  private static HeldBytes held(long from, long length, ByteLock.Kind kind) {
    return new HeldBytes(OPEN, new ByteLock(OWNER, from, length, kind));
  }

  private List<HeldBytes> recalled(Message... unanswered) {
    return facts.recall(List.of(unanswered)).bytes();
  }

  @Test
  void whatIsLockedComesBack() {
    assertThat(recalled()).containsExactly(held(0, 10, ByteLock.Kind.EXCLUSIVE));
    assertThat(recalled(locking(20, 1, ByteLock.Kind.SHARED)))
        .as("not what was only asked for")
        .containsExactly(held(0, 10, ByteLock.Kind.EXCLUSIVE));
  }

  @Test
  void whatWasGivenBackUnheardDoesNotOthersMayHaveGotIt() {
    assertThat(recalled(new OfBytes.UnlockBytes(OPEN, OWNER))).isEmpty();
    assertThat(recalled(locking(2, 3, ByteLock.Kind.NONE)))
        .containsExactly(held(0, 2, ByteLock.Kind.EXCLUSIVE), held(5, 5, ByteLock.Kind.EXCLUSIVE));
    assertThat(recalled(new OfBytes.UnlockBytes(OPEN, OWNER + 1)))
        .as("another owner's")
        .containsExactly(held(0, 10, ByteLock.Kind.EXCLUSIVE));
  }

  @Test
  void whatWasSharedUnheardComesBackShared() {
    assertThat(recalled(locking(8, ByteLock.TO_THE_END, ByteLock.Kind.SHARED)))
        .containsExactly(held(0, 8, ByteLock.Kind.EXCLUSIVE), held(8, 2, ByteLock.Kind.SHARED));
    assertThat(recalled()).as("it is kept").containsExactly(held(0, 10, ByteLock.Kind.EXCLUSIVE));
  }
}
