/** Tests of the RocketMQ adapter; the kit and the crash tests run it on a real cluster. */
@NullMarked
package org.mqproof.rocketmq;

import org.jspecify.annotations.NullMarked;
