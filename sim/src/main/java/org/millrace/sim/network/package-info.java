/** Simulated networks: when a message arrives. */
@NullMarked
package org.millrace.sim.network;

import org.jspecify.annotations.NullMarked;
