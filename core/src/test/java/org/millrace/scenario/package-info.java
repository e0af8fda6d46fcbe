/**
 * Scenarios with known answers, each written once against the API and run on every kind of world:
 * on real files, on disks in memory, and under the seeded scheduler. A new kind of world is one
 * class that names the groups of scenarios.
 */
@NullMarked
package org.millrace.scenario;

import org.jspecify.annotations.NullMarked;
