/** Tests of {@link org.millrace.sim.passion.PassionStudy} and what it is made of. */
@NullMarked
package org.millrace.sim.passion;

import org.jspecify.annotations.NullMarked;
