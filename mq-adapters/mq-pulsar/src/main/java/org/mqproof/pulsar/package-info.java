/**
 * Apache Pulsar: a queue is a topic with one shared subscription. Found by name through {@link
 * org.mqproof.spi.MqProvider}; {@link org.mqproof.pulsar.PulsarMqProvider} lists the settings.
 */
@NullMarked
package org.mqproof.pulsar;

import org.jspecify.annotations.NullMarked;
