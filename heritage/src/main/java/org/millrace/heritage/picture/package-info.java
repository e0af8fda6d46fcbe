/** Pictures of which rank sees which bytes of a file, in text and in SVG. */
@NullMarked
package org.millrace.heritage.picture;

import org.jspecify.annotations.NullMarked;
