package org.millrace.heritage.pairs;

import java.io.IOException;
import org.millrace.client.Rank;

/** Through {@code piofs}. Stateless. */
final class PiofsWay implements Way {

  @Override
  public String name() {
    return "piofs";
  }

  @Override
  public void write(Rank rank, String path, byte[] content) throws IOException {
    throw new UnsupportedOperationException("not yet");
  }

  @Override
  public byte[] read(Rank rank, String path, int length) throws IOException {
    throw new UnsupportedOperationException("not yet");
  }
}
