/** Tests of the Pulsar adapter; those named {@code *IT} run a real cluster of three nodes. */
@NullMarked
package org.mqproof.pulsar;

import org.jspecify.annotations.NullMarked;
