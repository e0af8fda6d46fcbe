package org.millrace.heritage.pairs;

import java.io.IOException;
import java.util.Arrays;
import org.millrace.client.Rank;
import org.millrace.heritage.mpiio.Amode;
import org.millrace.heritage.mpiio.Datatype;
import org.millrace.heritage.mpiio.File;
import org.millrace.heritage.mpiio.Whence;

/**
 * Through {@code mpiio}: each rank writes every P-th piece through a view of a vector,
 * collectively; reading goes by the shared pointer in order of rank, then by explicit offsets.
 * Stateless.
 */
final class MpiioWay implements Way {

  private static final int PIECE = 1000;
  private static final Datatype BYTE = Datatype.BYTE;

  @Override
  public String name() {
    return "mpiio";
  }

  @Override
  public void write(Rank rank, String path, byte[] content) throws IOException {
    int ranks = rank.size();
    int[] mine = places(content.length, ranks, rank.number());
    byte[] data = new byte[mine.length];
    for (int i = 0; i < mine.length; i++) {
      data[i] = content[mine[i]];
    }
    try (File file = File.open(rank, path, Amode.CREATE | Amode.WRONLY)) {
      file.setSize(0);
      Datatype piece = Datatype.createContiguous(PIECE, BYTE);
      Datatype tile = Datatype.createResized(piece, 0, (long) PIECE * ranks);
      file.setView((long) PIECE * rank.number(), BYTE, tile, "native");
      file.writeAll(data, data.length, BYTE);
    }
  }

  /** Which bytes lie in this rank's pieces. */
  private static int[] places(int length, int ranks, int rank) {
    int[] all = new int[length];
    int count = 0;
    for (int i = 0; i < length; i++) {
      if (i / PIECE % ranks == rank) {
        all[count++] = i;
      }
    }
    return Arrays.copyOf(all, count);
  }

  @Override
  public byte[] read(Rank rank, String path, int length) throws IOException {
    byte[] all = new byte[length];
    try (File file = File.open(rank, path, Amode.RDONLY)) {
      int share = length / rank.size();
      byte[] part = new byte[share];
      file.seekShared(0, Whence.SEEK_SET);
      file.readOrdered(part, share, BYTE);
      file.iReadAtAll(0, all, length, BYTE).waitStatus();
      int from = share * rank.number();
      if (!Arrays.equals(part, 0, share, all, from, from + share)) {
        throw new IOException("the shared pointer and explicit offsets see different bytes");
      }
    }
    return all;
  }
}
