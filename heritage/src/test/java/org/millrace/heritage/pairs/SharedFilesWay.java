package org.millrace.heritage.pairs;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.millrace.client.Rank;
import org.millrace.heritage.sharedfiles.SfHandle;
import org.millrace.heritage.sharedfiles.SfRequest;
import org.millrace.heritage.sharedfiles.SharedFiles;
import org.millrace.heritage.sharedfiles.SizeHints;

/** Through {@code sharedfiles}: requests of all ranks in turn. Stateless. */
final class SharedFilesWay implements Way {

  private static final int REQUEST = 5000;

  @Override
  public String name() {
    return "sharedfiles";
  }

  @Override
  public void write(Rank rank, String path, byte[] content) throws IOException {
    SharedFiles sf = new SharedFiles(rank);
    SfHandle handle = sf.sf_create(path, new SizeHints(content.length), REQUEST);
    List<SfRequest> requests = new ArrayList<>();
    int step = REQUEST * rank.size();
    for (int from = REQUEST * rank.number(); from < content.length; from += step) {
      byte[] piece = Arrays.copyOfRange(content, from, Math.min(from + REQUEST, content.length));
      SfRequest request = new SfRequest();
      sf.sf_write(handle, from, piece.length, MemorySegment.ofArray(piece), request);
      requests.add(request);
    }
    sf.sf_waitall(requests);
    sf.sf_close(handle);
    rank.barrier();
  }

  @Override
  public byte[] read(Rank rank, String path, int length) throws IOException {
    SharedFiles sf = new SharedFiles(rank);
    SfHandle handle = sf.sf_open(path);
    byte[] content = new byte[length];
    List<SfRequest> requests = new ArrayList<>();
    for (int from = 0; from < length; from += REQUEST) {
      int bytes = Math.min(REQUEST, length - from);
      SfRequest request = new SfRequest();
      sf.sf_read(handle, from, bytes, MemorySegment.ofArray(content).asSlice(from, bytes), request);
      requests.add(request);
    }
    sf.sf_waitall(requests);
    sf.sf_close(handle);
    return content;
  }
}
