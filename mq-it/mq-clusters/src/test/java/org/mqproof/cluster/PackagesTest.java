package org.mqproof.cluster;

import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.dependencies.SliceRule;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.mqproof.cluster.kafka.PlantedInKafka;
import org.mqproof.cluster.network.NetworkFacility;
import org.mqproof.cluster.process.NodeFacility;
import org.mqproof.cluster.process.PlantedInProcess;
import org.mqproof.cluster.rabbitmq.RabbitClusterProvider;

/**
 * The arrows between the packages: systems need concerns, concerns need the API, and never the
 * other way. Each rule must also fail on classes that are planted to break it.
 */
class PackagesTest {

  private static final String[] SYSTEMS =
      Stream.of(
              "kafka",
              "rabbitmq",
              "artemis",
              "activemq",
              "mongodb",
              "sqs",
              "pulsar",
              "postgresql",
              "nats",
              "rocketmq",
              "valkey")
          .map(name -> "org.mqproof.cluster." + name)
          .toArray(String[]::new);

  private static final ArchRule ARROWS_GO_DOWN =
      layeredArchitecture()
          .consideringOnlyDependenciesInLayers()
          .layer("systems")
          .definedBy(SYSTEMS)
          .layer("containers")
          .definedBy("org.mqproof.cluster.container")
          .layer("facilities")
          .definedBy("org.mqproof.cluster.network", "org.mqproof.cluster.disk")
          .layer("processes")
          .definedBy("org.mqproof.cluster.process")
          .layer("security")
          .definedBy("org.mqproof.cluster.security")
          .layer("API")
          .definedBy("org.mqproof.cluster")
          .whereLayer("systems")
          .mayNotBeAccessedByAnyLayer()
          .whereLayer("containers")
          .mayOnlyBeAccessedByLayers("systems")
          .whereLayer("facilities")
          .mayNotBeAccessedByAnyLayer() // found by ServiceLoader
          .whereLayer("processes")
          .mayOnlyBeAccessedByLayers("systems", "containers", "facilities")
          .whereLayer("security")
          .mayOnlyBeAccessedByLayers("systems", "processes");

  private static final SliceRule NO_CYCLES =
      slices().matching("org.mqproof.(cluster..)").should().beFreeOfCycles();

  private static final SliceRule NO_SYSTEM_KNOWS_ANOTHER =
      slices()
          .matching(
              "org.mqproof.cluster.("
                  + String.join("|", Arrays.stream(SYSTEMS).map(PackagesTest::last).toList())
                  + ")..")
          .should()
          .notDependOnEachOther();

  private static JavaClasses product;

  private static String last(String name) {
    return name.substring(name.lastIndexOf('.') + 1);
  }

  @BeforeAll
  static void importProduct() {
    product =
        new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("org.mqproof.cluster");
    assertThat(product.stream().map(c -> c.getPackageName()).distinct())
        .as("every package is in a layer")
        .contains(SYSTEMS)
        .hasSize(SYSTEMS.length + 6);
  }

  @Test
  void arrowsGoDown() {
    ARROWS_GO_DOWN.check(product);
    NO_CYCLES.check(product);
    NO_SYSTEM_KNOWS_ANOTHER.check(product);
  }

  @Test
  void anArrowUpIsSeen() {
    JavaClasses planted = planted(PlantedInProcess.class, NetworkFacility.class);

    assertThat(ARROWS_GO_DOWN.evaluate(planted).getFailureReport().getDetails())
        .anyMatch(detail -> detail.contains("PlantedInProcess"));
  }

  @Test
  void aCycleIsSeen() {
    JavaClasses planted =
        planted(PlantedInProcess.class, NetworkFacility.class, NodeFacility.class);

    assertThat(NO_CYCLES.evaluate(planted).hasViolation()).isTrue();
  }

  @Test
  void aSystemThatKnowsAnotherIsSeen() {
    JavaClasses planted = planted(PlantedInKafka.class, RabbitClusterProvider.class);

    assertThat(NO_SYSTEM_KNOWS_ANOTHER.evaluate(planted).hasViolation()).isTrue();
  }

  private static JavaClasses planted(Class<?>... classes) {
    return new ClassFileImporter().importClasses(classes);
  }
}
