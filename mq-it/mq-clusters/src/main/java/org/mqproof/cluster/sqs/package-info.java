/** A node of ElasticMQ, which speaks the protocol of Amazon SQS. */
@NullMarked
package org.mqproof.cluster.sqs;

import org.jspecify.annotations.NullMarked;
