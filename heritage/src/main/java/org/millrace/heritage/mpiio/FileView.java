package org.millrace.heritage.mpiio;

import org.millrace.access.Disjointness;
import org.millrace.access.View;

/**
 * What a rank sees of a file: from byte {@code disp} on, the file is tiled with the filetype, of
 * which only the data are visible; offsets count etypes. Immutable.
 *
 * @param disp bytes of the file before the first tile
 * @param etype the unit of offsets
 * @param filetype the tile
 * @param datarep {@code native}, {@code internal}, {@code external32} or a registered one
 */
public record FileView(long disp, Datatype etype, Datatype filetype, String datarep) {

  /** The whole file, as bytes. */
  public static final FileView BYTES =
      new FileView(0, Datatype.BYTE, Datatype.BYTE, Datareps.NATIVE.name());

  /**
   * A view in use.
   *
   * @param shown as the program gave it
   * @param datarep how values lie in the file
   * @param etypeBytes bytes of the file in one etype
   * @param view the same for Millrace
   */
  record InUse(FileView shown, Datarep datarep, long etypeBytes, View view) {

    static final InUse BYTES =
        new InUse(FileView.BYTES, Datareps.NATIVE, Datatype.BYTE.getSize(), View.WHOLE);

    /** The bytes of the file that {@code count} etypes have. */
    long bytes(long count) throws MpiFileException {
      try {
        return Math.multiplyExact(count, etypeBytes);
      } catch (ArithmeticException e) {
        throw MpiFileException.of(e);
      }
    }
  }

  /**
   * The same as a view of Millrace, checked as MPICH checks it: a displacement or types that do not
   * fit each other are of class ARG, types that no view can be made of are of class IO.
   *
   * @param writable whether the file was opened for writing, so that no byte may be seen twice
   */
  InUse inUse(Datarep representation, boolean writable) throws MpiFileException {
    if (disp < 0) {
      throw new MpiFileException(ErrorClass.ARG, "displacement " + disp + " is negative");
    }
    Datatype unit = representation.inFile(etype);
    Datatype tile = representation.inFile(filetype);
    if (unit.getSize() == 0 || tile.getSize() % unit.getSize() != 0) {
      throw new MpiFileException(
          ErrorClass.ARG, "filetype %s is not made of etypes %s".formatted(filetype, etype));
    }
    checkAscending("etype", unit);
    checkAscending("filetype", tile);
    if (writable) {
      checkDisjoint("etype", unit, unit.pattern().disjointness());
    }
    return new InUse(this, representation, unit.getSize(), view(tile, writable));
  }

  private View view(Datatype tile, boolean writable) throws MpiFileException {
    if (tile.getExtent() < 0) {
      throw illegal("filetype", tile, "goes back from tile to tile");
    }
    View view;
    try {
      view = new View(disp, tile.pattern(), tile.getExtent());
    } catch (IllegalArgumentException e) {
      throw MpiFileException.of(e);
    }
    if (writable) {
      checkDisjoint("filetype", tile, view.disjointness());
    }
    return view;
  }

  private static void checkDisjoint(String what, Datatype type, Disjointness found)
      throws MpiFileException {
    String why =
        switch (found) {
          case DISJOINT -> "";
          case OVERLAPPING -> "overlaps itself";
          case UNDECIDED -> "is too irregular to tell whether it overlaps itself";
        };
    if (!why.isEmpty()) {
      throw illegal(what, type, why + ", and the file is open for writing");
    }
  }

  private static void checkAscending(String what, Datatype type) throws MpiFileException {
    if (type.getTrueLb() < 0) {
      throw illegal(what, type, "has negative displacements");
    }
    if (!type.parts().ordered()) {
      throw illegal(what, type, "has displacements that go back");
    }
  }

  private static MpiFileException illegal(String what, Datatype type, String why) {
    return new MpiFileException(ErrorClass.IO, "%s %s %s".formatted(what, type, why));
  }
}
