/** Replica sets of MongoDB. */
@NullMarked
package org.mqproof.cluster.mongodb;

import org.jspecify.annotations.NullMarked;
