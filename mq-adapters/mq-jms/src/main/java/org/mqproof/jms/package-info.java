/**
 * What the adapters of Jakarta Messaging brokers share: sending in three modes, receiving, acks,
 * and finding the node that serves. A broker's own part is {@link org.mqproof.jms.JmsBroker}.
 */
@NullMarked
package org.mqproof.jms;

import org.jspecify.annotations.NullMarked;
