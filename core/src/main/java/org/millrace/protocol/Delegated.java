package org.millrace.protocol;

/**
 * The right of a session to keep bytes of a file.
 *
 * @param file the file
 * @param open the last open by which it was given: the right of later ones is another
 */
public record Delegated(long file, long open) {}
