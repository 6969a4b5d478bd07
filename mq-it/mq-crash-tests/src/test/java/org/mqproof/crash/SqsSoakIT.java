package org.mqproof.crash;

/** ElasticMQ: while its one node is dead, its clients wait. */
class SqsSoakIT extends SoakTests {

  SqsSoakIT() {
    super("sqs", SqsCrashIT.MODE);
  }
}
