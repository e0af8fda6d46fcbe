/**
 * Single operations of the core beside the limits of the machine. {@link
 * org.millrace.bench.micro.MicroBenchmarks} runs them all.
 */
@NullMarked
package org.millrace.bench.micro;

import org.jspecify.annotations.NullMarked;
