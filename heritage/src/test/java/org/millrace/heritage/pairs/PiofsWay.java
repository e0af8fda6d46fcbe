package org.millrace.heritage.pairs;

import java.io.IOException;
import java.util.Arrays;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.heritage.piofs.Piofs;
import org.millrace.heritage.piofs.PiofsFile;
import org.millrace.heritage.piofs.PiofsMode;
import org.millrace.heritage.vesta.Partition;

/** Through {@code piofs}: pieces gathered, the rest reduced, all of it broadcast. Stateless. */
final class PiofsWay implements Way {

  private static final Partition PLAIN = new Partition(1, 1, 1, 1, 0);

  @Override
  public String name() {
    return "piofs";
  }

  @Override
  public void write(Rank rank, String path, byte[] content) throws IOException {
    OpenOptions options = OpenOptions.create().withTruncate().withStripeUnit(4096).withStrands(2);
    int piece = content.length / rank.size();
    try (PiofsFile file = new Piofs(rank).open(path, options, PLAIN, PiofsMode.COLLECTIVE)) {
      int from = rank.number() * piece;
      file.writeGather(Arrays.copyOfRange(content, from, from + piece));
      file.writeReduce(Arrays.copyOfRange(content, piece * rank.size(), content.length));
    }
  }

  @Override
  public byte[] read(Rank rank, String path, int length) throws IOException {
    byte[] content = new byte[length];
    try (PiofsFile file =
        new Piofs(rank).open(path, OpenOptions.read(), PLAIN, PiofsMode.COLLECTIVE)) {
      file.readBroadcast(content);
    }
    return content;
  }
}
