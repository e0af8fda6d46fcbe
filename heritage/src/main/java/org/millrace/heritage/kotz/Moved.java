package org.millrace.heritage.kotz;

/**
 * What a read or write that tells its position did.
 *
 * @param position where the file pointer stood, as a number of records
 * @param records how many were moved
 */
public record Moved(long position, long records) {}
