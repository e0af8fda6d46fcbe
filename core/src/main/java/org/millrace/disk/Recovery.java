package org.millrace.disk;

/**
 * What was in doubt when a strand was opened after a crash.
 *
 * @param inDoubt blocks that were about to be overwritten
 * @param torn those of them that are neither as before nor as intended
 * @param corrupt those in which bytes are wrong that no write had touched
 */
public record Recovery(int inDoubt, int torn, int corrupt) {}
