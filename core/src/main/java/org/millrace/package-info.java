/**
 * Millrace, assembled: {@link org.millrace.Cluster} puts nodes, a coordinator and ranks together in
 * one JVM. The only place that knows them all.
 */
@NullMarked
package org.millrace;

import org.jspecify.annotations.NullMarked;
