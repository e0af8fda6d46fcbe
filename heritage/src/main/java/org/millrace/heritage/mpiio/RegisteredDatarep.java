package org.millrace.heritage.mpiio;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.millrace.client.Memory;
import org.millrace.heritage.mpiio.Call.Data;

/**
 * A representation of a program's own. Elements may be longer or shorter in the file than in
 * memory; accesses go through a copy as it lies in the file.
 *
 * @param name as registered
 * @param read from file to memory; null if both are the same
 * @param write from memory to file; null if both are the same
 * @param extent how long basic types are in the file
 */
record RegisteredDatarep(
    String name,
    @Nullable DatarepConversion read,
    @Nullable DatarepConversion write,
    DatarepExtent extent)
    implements Datarep {

  /** Types as they lie in the file: the same constructors over basic types of other widths. */
  @Override
  public Datatype inFile(Datatype type) {
    return type.over(basic -> basic.ofWidth(width(basic)));
  }

  private int width(Datatype basic) {
    int width;
    try {
      width = extent.fileExtent(basic);
    } catch (IOException | RuntimeException e) {
      throw new MpiArgumentException(ErrorClass.CONVERSION, name + ": " + e.getMessage());
    }
    boolean converts = read != null && write != null;
    if (width < 1 || (!converts && width != basic.getSize())) {
      throw new MpiArgumentException(
          ErrorClass.CONVERSION, "%s has %s bytes in %s".formatted(basic, width, name));
    }
    return width;
  }

  @Override
  public Memory outgoing(Data data) throws IOException {
    if (write == null) {
      return data.memory();
    }
    Signature inFile = data.inFile();
    Staging staging = Staging.of(inFile);
    for (Staging.Part part : staging.parts()) {
      convert(write, data, part, part.to());
    }
    return staging.memory();
  }

  @Override
  public Incoming incoming(Data data) {
    if (read == null) {
      return new InPlace(data.memory());
    }
    DatarepConversion conversion = read;
    Staging staging = Staging.of(data.inFile());
    return new Incoming() {
      @Override
      public Memory memory() {
        return staging.memory();
      }

      @Override
      public long arrived(long fileBytes) throws IOException {
        for (Staging.Part part : staging.parts()) {
          if (part.from() < fileBytes) {
            convert(conversion, data, part, Math.min(part.to(), fileBytes));
          }
        }
        return data.signature().bytesOf(data.inFile().elementsIn(fileBytes));
      }
    };
  }

  /** Converts the whole elements of a part that lie below {@code end}. */
  private void convert(DatarepConversion conversion, Data data, Staging.Part part, long end)
      throws MpiFileException {
    Signature inFile = data.inFile();
    long first = inFile.elementsIn(part.from());
    long items = inFile.elementsIn(end) - first;
    if (items == 0) {
      return;
    }
    try {
      conversion.convert(
          data.segment(),
          data.type(),
          items,
          part.segment().asSlice(0, inFile.bytesOf(first + items) - part.from()),
          first);
    } catch (IOException | RuntimeException e) {
      MpiFileException told =
          new MpiFileException(ErrorClass.CONVERSION, name + ": " + e.getMessage());
      told.initCause(e);
      throw told;
    }
  }
}
