package org.millrace.heritage.pairs;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.millrace.array.ElementType;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.heritage.elfs.MatrixFile;
import org.millrace.heritage.elfs.UnixFile;
import org.millrace.heritage.elfs.VariableConsistencyFile;

/**
 * Through {@code elfs}: a file is a matrix of seven columns, written by column, and what is left is
 * a Unix file; read with a consistency window. Stateless.
 */
final class ElfsWay implements Way {

  private static final int COLUMNS = 7;

  @Override
  public String name() {
    return "elfs";
  }

  @Override
  public void write(Rank rank, String path, byte[] content) throws IOException {
    int rows = content.length / COLUMNS;
    try (UnixFile file = new UnixFile(rank, path, OpenOptions.create().withTruncate())) {
      file.ftruncate(content.length);
      if (rank.number() == 0) {
        file.lseek((long) rows * COLUMNS, UnixFile.Whence.SEEK_SET);
        file.write(Arrays.copyOfRange(content, rows * COLUMNS, content.length));
      }
    }
    try (MatrixFile file = MatrixFile.openPlain(rank, path, rows, COLUMNS, ElementType.UINT8)) {
      for (int column = rank.number(); column < COLUMNS; column += rank.size()) {
        byte[] elements = new byte[rows];
        for (int row = 0; row < rows; row++) {
          elements[row] = content[row * COLUMNS + column];
        }
        file.writeColumn(column, MemorySegment.ofArray(elements));
      }
    }
  }

  @Override
  public byte[] read(Rank rank, String path, int length) throws IOException {
    byte[] content = new byte[length];
    try (var file = new VariableConsistencyFile(rank, path, OpenOptions.read(), 4)) {
      file.consistency(VariableConsistencyFile.Semantics.WINDOW, 1_000_000_000);
      long got = 0;
      while (got < length) {
        int step = Math.min(1000, length - (int) got);
        long now = file.read(MemorySegment.ofArray(content).asSlice(got, step));
        if (now == 0) {
          break;
        }
        got += now;
      }
    }
    return content;
  }
}
