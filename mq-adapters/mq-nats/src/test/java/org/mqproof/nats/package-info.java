/** Tests of the NATS adapter; the kit and the crash tests run it on a real cluster. */
@NullMarked
package org.mqproof.nats;

import org.jspecify.annotations.NullMarked;
