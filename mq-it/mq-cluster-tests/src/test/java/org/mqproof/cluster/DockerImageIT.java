package org.mqproof.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.mqproof.cluster.container.Docker;

class DockerImageIT {

  @Test
  void anImageThatIsNotThereIsNamed() {
    Docker docker = new Docker(System.getenv());
    assumeTrue(answers(docker), "no Docker engine");

    assertThat(docker.whyUnavailable("mqproof/no-such-image:1", "build it"))
        .contains("there is no image mqproof/no-such-image:1 here: build it");
  }

  private static boolean answers(Docker docker) {
    try {
      docker.output("info");
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
