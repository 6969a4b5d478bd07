/** Tests of the frame; the sides they run move nothing. */
@NullMarked
package org.mqproof.comparison;

import org.jspecify.annotations.NullMarked;
