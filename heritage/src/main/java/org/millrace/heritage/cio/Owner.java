package org.millrace.heritage.cio;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import org.millrace.client.Agreement;
import org.millrace.client.Agreement.Refused;
import org.millrace.client.Memory;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/**
 * Single mode: all participants come to each call, and one of them, the owner, does it. What it
 * reads it gives to all; what others would write is discarded. Their pointers stand together: each
 * learns where the owner's is.
 *
 * <p>Belongs to the rank's thread; holds no state.
 *
 * @param participants all of them
 * @param number the owner's
 */
record Owner(Rank participants, int number) {

  private boolean isHere() {
    return participants.number() == number;
  }

  long read(SharedFile file, MemorySegment into) throws IOException {
    Agreement call = Agreement.on("read", into.byteSize());
    meet(Memory.of(into).isFitForRead() ? call : unfit(call, "read into"));
    long before = file.position();
    long count = act(file, () -> file.read(into)) - before;
    participants.broadcast(number, into.asSlice(0, count));
    return count;
  }

  long write(SharedFile file, MemorySegment from) throws IOException {
    Agreement call = Agreement.on("write", from.byteSize());
    meet(Memory.of(from).isFitForWrite() ? call : unfit(call, "written from"));
    long _ = act(file, () -> file.write(from));
    return from.byteSize();
  }

  private static Agreement unfit(Agreement call, String use) {
    return call.refusing(0, "memory that cannot be " + use);
  }

  /** All participants make the same call before anything is done. */
  void meet(Agreement call) throws IOException {
    switch (participants.agree(call)) {
      case Refused refused -> refused.orElseThrow(CioException::new);
      case Agreement.Outcome other -> other.orThrow();
    }
  }

  /** The owner acts; if it cannot, no one has. Returns where the pointer of all stands then. */
  private long act(SharedFile file, SharedFile.Work act) throws IOException {
    Optional<MillraceException> failure = Optional.empty();
    long told = 0;
    if (isHere()) {
      try {
        long _ = act.run();
        told = file.position();
      } catch (IOException e) { // comes all the same, or the others would wait
        failure = Optional.of(MillraceException.wrap(ErrorCode.DISK, e));
      } catch (RuntimeException e) {
        failure = Optional.of(MillraceException.wrap(ErrorCode.INVALID, e));
      }
      told = failure.map(e -> (long) -e.code().number()).orElse(told);
    }
    long position = participants.allGather(told).get(number);
    if (failure.isPresent()) {
      throw failure.get();
    }
    if (position < 0) {
      throw MillraceException.of(
          ErrorCode.of((int) -position), number, "the owner of " + file.path() + " has failed");
    }
    file.seek(position);
    return position;
  }
}
