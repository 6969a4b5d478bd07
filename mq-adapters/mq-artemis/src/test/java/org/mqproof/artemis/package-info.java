/** Tests of the Artemis adapter; those named {@code *IT} run a real cluster. */
@NullMarked
package org.mqproof.artemis;

import org.jspecify.annotations.NullMarked;
