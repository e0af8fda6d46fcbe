package org.millrace.disk;

/**
 * What was in doubt when a strand was opened after a crash.
 *
 * @param inDoubt blocks that were about to be overwritten
 * @param torn those of them that are neither as before nor as intended
 */
public record Recovery(int inDoubt, int torn) {}
