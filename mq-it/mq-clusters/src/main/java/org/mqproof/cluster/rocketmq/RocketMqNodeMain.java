package org.mqproof.cluster.rocketmq;

/**
 * The program of one RocketMQ node: a name server with a controller, and a broker, each by
 * RocketMQ's own main class, in one JVM.
 *
 * <p>Runs from a copy of this one class file before the broker's own jars, so it must use nothing
 * else of this library and have no nested class.
 */
final class RocketMqNodeMain {

  private RocketMqNodeMain() {}

  /**
   * Waits for a line on the standard input, then runs.
   *
   * @param args the properties files of the name server and of the broker
   * @throws Exception if a main class is missing; RocketMQ's own errors end the JVM
   */
  public static void main(String[] args) throws Exception {
    if (System.in.read() < 0) {
      return; // the owner died before it could have this process watched
    }
    run("org.apache.rocketmq.namesrv.NamesrvStartup", args[0]);
    run("org.apache.rocketmq.broker.BrokerStartup", args[1]);
  }

  private static void run(String mainClass, String properties) throws Exception {
    Class.forName(mainClass)
        .getMethod("main", String[].class)
        .invoke(null, (Object) new String[] {"-c", properties});
  }
}
