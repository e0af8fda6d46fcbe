package org.millrace.heritage.passion;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.millrace.access.Distribution;
import org.millrace.access.Shape;
import org.millrace.array.InCoreArray;
import org.millrace.array.Local;
import org.millrace.array.LocalArrays;

/**
 * This processor's local array file (LAF): the Local Placement Model. The array is dealt out, each
 * processor has its part in a file of its own on its own node, and works on it as on one more level
 * of memory: nothing here waits for others but {@link #store} and {@link #load}.
 *
 * <p>Belongs to the processor's thread. Closing makes this processor's elements durable; it is
 * idempotent.
 */
public final class LocalArrayFile implements AutoCloseable {

  private final LocalArrays arrays;

  LocalArrayFile(LocalArrays arrays) {
    this.arrays = arrays;
  }

  /** The shape of this processor's local array. */
  public Shape shape() {
    return arrays.local().shape();
  }

  /** How the global array is dealt out. */
  public Distribution distribution() {
    return arrays.distribution();
  }

  /** Reads a section of the local array, in local coordinates from 1 on. */
  public long readSection(String section, Local into) throws IOException {
    return arrays.local().readSectionAlone(Sections.parse(section, shape()), into);
  }

  /** Writes a section of the local array, in local coordinates from 1 on. */
  public long writeSection(String section, Local from) throws IOException {
    return arrays.local().writeSectionAlone(Sections.parse(section, shape()), from);
  }

  /** Data prefetching: begins to read a section that will be asked for next. */
  public void prefetch(String section) throws IOException {
    arrays.local().prefetchAlone(Sections.parse(section, shape()));
  }

  /**
   * The in-core local array (ICLA): memory of at most so many bytes that moves over the file, part
   * by part, the parts that are read and written meanwhile included.
   */
  public InCoreArray inCoreLocalArray(long bytes) {
    return arrays.inCore(bytes);
  }

  /** Writes all local arrays into a global array file, with buffers of a given size. Collective. */
  @SuppressWarnings("exports") // an annotation for compilers
  public void store(@Nullable GlobalArrayFile global, long bufferBytes) throws IOException {
    arrays.toGlobal(global == null ? null : global.array(), bufferBytes);
  }

  /** Fills all local arrays from a global array file; PASSION's first phase. Collective. */
  @SuppressWarnings("exports") // as above
  public void load(@Nullable GlobalArrayFile global, long bufferBytes) throws IOException {
    arrays.fromGlobal(global == null ? null : global.array(), bufferBytes);
  }

  @Override
  public void close() throws IOException {
    arrays.close();
  }
}
