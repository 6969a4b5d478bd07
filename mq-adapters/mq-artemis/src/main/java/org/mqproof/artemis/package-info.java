/** Queues on Apache Artemis. Only {@link org.mqproof.artemis.ArtemisMqProvider} is public. */
@NullMarked
package org.mqproof.artemis;

import org.jspecify.annotations.NullMarked;
