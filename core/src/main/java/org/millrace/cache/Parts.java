package org.millrace.cache;

/** The parts of one cache that its strands work with. */
record Parts(Access access, ReadAhead ahead, WriteBack writeBack, Resize resize, Pins pins) {}
