package org.millrace.heritage.pairs;

import java.io.IOException;
import java.util.Arrays;
import org.millrace.access.View;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.heritage.vesta.Partition;
import org.millrace.heritage.vesta.SpmdMode;
import org.millrace.heritage.vesta.Subfile;
import org.millrace.heritage.vesta.Vesta;

/** Through {@code vesta}: each rank a subfile of interleaved rows. Stateless. */
final class VestaWay implements Way {

  @Override
  public String name() {
    return "vesta";
  }

  @Override
  public void write(Rank rank, String path, byte[] content) throws IOException {
    OpenOptions options = Vesta.structure(1024, 3).withTruncate();
    try (Subfile file = new Vesta(rank).open(path, options, rows(rank), SpmdMode.A)) {
      byte[] mine = new byte[content.length];
      int count = 0;
      for (long at = 0; offset(file.view(), at) < content.length; at++) {
        mine[count++] = content[(int) offset(file.view(), at)];
      }
      file.write(Arrays.copyOf(mine, count));
    }
  }

  /** Each row of one cell's width belongs to the next rank. */
  private static Partition rows(Rank rank) {
    return new Partition(1, rank.size(), 1, 1, rank.number());
  }

  private static long offset(View view, long position) {
    return view.isEmpty() ? Long.MAX_VALUE : view.offsetOf(position);
  }

  @Override
  public byte[] read(Rank rank, String path, int length) throws IOException {
    byte[] content = new byte[length];
    try (Subfile file =
        new Vesta(rank).open(path, OpenOptions.read(), new Partition(1, 1, 1, 1, 0), SpmdMode.D)) {
      int half = length / 2;
      byte[] first = new byte[half];
      file.read(first);
      byte[] second = new byte[length - half];
      file.read(second);
      System.arraycopy(first, 0, content, 0, half);
      System.arraycopy(second, 0, content, half, second.length);
    }
    return content;
  }
}
