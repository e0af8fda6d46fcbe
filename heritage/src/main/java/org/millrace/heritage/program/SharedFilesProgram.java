package org.millrace.heritage.program;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.millrace.access.Pattern;
import org.millrace.access.View;
import org.millrace.client.Rank;
import org.millrace.error.MillraceException;
import org.millrace.heritage.sharedfiles.SfHandle;
import org.millrace.heritage.sharedfiles.SfRequest;
import org.millrace.heritage.sharedfiles.SharedFiles;
import org.millrace.heritage.sharedfiles.SizeHints;

/** Shows {@code sharedfiles}. Stateless. */
final class SharedFilesProgram implements HeritageProgram {

  private static final String NAME = "heritage-sharedfiles";
  private static final int REQUESTS = 5;
  private static final int REQUEST = 64 << 10;

  @Override
  public String name() {
    return "sharedfiles";
  }

  @Override
  public String about() {
    return "Shared Files: requests at any place of one temporary file, none of which waits";
  }

  @Override
  public void run(Rank rank, Stage stage) throws IOException {
    SharedFiles sf = new SharedFiles(rank);
    long size = (long) rank.size() * REQUESTS * REQUEST;
    SfHandle handle = sf.sf_create(NAME, new SizeHints(size), REQUEST);
    stage.say(
        "device: %s; typical request %s bytes: the stripe unit is %s",
        handle.device().name(), REQUEST, handle.stripeUnitBytes());
    stage.draw(
        "which rank writes which request of the file",
        views(rank.size()),
        rank.size() * REQUESTS,
        REQUEST,
        REQUESTS);

    List<SfRequest> writes = new ArrayList<>();
    for (int i = 0; i < REQUESTS; i++) {
      SfRequest request = new SfRequest();
      MemorySegment mine = MemorySegment.ofArray(block(rank.number(), i));
      sf.sf_write(handle, offset(rank.number(), i), REQUEST, mine, request);
      writes.add(request);
    }
    sf.sf_waitall(writes);
    rank.barrier();
    int other = rank.size() - 1 - rank.number();
    boolean equal = true;
    for (int i = 0; i < REQUESTS; i++) {
      byte[] read = new byte[REQUEST];
      read(sf, handle, offset(other, i), read);
      equal &= Arrays.equals(read, block(other, i));
    }
    stage.check("rank r reads the blocks of rank P-1-r", equal);

    gaps(rank, stage, sf, handle, size);
    counted(rank, stage, sf, handle);
    sf.sf_destroy(handle);
    stage.check("destroyed: the name is gone", !rank.names().list("").contains(NAME));
  }

  private static void gaps(Rank rank, Stage stage, SharedFiles sf, SfHandle handle, long size)
      throws IOException {
    long far = size + 3L * REQUEST;
    if (rank.number() == 0) {
      SfRequest request = new SfRequest();
      sf.sf_write(handle, far, 1, MemorySegment.ofArray(new byte[] {1}), request);
      sf.sf_wait(request);
    }
    rank.barrier();
    byte[] gap = new byte[(int) (far - size)];
    Arrays.fill(gap, (byte) 1);
    read(sf, handle, size, gap);
    stage.check(
        "a gap of %s bytes before the end reads as zeros".formatted(gap.length),
        Arrays.equals(gap, new byte[gap.length]));
    boolean refused = false;
    try {
      read(sf, handle, far, new byte[2]);
    } catch (MillraceException e) {
      refused = true;
    }
    stage.check("reading beyond the end is an error, when it is waited for", refused);
  }

  /** Every rank adds to the same number, under the group's lock. */
  private static void counted(Rank rank, Stage stage, SharedFiles sf, SfHandle handle)
      throws IOException {
    byte[] start = new byte[Long.BYTES];
    read(sf, handle, 0, start);
    rank.barrier();
    int rounds = 10;
    for (int i = 0; i < rounds; i++) {
      try (var _ = sf.lock(handle, 0)) {
        byte[] number = new byte[Long.BYTES];
        read(sf, handle, 0, number);
        long more = MemorySegment.ofArray(number).get(ValueLayout.JAVA_LONG_UNALIGNED, 0) + 1;
        SfRequest request = new SfRequest();
        MemorySegment value = MemorySegment.ofArray(new long[] {more});
        sf.sf_write(handle, 0, Long.BYTES, value, request);
        sf.sf_wait(request); // before the lock is given back
      }
    }
    rank.barrier();
    byte[] end = new byte[Long.BYTES];
    read(sf, handle, 0, end);
    long added =
        MemorySegment.ofArray(end).get(ValueLayout.JAVA_LONG_UNALIGNED, 0)
            - MemorySegment.ofArray(start).get(ValueLayout.JAVA_LONG_UNALIGNED, 0);
    stage.check(
        "under the group's lock no rank's addition is lost: %s".formatted(added),
        added == (long) rounds * rank.size());
  }

  private static void read(SharedFiles sf, SfHandle handle, long offset, byte[] into)
      throws IOException {
    SfRequest request = new SfRequest();
    sf.sf_read(handle, offset, into.length, MemorySegment.ofArray(into), request);
    sf.sf_wait(request);
  }

  private static List<View> views(int ranks) {
    List<View> views = new ArrayList<>();
    for (int r = 0; r < ranks; r++) {
      views.add(new View(offset(r, 0), Pattern.run((long) REQUESTS * REQUEST), Long.MAX_VALUE / 2));
    }
    return views;
  }

  private static long offset(int rank, int request) {
    return ((long) rank * REQUESTS + request) * REQUEST;
  }

  private static byte[] block(int rank, int request) {
    byte[] bytes = new byte[REQUEST];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) (i / 7 + 31 * rank + 5 * request);
    }
    return bytes;
  }
}
