package org.millrace.heritage.pairs;

import java.io.IOException;
import java.util.Arrays;
import org.millrace.client.Rank;
import org.millrace.heritage.pfs.IoMode;
import org.millrace.heritage.pfs.Pfs;

/**
 * Through {@code pfs}: records in M_RECORD by half of the bytes, pieces in order of rank in M_SYNC
 * for the rest, and back in M_GLOBAL. Stateless.
 */
final class PfsWay implements Way {

  private static final int RECORD = 1000;

  @Override
  public String name() {
    return "pfs";
  }

  @Override
  public void write(Rank rank, String path, byte[] content) throws IOException {
    Pfs pfs = Pfs.pfslib_init(rank);
    int flags = Pfs.O_RDWR | Pfs.O_CREAT | Pfs.O_TRUNC;
    int fd = pfs.gopen(path, flags, IoMode.M_RECORD, 0644);
    int row = rank.size() * RECORD;
    int done = content.length / 2 / row * row;
    for (int start = 0; start < done; start += row) {
      int mine = start + rank.number() * RECORD;
      pfs.cwrite(fd, Arrays.copyOfRange(content, mine, mine + RECORD), RECORD);
    }
    pfs.setiomode(fd, IoMode.M_SYNC);
    pfs.eseek(fd, done, Pfs.SEEK_SET);
    long left = (long) content.length - done;
    int from = (int) (done + left * rank.number() / rank.size());
    int to = (int) (done + left * (rank.number() + 1) / rank.size());
    pfs.cwrite(fd, Arrays.copyOfRange(content, from, to), to - from);
    check(pfs, pfs.close(fd));
  }

  @Override
  public byte[] read(Rank rank, String path, int length) throws IOException {
    Pfs pfs = Pfs.pfslib_init(rank);
    int fd = pfs.gopen(path, Pfs.O_RDONLY, IoMode.M_GLOBAL, 0);
    byte[] content = new byte[length];
    pfs.cread(fd, content, length);
    check(pfs, pfs.close(fd));
    return content;
  }

  private static void check(Pfs pfs, int result) throws IOException {
    if (result < 0) {
      throw new IOException(pfs.pfslib_strerror("close"));
    }
  }
}
