/**
 * Results as text tables, as JSON and as HTML pages. It knows all other packages of this module;
 * none knows it.
 */
@NullMarked
package org.millrace.bench.report;

import org.jspecify.annotations.NullMarked;
