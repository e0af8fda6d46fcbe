package org.millrace.message;

/** A message: an immutable, self-contained value. */
public interface Message {}
