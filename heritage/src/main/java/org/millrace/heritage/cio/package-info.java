/**
 * CalTech's Concurrent I/O system for hypercubes: one process acts for all, or a token says whose
 * turn it is, or each goes its own way.
 */
@NullMarked
package org.millrace.heritage.cio;

import org.jspecify.annotations.NullMarked;
