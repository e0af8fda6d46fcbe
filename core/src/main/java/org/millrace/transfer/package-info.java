/**
 * Moves bytes: a rank's part of a request goes in, requests to strands and copies to and from
 * memory come out. It knows how a range of a file becomes messages, and how the strategies of
 * collective calls are carried out; what a call means, which pointer it moves and who must agree to
 * it is the affair of {@code client}, which it does not know.
 */
@NullMarked
package org.millrace.transfer;

import org.jspecify.annotations.NullMarked;
