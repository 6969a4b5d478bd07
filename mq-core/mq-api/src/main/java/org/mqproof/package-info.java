/**
 * The contract: send, receive and ack over a persistent, replicated message queue, at least once.
 *
 * <p>{@link org.mqproof.Mq} is a connection to one system. {@link org.mqproof.Sender#send} returns
 * when every message of the batch is as safe as {@link org.mqproof.Mq#traits()} declares. {@link
 * org.mqproof.Receiver#receive} hides messages from other receivers and never removes them; {@link
 * org.mqproof.Receiver#ack} does. The rules that every implementation is held to are in {@code
 * docs/rules.md}.
 *
 * <p>An error is <em>definite</em> (it certainly did not happen: {@link
 * org.mqproof.Outcome#REJECTED}, {@link java.lang.IllegalArgumentException}, {@link
 * java.lang.IllegalStateException}) or <em>indefinite</em> (nobody knows: {@link
 * org.mqproof.Outcome#UNKNOWN}, any other {@link org.mqproof.MqException}). A timeout is always
 * indefinite.
 */
@NullMarked
package org.mqproof;

import org.jspecify.annotations.NullMarked;
