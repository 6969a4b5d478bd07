/** Tests of the MongoDB adapter; those named {@code *IT} run a real cluster of three nodes. */
@NullMarked
package org.mqproof.mongodb;

import org.jspecify.annotations.NullMarked;
