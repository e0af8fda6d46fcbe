package org.millrace.heritage.pairs;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.millrace.client.Rank;
import org.millrace.heritage.kotz.FileType;
import org.millrace.heritage.kotz.Kotz;
import org.millrace.heritage.kotz.KotzFile;
import org.millrace.heritage.kotz.Mapping;
import org.millrace.heritage.kotz.MultiOpen;
import org.millrace.heritage.kotz.Transfers;

/**
 * Through {@code kotz}: a byte plain file whose records of 100 bytes are interleaved. Stateless.
 */
final class KotzWay implements Way {

  private static final int RECORD = 100;

  @Override
  public String name() {
    return "kotz";
  }

  @Override
  public void write(Rank rank, String path, byte[] content) throws IOException {
    byte[] mine = new byte[content.length];
    int count = 0;
    for (int i = 0; i < content.length; i++) {
      if (i / RECORD % rank.size() == rank.number()) {
        mine[count++] = content[i];
      }
    }
    MultiOpen how =
        MultiOpen.create(FileType.BYTES)
            .mapped(Mapping.interleaved(RECORD))
            .by(Transfers.DISK_DIRECTED);
    try (KotzFile file = new Kotz(rank).multiopen(path, how)) {
      file.writeTogether(MemorySegment.ofArray(mine).asSlice(0, count));
    }
  }

  @Override
  public byte[] read(Rank rank, String path, int length) throws IOException {
    byte[] content = new byte[length];
    try (KotzFile file = new Kotz(rank).multiopen(path, MultiOpen.read(FileType.BYTES))) {
      for (int p = 0; p < rank.size(); p++) {
        file.mapping(Mapping.interleaved(RECORD, p, rank.size()));
        file.seek(0);
        byte[] part = new byte[length];
        file.readTogether(MemorySegment.ofArray(part));
        for (int x = 0; x < file.position(); x++) {
          content[(x / RECORD * rank.size() + p) * RECORD + x % RECORD] = part[x];
        }
      }
    }
    return content;
  }
}
