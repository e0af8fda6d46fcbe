package org.millrace.heritage.program;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.millrace.access.View;
import org.millrace.client.Rank;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.heritage.dio.Dio;
import org.millrace.heritage.dio.DioHandle;
import org.millrace.heritage.dio.DioMode;
import org.millrace.heritage.dio.DioRequest;

/** Shows {@code dio}. Stateless. */
final class DioProgram implements HeritageProgram {

  private static final String NAME = "heritage-dio";
  private static final int UNIT = 4;
  private static final int PIECE = 10;

  @Override
  public String name() {
    return "dio";
  }

  @Override
  public String about() {
    return "Distant I/O: one-sided reads and writes of files on other processors' disks";
  }

  @Override
  public void run(Rank rank, Stage stage) throws IOException {
    Dio dio = new Dio(rank);
    DioHandle handle = dio.dio_create(NAME, UNIT);
    int procs = handle.components();
    List<View> views = new ArrayList<>();
    for (int proc = 0; proc < procs; proc++) {
      views.add(handle.view(proc));
    }
    stage.say("the file has a component on each of %s processors' disks", procs);
    stage.draw("which processor's component holds which byte of the plain file", views, 64, 1, 32);

    stage.say("every rank writes its %s bytes to every component, without waiting", PIECE);
    List<DioRequest> requests = new ArrayList<>();
    for (int proc = 0; proc < procs; proc++) {
      DioRequest request = new DioRequest();
      var mine = MemorySegment.ofArray(piece(rank.number(), proc));
      dio.dio_write(handle, (long) rank.number() * PIECE, mine, PIECE, proc, request);
      requests.add(request);
    }
    dio.dio_waitall(requests);
    rank.barrier();

    int neighbour = (rank.number() + 1) % rank.size();
    boolean equal = true;
    for (int proc = 0; proc < procs; proc++) {
      byte[] read = new byte[PIECE];
      dio.dio_read(handle, (long) neighbour * PIECE, MemorySegment.ofArray(read), PIECE, proc);
      equal &= Arrays.equals(read, piece(neighbour, proc));
    }
    stage.check("each rank reads what its neighbour wrote, from every component", equal);

    readBeyond(rank, stage, dio, handle);
    stage.check("no component 0..p-1 has the number p", refuses(dio, handle, procs));
    dio.dio_deregister(handle);
    rank.barrier();
    if (rank.number() == 0) {
      dio.dio_unlink(NAME);
    }
  }

  /** One rank finds the file by its name, the others call nothing. */
  private static void readBeyond(Rank rank, Stage stage, Dio dio, DioHandle handle)
      throws IOException {
    int last = handle.components() - 1;
    long end = (long) rank.size() * PIECE;
    boolean refused = true;
    boolean extended = true;
    if (rank.number() == 0) {
      byte[] read = new byte[3 * UNIT];
      Arrays.fill(read, (byte) 1);
      refused = isInvalid(() -> beyond(dio, handle, end, read, last));
      DioHandle found = dio.dio_lookup(NAME, DioMode.EXTENDING);
      beyond(dio, found, end, read, last);
      stage.say(
          "rank 0 reads %s bytes behind component %s's end, the others do nothing:",
          read.length, last);
      stage.say(
          "  zeros; component %s grows from %s to %s bytes, the others stay as they are",
          last, end, dio.dio_size(found, last));
      extended =
          Arrays.equals(read, new byte[read.length])
              && dio.dio_size(found, last) == end + read.length
              && (last == 0 || dio.dio_size(found, 0) == end);
      dio.dio_deregister(found);
    }
    stage.check("reading beyond the end of a component is an error in the standard mode", refused);
    stage.check("in the other one it gives zeros and extends that component alone", extended);
  }

  private static void beyond(Dio dio, DioHandle handle, long end, byte[] into, int proc)
      throws IOException {
    dio.dio_read(handle, end, MemorySegment.ofArray(into), into.length, proc);
  }

  private interface Act {
    void run() throws IOException;
  }

  private static boolean isInvalid(Act act) throws IOException {
    try {
      act.run();
      return false;
    } catch (MillraceException e) {
      return e.code() == ErrorCode.INVALID;
    }
  }

  private static boolean refuses(Dio dio, DioHandle handle, int proc) throws IOException {
    try {
      dio.dio_read(handle, 0, MemorySegment.ofArray(new byte[1]), 1, proc);
      return false;
    } catch (IndexOutOfBoundsException e) {
      return true;
    }
  }

  private static byte[] piece(int writer, int proc) {
    byte[] bytes = new byte[PIECE];
    for (int i = 0; i < PIECE; i++) {
      bytes[i] = (byte) (31 * writer + 7 * proc + i + 1);
    }
    return bytes;
  }
}
