/**
 * The codec {@code zstd} of Zarr arrays, on aircompressor, a port of Zstandard to Java. It is found
 * as a service; programs need only have it on their class path.
 */
@NullMarked
package org.millrace.zarr.zstd;

import org.jspecify.annotations.NullMarked;
