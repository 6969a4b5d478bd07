package org.mqproof.crash;

import java.nio.file.Path;
import java.util.Map;
import org.mqproof.cluster.Cluster;

/** A cluster that says yes to every fault and does nothing. Thread-safe as the real one is. */
class HarmlessCluster implements Cluster {

  final Cluster real;

  HarmlessCluster(Cluster real) {
    this.real = real;
  }

  @Override
  public String system() {
    return real.system();
  }

  @Override
  public String version() {
    return real.version();
  }

  @Override
  public Map<String, String> settings() {
    return real.settings();
  }

  @Override
  public Path directory() {
    return real.directory();
  }

  @Override
  public int nodes() {
    return real.nodes();
  }

  @Override
  public ProcessHandle process(int node) {
    return real.process(node);
  }

  @Override
  public int leader(String queue) {
    return real.leader(queue);
  }

  @Override
  public void kill(int node) {}

  @Override
  public void killAll() {}

  @Override
  public void pause(int node) {}

  @Override
  public void resume(int node) {}

  @Override
  public void isolate(int node) {}

  @Override
  public void cutAll() {}

  @Override
  public void cutPower(int node) {}

  @Override
  public void cutPowerAll() {}

  @Override
  public Path disk(int node) {
    return real.disk(node);
  }

  @Override
  public void slow(long bytesPerSecond) {}

  @Override
  public void restart(int node) {}

  @Override
  public void heal() {}

  @Override
  public void close() {
    real.close();
  }
}
