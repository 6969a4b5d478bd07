@NullMarked
package org.mqproof.sqs;

import org.jspecify.annotations.NullMarked;
