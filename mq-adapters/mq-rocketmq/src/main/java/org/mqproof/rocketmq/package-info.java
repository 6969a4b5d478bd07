/**
 * Apache RocketMQ as an MqProof queue: pop consumption over the remoting protocol, each message
 * acked by itself.
 */
@NullMarked
package org.mqproof.rocketmq;

import org.jspecify.annotations.NullMarked;
