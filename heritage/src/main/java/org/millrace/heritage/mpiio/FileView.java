package org.millrace.heritage.mpiio;

import org.millrace.access.View;

/**
 * What a rank sees of a file: from byte {@code disp} on, the file is tiled with the filetype, of
 * which only the data are visible; offsets count etypes. Immutable.
 *
 * @param disp bytes of the file before the first tile
 * @param etype the unit of offsets
 * @param filetype the tile
 * @param datarep {@code native}, {@code internal} or {@code external32}
 */
public record FileView(long disp, Datatype etype, Datatype filetype, String datarep) {

  /** The whole file, as bytes. */
  public static final FileView BYTES =
      new FileView(0, Datatype.BYTE, Datatype.BYTE, Datarep.NATIVE.word());

  /**
   * The same as a view of Millrace, checked.
   *
   * @param writable whether the file was opened for writing, so that no byte may be seen twice
   */
  View view(boolean writable) throws MpiFileException {
    if (disp < 0) {
      throw new MpiFileException(ErrorClass.ARG, "displacement " + disp + " is negative");
    }
    if (etype.getSize() == 0 || filetype.getSize() % etype.getSize() != 0) {
      throw new MpiFileException(
          ErrorClass.TYPE, "filetype %s is not made of etypes %s".formatted(filetype, etype));
    }
    if (!filetype.parts().ordered() || filetype.getTrueLb() < 0) {
      throw new MpiFileException(
          ErrorClass.TYPE,
          "filetype " + filetype + " has displacements that are negative or go back");
    }
    try {
      View view = new View(disp, filetype.pattern(), filetype.getExtent());
      if (writable && !view.isDisjoint()) {
        throw new MpiFileException(
            ErrorClass.TYPE,
            "filetype " + filetype + " overlaps itself, and the file is open for writing");
      }
      return view;
    } catch (IllegalArgumentException e) {
      throw MpiFileException.of(e);
    }
  }

  /** The bytes that {@code count} etypes have. */
  long bytes(long count) throws MpiFileException {
    try {
      return Math.multiplyExact(count, etype.getSize());
    } catch (ArithmeticException e) {
      throw MpiFileException.of(e);
    }
  }
}
