package org.millrace.heritage.pairs;

import java.io.IOException;
import java.util.Arrays;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.heritage.bridge.Bridge;
import org.millrace.heritage.bridge.Columns;
import org.millrace.heritage.bridge.Job;

/** Through {@code bridge}: a job writes, columns are read. Stateless. */
final class BridgeWay implements Way {

  @Override
  public String name() {
    return "bridge";
  }

  @Override
  public void write(Rank rank, String path, byte[] content) throws IOException {
    OpenOptions options = OpenOptions.create().withTruncate().withStripeUnit(8192).withStrands(3);
    try (Job job = new Bridge(rank).openParallel(path, options)) {
      int block = (int) job.blockBytes();
      for (int row = 0; row < content.length; row += block * rank.size()) {
        int from = Math.min(content.length, row + block * rank.number());
        byte[] mine = Arrays.copyOfRange(content, from, Math.min(content.length, from + block));
        if (job.isController()) {
          job.write(mine);
        } else {
          job.transfer(mine);
        }
      }
    }
  }

  @Override
  public byte[] read(Rank rank, String path, int length) throws IOException {
    byte[] content = new byte[length];
    try (Columns columns = new Bridge(rank).openColumns(path, OpenOptions.read())) {
      int block = (int) Math.min(columns.blockBytes(), length);
      for (int c = 0; c < columns.count(); c++) {
        byte[] column = new byte[(int) columns.size(c)];
        columns.read(c, 0, column);
        for (int at = 0, to = c * block; at < column.length; to += columns.count() * block) {
          int some = Math.min(block, column.length - at);
          System.arraycopy(column, at, content, to, some);
          at += some;
        }
      }
    }
    return content;
  }
}
