/**
 * Coordinators and nodes as processes of this host: what they run, and {@code up} and {@code stop},
 * which start and end them.
 */
@NullMarked
package org.millrace.cli.daemons;

import org.jspecify.annotations.NullMarked;
