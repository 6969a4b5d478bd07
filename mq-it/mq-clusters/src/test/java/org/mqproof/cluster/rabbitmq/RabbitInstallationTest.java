package org.mqproof.cluster.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.mqproof.cluster.ClusterException;

class RabbitInstallationTest {

  private final Path root;

  RabbitInstallationTest(@TempDir Path root) {
    this.root = root;
  }

  @Test
  void withoutRabbitOneSentenceSaysWhatToInstall() {
    assertThatThrownBy(() -> RabbitInstallation.find(List.of(root)))
        .isInstanceOf(ClusterException.class)
        .hasMessage(
            "there is no rabbitmq-server on the PATH: install RabbitMQ, on Debian and Ubuntu with"
                + " 'apt-get install rabbitmq-server'");
  }

  @Test
  void findsADistribution() throws IOException {
    Path server = program("dist/sbin/rabbitmq-server");
    Files.createDirectories(root.resolve("dist/plugins/rabbit-4.3.6"));
    Path epmd = program("bin/epmd");
    Path erlCall = program("bin/erl_call");
    program("bin/erl");
    Path kernel = Files.createDirectories(root.resolve("lib/kernel-11.0.4/ebin"));
    Path stdlib = Files.createDirectories(root.resolve("lib/stdlib-8.1.1/ebin"));
    Files.createDirectories(root.resolve("lib/rabbitmq"));
    Path common = Files.createDirectories(root.resolve("dist/plugins/rabbit_common-4.3.6"));

    RabbitInstallation found =
        RabbitInstallation.find(List.of(root.resolve("bin"), root.resolve("dist/sbin")));

    assertThat(found)
        .isEqualTo(
            new RabbitInstallation(
                null,
                server.toRealPath(),
                epmd,
                erlCall,
                List.of(kernel.toRealPath(), stdlib.toRealPath()),
                "4.3.6"));
    assertThat(found.applications(Pattern.compile("rabbit_.*")))
        .containsExactly(common.toRealPath());
  }

  @Test
  void findsTheRealScriptBehindDebiansWrapper() throws IOException {
    Path server = program("lib/rabbitmq_server-3.10.8/sbin/rabbitmq-server");
    Files.createDirectories(root.resolve("lib/rabbitmq_server-3.10.8/plugins/rabbit-3.10.8"));
    Path wrapper = program("bin/rabbitmq-script-wrapper");
    Files.createSymbolicLink(wrapper.resolveSibling("rabbitmq-server"), server);
    Files.createDirectory(root.resolve("sbin"));
    Files.createSymbolicLink(root.resolve("sbin/rabbitmq-server"), wrapper);
    program("sbin/epmd");
    program("sbin/erl_call");
    program("sbin/erl");

    RabbitInstallation found = RabbitInstallation.find(List.of(root.resolve("sbin")));

    assertThat(found.server()).isEqualTo(server.toRealPath());
    assertThat(found.version()).isEqualTo("3.10.8");
  }

  @Test
  void inAnotherRootProgramsAreWhereTheirOwnSystemSeesThem() throws IOException {
    program("usr/lib/rabbitmq_server-4.0.5/sbin/rabbitmq-server");
    Files.createDirectories(root.resolve("usr/lib/rabbitmq_server-4.0.5/plugins/rabbit-4.0.5"));
    Files.createDirectory(root.resolve("usr/sbin"));
    Files.createSymbolicLink(
        root.resolve("usr/sbin/rabbitmq-server"),
        Path.of("../lib/rabbitmq_server-4.0.5/sbin/rabbitmq-server"));
    program("usr/bin/epmd");
    program("usr/bin/erl_call");
    Path erl = program("usr/lib/erlang/bin/erl");
    Files.createSymbolicLink(root.resolve("usr/bin/erl"), root.resolve("usr/bin").relativize(erl));
    Files.createDirectories(root.resolve("usr/lib/erlang/lib/kernel-10.2/ebin"));

    RabbitInstallation found = RabbitInstallation.in(root);

    Path server = Path.of("/usr/lib/rabbitmq_server-4.0.5/sbin/rabbitmq-server");
    assertThat(found)
        .isEqualTo(
            new RabbitInstallation(
                root.toRealPath(),
                server,
                Path.of("/usr/bin/epmd"),
                Path.of("/usr/bin/erl_call"),
                List.of(Path.of("/usr/lib/erlang/lib/kernel-10.2/ebin")),
                "4.0.5"));
    assertThat(found.applications(Pattern.compile("rabbit-.*")))
        .containsExactly(Path.of("/usr/lib/rabbitmq_server-4.0.5/plugins/rabbit-4.0.5"));
    assertThat(found.command(List.of("epmd", "-names")))
        .startsWith("unshare", "--mount")
        .endsWith(root.toRealPath().toString(), "epmd", "-names");
  }

  @Test
  void aRootWithoutRabbitIsAClearError() {
    assertThatThrownBy(() -> RabbitInstallation.in(root))
        .isInstanceOf(ClusterException.class)
        .hasMessage(
            "there is no RabbitMQ in %s, which -Dmqproof.rabbitmq.root names:".formatted(root)
                + " mq-it/mq-clusters/fetch-rabbitmq4 makes one");
  }

  @Test
  void aScriptWithoutADistributionIsAClearError() throws IOException {
    program("sbin/rabbitmq-server");

    assertThatThrownBy(() -> RabbitInstallation.find(List.of(root.resolve("sbin"))))
        .isInstanceOf(ClusterException.class)
        .hasMessageEndingWith("put the sbin directory of a RabbitMQ distribution on the PATH");
  }

  @Test
  void withoutErlangsToolsOneSentenceSaysWhatToInstall() throws IOException {
    program("dist/sbin/rabbitmq-server");
    Files.createDirectories(root.resolve("dist/plugins/rabbit-3.10.8"));

    assertThatThrownBy(() -> RabbitInstallation.find(List.of(root.resolve("dist/sbin"))))
        .isInstanceOf(ClusterException.class)
        .hasMessageStartingWith("there is no epmd on the PATH: install Erlang/OTP");
  }

  private Path program(String name) throws IOException {
    Path file = root.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, "#!/bin/sh\n");
    assertThat(file.toFile().setExecutable(true)).isTrue();
    return file;
  }
}
