package org.millrace.examples;

import java.util.Locale;

/** The kind of file that an example keeps its arrays in. */
public enum ArrayFormat {
  /** {@code .npy} files, which NumPy reads. */
  NPY,
  /** Zarr version 3: one shard for each array. */
  ZARR;

  /** As the command writes it. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
