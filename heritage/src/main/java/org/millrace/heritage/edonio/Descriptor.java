package org.millrace.heritage.edonio;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.millrace.client.SharedFile;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.heritage.edonio.EdonioException.Reason;
import org.millrace.layout.Layout;

/** An open file of one rank. Belongs to the rank's thread; closed by its {@link Edonio}. */
final class Descriptor {

  // constant after construction
  final String path;
  final SharedFile file;
  final boolean reads;
  final boolean writes;

  // the rank's thread

  /** The file was seen to be at least so long; it is asked for its size only beyond. */
  private long knownEnd;

  /** DONIO: up to where it may be written. */
  long sized;

  Descriptor(String path, SharedFile file, boolean reads, boolean writes) {
    this.path = path;
    this.file = file;
    this.reads = reads;
    this.writes = writes;
  }

  /** Checks that all bytes from the pointer on lie in the file, before a byte has moved. */
  void checkEnd(long nbytes) throws IOException {
    long position = file.position();
    if (nbytes > knownEnd - position) {
      knownEnd = file.size();
      if (nbytes > knownEnd - position) {
        throw pastEnd(nbytes, position, knownEnd);
      }
    }
  }

  /** The bytes were there when they were counted, but somebody has cut the file since. */
  EdonioException cut(long nbytes, long position) throws IOException {
    knownEnd = file.size();
    return pastEnd(nbytes, position, knownEnd);
  }

  private EdonioException pastEnd(long nbytes, long position, long end) {
    return new EdonioException(
        Reason.PAST_END,
        "do_read of %s bytes at %s of %s, which ends at %s".formatted(nbytes, position, path, end));
  }

  /** Takes room on the disks if they have it: it is only a hint. Collective. */
  void reserve(long nbytes) throws IOException {
    try {
      file.reserve(nbytes);
    } catch (MillraceException e) {
      if (e.code() != ErrorCode.DISK_FULL && e.code() != ErrorCode.DISK) {
        throw e;
      } // else too large a hint; what is really written may still fit
    }
  }

  /** What the file takes of the fullest node's cache if all of it is there. */
  long mostBytesPerNode() {
    Layout layout = file.layout();
    long most = 0;
    for (int strand = 0; strand < layout.strands(); strand++) {
      most = Math.max(most, layout.strandSize(strand, sized));
    }
    long block = Edonio.BLOCK_BYTES;
    return Math.ceilDiv(most, block) * block;
  }

  /** The bytes of a buffer that a call is about. */
  static MemorySegment first(String call, @Nullable MemorySegment buf, long nbytes)
      throws EdonioException {
    if (buf == null) {
      throw new EdonioException(Reason.BAD_ARGUMENT, call + " without a buffer");
    }
    if (nbytes < 0 || nbytes > buf.byteSize()) {
      throw new EdonioException(
          Reason.BAD_ARGUMENT,
          "%s of %s bytes with a buffer of %s".formatted(call, nbytes, buf.byteSize()));
    }
    return buf.asSlice(0, nbytes);
  }
}
