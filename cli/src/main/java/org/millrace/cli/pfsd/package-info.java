/** PFSLib's commands by their own names, over Millrace's. */
@NullMarked
package org.millrace.cli.pfsd;

import org.jspecify.annotations.NullMarked;
