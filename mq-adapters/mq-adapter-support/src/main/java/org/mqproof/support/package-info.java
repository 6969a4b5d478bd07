/**
 * What adapters share, whatever their system: the settings of TLS and what they mean, the outcomes
 * of what is sent, acks. For authors of adapters; who sends and receives needs none of it.
 */
@NullMarked
package org.mqproof.support;

import org.jspecify.annotations.NullMarked;
