/** What tests of several packages share: seeds, fixtures, and the tests that read the sources. */
@NullMarked
package org.millrace.testing;

import org.jspecify.annotations.NullMarked;
