package org.mqproof.cluster.sqs;

/**
 * The program of an ElasticMQ node: ElasticMQ's own main class, started once this process is
 * watched.
 *
 * <p>Runs from a copy of this one class file before ElasticMQ's own jars, so it must use nothing
 * else of this library and have no nested class.
 */
final class ElasticMqNodeMain {

  private ElasticMqNodeMain() {}

  /**
   * Waits for a line on the standard input, then runs.
   *
   * @param args none
   * @throws Exception if ElasticMQ does not start
   */
  public static void main(String[] args) throws Exception {
    if (System.in.read() < 0) {
      return; // the owner died before it could have this process watched
    }
    try {
      // By name: the class is Scala, and not on this library's class path.
      Class.forName("org.elasticmq.server.Main")
          .getMethod("main", String[].class)
          .invoke(null, (Object) new String[0]);
    } catch (Exception e) {
      e.printStackTrace();
      Throwable root = e;
      while (root.getCause() != null) {
        root = root.getCause();
      }
      System.err.println("this node ends: " + root); // last, where the owner looks
      System.exit(1); // whatever threads ElasticMQ has left
    }
  }
}
