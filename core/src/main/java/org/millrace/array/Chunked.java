package org.millrace.array;

import org.millrace.access.ChunkedPart;
import org.millrace.access.Chunking;
import org.millrace.access.Distribution;
import org.millrace.access.Pattern;
import org.millrace.access.Section;
import org.millrace.access.Shape;
import org.millrace.access.View;
import org.millrace.client.FileAccess;

/**
 * An array that lies in the file chunk by chunk, from a byte on. Immutable.
 *
 * @param chunking how it is cut
 * @param type of its elements
 * @param headerBytes where the first chunk begins
 */
record Chunked(Chunking chunking, ElementType type, long headerBytes) implements Placement {

  /**
   * A part of the array.
   *
   * @param of the array
   * @param part which elements
   */
  record Piece(Chunked of, ChunkedPart part) implements Part {

    @Override
    public Shape counts() {
      return part.counts();
    }

    @Override
    public long size() {
      return counts().bytes(of.elementBytes());
    }

    @Override
    public FileAccess through(ArrayFile file) {
      return file.through(of.view(part.inFile(of.elementBytes())), 0);
    }

    @Override
    public FileAccess inArrayOrder(ArrayFile file, long position) {
      return file.through(of.view(part.inArrayOrder(of.elementBytes())), position);
    }

    @Override
    public Pattern places(Local local) {
      return local.pattern(
          counts(), of.type(), strides -> part.inMemory(of.elementBytes(), strides));
    }
  }

  Chunked {
    if (headerBytes < 0) {
      throw new IllegalArgumentException("chunks begin at the negative byte " + headerBytes);
    }
    long bytes = chunking.bytes(type.bytes());
    if (bytes > Long.MAX_VALUE - headerBytes) {
      throw new IllegalArgumentException(
          "chunks of %s bytes from byte %s on exceed 2^63-1".formatted(bytes, headerBytes));
    }
  }

  private int elementBytes() {
    return type.bytes();
  }

  private View view(Pattern part) {
    return part.size() == 0
        ? View.EMPTY
        : new View(headerBytes, part, chunking.bytes(elementBytes()));
  }

  @Override
  public Shape shape() {
    return chunking.shape();
  }

  @Override
  public long end() {
    return headerBytes + chunking.bytes(elementBytes());
  }

  @Override
  public Piece section(Section section) {
    return new Piece(this, chunking.section(section));
  }

  @Override
  public Piece distributed(Section box, Distribution distribution, int rank, int ranks) {
    Placement.check(box.shape(shape().order()), distribution, ranks);
    return new Piece(this, chunking.part(distribution, rank, Placement.origin(box)));
  }
}
