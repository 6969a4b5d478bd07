package org.mqproof.crash;

/** ElasticMQ writes before it confirms, and awaits no disk: declared not to survive. */
class SqsPowerCutIT extends PowerCutTests {

  SqsPowerCutIT() {
    super("sqs", SqsCrashIT.MODE, false);
  }
}
