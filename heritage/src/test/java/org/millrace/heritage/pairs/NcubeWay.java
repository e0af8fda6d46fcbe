package org.millrace.heritage.pairs;

import java.io.IOException;
import java.util.Arrays;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.heritage.ncube.Mapping;
import org.millrace.heritage.ncube.Ncube;
import org.millrace.heritage.ncube.NcubeFile;

/** Through {@code ncube}: scattered blocks out, columns in. Stateless. */
final class NcubeWay implements Way {

  @Override
  public String name() {
    return "ncube";
  }

  @Override
  public void write(Rank rank, String path, byte[] content) throws IOException {
    Mapping mapping = Mapping.scatter(100, 3, 1, 4, rank.size()).width(390);
    try (NcubeFile file =
        new Ncube(rank).open(path, OpenOptions.create().withTruncate(), mapping)) {
      byte[] mine = new byte[content.length];
      int count = 0;
      while (file.view().offsetOf(count) < content.length) {
        mine[count] = content[(int) file.view().offsetOf(count)];
        count++;
      }
      file.write(Arrays.copyOf(mine, count));
    }
  }

  @Override
  public byte[] read(Rank rank, String path, int length) throws IOException {
    byte[] content = new byte[length];
    Mapping mapping = Mapping.column(50, rank.size());
    try (NcubeFile file = new Ncube(rank).open(path, OpenOptions.read(), mapping)) {
      byte[] mine = new byte[length];
      int count = (int) file.read(mine);
      byte[] placed = new byte[length];
      for (int i = 0; i < count; i++) {
        placed[(int) file.view().offsetOf(i)] = mine[i];
      }
      for (byte[] part : rank.allGather(placed)) {
        for (int i = 0; i < length; i++) {
          content[i] |= part[i]; // each byte is one processing element's
        }
      }
    }
    return content;
  }
}
