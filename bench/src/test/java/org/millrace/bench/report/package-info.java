/** Tests of tables, JSON and pages. */
@NullMarked
package org.millrace.bench.report;

import org.jspecify.annotations.NullMarked;
