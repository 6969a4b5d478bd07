/** Tests of the ActiveMQ adapter; those named {@code *IT} run a real cluster. */
@NullMarked
package org.mqproof.activemq;

import org.jspecify.annotations.NullMarked;
