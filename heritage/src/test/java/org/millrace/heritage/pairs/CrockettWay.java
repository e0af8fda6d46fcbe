package org.millrace.heritage.pairs;

import java.io.IOException;
import java.util.Arrays;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.heritage.crockett.Crockett;
import org.millrace.heritage.crockett.Form;
import org.millrace.heritage.crockett.Organization;
import org.millrace.heritage.crockett.ParallelFile;

/** Through {@code crockett}: interleaved blocks out, direct access in. Stateless. */
final class CrockettWay implements Way {

  private static final int BLOCK = 500;

  @Override
  public String name() {
    return "crockett";
  }

  @Override
  public void write(Rank rank, String path, byte[] content) throws IOException {
    OpenOptions options = OpenOptions.create().withTruncate();
    try (ParallelFile file =
        new Crockett(rank).open(path, options, Form.of(1, BLOCK), Organization.INTERLEAVED)) {
      for (int at = rank.number() * BLOCK; at < content.length; at += rank.size() * BLOCK) {
        file.write(Arrays.copyOfRange(content, at, Math.min(content.length, at + BLOCK)));
      }
    }
  }

  @Override
  public byte[] read(Rank rank, String path, int length) throws IOException {
    byte[] content = new byte[length];
    try (ParallelFile file =
        new Crockett(rank)
            .open(path, OpenOptions.read(), Form.of(1, BLOCK), Organization.GLOBAL_DIRECT)) {
      file.read(0, content);
    }
    return content;
  }
}
