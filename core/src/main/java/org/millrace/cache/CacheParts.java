package org.millrace.cache;

/** The parts of one cache that its strands work with. */
record CacheParts(
    BlockAccess access, ReadAhead readAhead, WriteBack writeBack, Resize resize, Pins pins) {}
