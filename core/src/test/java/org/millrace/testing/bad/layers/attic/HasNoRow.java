package org.millrace.testing.bad.layers.attic;

/** Lives in a package that the table does not name. */
public record HasNoRow(int number) {}
