/** Tests of Zarr arrays against naive encoders and models. */
@NullMarked
package org.millrace.array.zarr;

import org.jspecify.annotations.NullMarked;
