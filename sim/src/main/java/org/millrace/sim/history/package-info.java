/**
 * Histories of what clients asked a coordinator and were answered, and whether some order of the
 * calls explains all answers.
 */
@NullMarked
package org.millrace.sim.history;

import org.jspecify.annotations.NullMarked;
