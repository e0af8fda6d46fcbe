package org.millrace.coordinator;

import org.millrace.protocol.OpenFlags;

/**
 * A file that a group has open.
 *
 * @param number of this open, and of its channel
 * @param group who has it open
 * @param file the file's id
 * @param flags how it was opened
 * @param channel its synchronizing calls
 * @param pointer key of its shared pointer
 * @param endPointer key of its shared end-of-file pointer
 */
record Open(
    long number,
    Group group,
    long file,
    OpenFlags flags,
    Channel channel,
    long pointer,
    long endPointer) {}
