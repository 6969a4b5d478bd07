@NullMarked
package org.mqproof.micrometer;

import org.jspecify.annotations.NullMarked;
