package org.millrace.heritage.pairs;

import java.io.IOException;
import org.millrace.client.Rank;

/** Through {@code edonio}. Stateless. */
final class EdonioWay implements Way {

  @Override
  public String name() {
    return "edonio";
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
