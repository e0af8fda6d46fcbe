package org.millrace.heritage.passion;

import java.io.IOException;
import org.millrace.access.Distribution;
import org.millrace.access.Shape;
import org.millrace.array.ElementType;
import org.millrace.array.GlobalArray;
import org.millrace.array.LocalArrays;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;

/**
 * PASSION as one processor sees it. All calls are collective, and all processors must ask for the
 * same, or the call fails on all with {@link org.millrace.error.MixedCallException}.
 *
 * <p>The paper prints no calls; the names here are its words. Belongs to the processor's thread;
 * needs no closing.
 */
public final class Passion {

  private final Rank rank;

  /** PASSION for this rank, which is a processor. */
  public Passion(Rank rank) {
    this.rank = rank;
  }

  /**
   * Makes a global array file of zeros, a {@code .npy} file that NumPy reads; one of this name is
   * replaced.
   */
  public GlobalArrayFile createGlobalArrayFile(String path, Shape shape, ElementType type)
      throws IOException {
    OpenOptions options = OpenOptions.create().withTruncate();
    return new GlobalArrayFile(GlobalArray.create(rank, path, shape, type, options));
  }

  /** Opens a global array file, which knows its shape. */
  public GlobalArrayFile openGlobalArrayFile(String path) throws IOException {
    return new GlobalArrayFile(GlobalArray.open(rank, path, OpenOptions.readWrite()));
  }

  /** Makes a file that is nothing but the array's elements; one of this name is replaced. */
  public GlobalArrayFile createPlain(String path, Shape shape, ElementType type)
      throws IOException {
    OpenOptions options = OpenOptions.create().withTruncate();
    return new GlobalArrayFile(GlobalArray.openRaw(rank, path, shape, type, 0, options));
  }

  /**
   * Opens the array that lies in any file from a byte on; what is before and behind stays as it is.
   */
  public GlobalArrayFile openPlain(String path, Shape shape, ElementType type, long firstByte)
      throws IOException {
    OpenOptions options = OpenOptions.readWrite();
    return new GlobalArrayFile(GlobalArray.openRaw(rank, path, shape, type, firstByte, options));
  }

  /** Makes a local array file of zeros for each processor: {@code path.0}, {@code path.1}, ... */
  public LocalArrayFile createLocalArrayFiles(
      String path, Distribution distribution, ElementType type) throws IOException {
    OpenOptions options = OpenOptions.create().withTruncate();
    return new LocalArrayFile(LocalArrays.create(rank, path, distribution, type, options));
  }

  /**
   * Opens the local array files. As many processors must come, with the same distribution, as made
   * them; others go through a global array file.
   */
  public LocalArrayFile openLocalArrayFiles(String path, Distribution distribution)
      throws IOException {
    return new LocalArrayFile(LocalArrays.open(rank, path, distribution, OpenOptions.readWrite()));
  }
}
