/** Tests of the reference queue. */
@NullMarked
package org.mqproof.memory;

import org.jspecify.annotations.NullMarked;
