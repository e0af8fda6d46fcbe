package org.millrace.disk;

/**
 * What the opening of a strand found to be in doubt after a crash.
 *
 * @param inDoubt blocks that were about to be overwritten
 * @param torn those of them that are neither as before nor as intended
 */
public record Recovery(int inDoubt, int torn) {}
