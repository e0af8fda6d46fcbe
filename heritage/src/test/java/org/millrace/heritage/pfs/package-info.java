/** Tests of PFS and PFSLib: every call, mode, flag, error and rule of the manual. */
@NullMarked
package org.millrace.heritage.pfs;

import org.jspecify.annotations.NullMarked;
