/**
 * The closed set of requests and replies that ranks, nodes and the coordinator exchange. Values
 * only, so that a network can carry them.
 */
@NullMarked
package org.millrace.protocol;

import org.jspecify.annotations.NullMarked;
