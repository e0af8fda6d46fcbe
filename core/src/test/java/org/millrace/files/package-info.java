/** Tests of values about files. */
@NullMarked
package org.millrace.files;

import org.jspecify.annotations.NullMarked;
