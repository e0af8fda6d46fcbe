/** Tests of Crockett's file concepts. */
@NullMarked
package org.millrace.heritage.crockett;

import org.jspecify.annotations.NullMarked;
