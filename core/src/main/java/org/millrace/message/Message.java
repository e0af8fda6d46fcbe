package org.millrace.message;

/** Something that can be sent: an immutable value, complete in itself. */
public interface Message {}
