/** Tests of simulated networks. */
@NullMarked
package org.millrace.sim.network;

import org.jspecify.annotations.NullMarked;
