/**
 * Names, opens, shared pointers, synchronizing calls and locks: a deterministic state machine fed
 * with the requests of {@code protocol}, and a journal of what must outlive it. It never touches
 * file data.
 */
@NullMarked
package org.millrace.coordinator;

import org.jspecify.annotations.NullMarked;
