/**
 * {@code millrace conformance}: the conformance book, a page for each old system with every rule of
 * its document and the tests that show it, and whether these tests ran.
 */
@NullMarked
package org.millrace.cli.conformance;

import org.jspecify.annotations.NullMarked;
