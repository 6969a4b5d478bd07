package org.mqproof.report;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.github.victools.jsonschema.generator.FieldScope;
import com.github.victools.jsonschema.generator.Option;
import com.github.victools.jsonschema.generator.OptionPreset;
import com.github.victools.jsonschema.generator.SchemaGenerator;
import com.github.victools.jsonschema.generator.SchemaGeneratorConfigBuilder;
import com.github.victools.jsonschema.generator.SchemaVersion;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion;
import com.networknt.schema.ValidationMessage;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The schema of results.json is made from the records, and holds for what is written. */
class ResultsSchemaTest {

  private static final Path DOCUMENT = Path.of("..", "..", "docs", "results.schema.json");
  private static final JsonMapper JSON = new JsonMapper();

  @Test
  void theDocumentIsMadeFromTheRecords() throws IOException {
    if (Boolean.getBoolean("schema.update")) {
      Files.writeString(DOCUMENT, rendered(), UTF_8);
    }
    assertThat(Files.readString(DOCUMENT, UTF_8))
        .as("docs/results.schema.json differs from Results: run this test, -Dschema.update=true")
        .isEqualTo(rendered());
  }

  @Test
  void whatIsWrittenIsValid() throws IOException {
    assertThat(problems(ResultsFile.toJson(SampleResults.kafka()))).isEmpty();
    assertThat(problems(ResultsFile.toJson(SampleResults.roundTrips()))).isEmpty();
  }

  @Test
  void theSampleIsValid() throws IOException {
    assertThat(problems(Files.readString(DOCUMENT.resolveSibling("results-sample.json"), UTF_8)))
        .isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "\"schema\" : 1      | \"schema\" : 2         | must be the constant value '1'",
        "\"cores\" : 2       | \"cores\" : \"two\"    | string found, integer expected",
        "\"cores\" : 2,      | ''                     | required property 'cores' not found",
        "\"system\" : \"kafka\", | \"system\" : null, | null found, string expected",
      })
  void whatIsNotValidIsFound(String text, String instead, String problem) throws IOException {
    String json = ResultsFile.toJson(SampleResults.kafka());
    assertThat(json).contains(text);

    assertThat(problems(json.replace(text, instead)).toString()).contains(problem);
  }

  private static Set<ValidationMessage> problems(String json) throws IOException {
    JsonSchema schema =
        JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012)
            .getSchema(Files.readString(DOCUMENT, UTF_8));
    return schema.validate(JSON.readTree(json));
  }

  private static String rendered() throws IOException {
    SchemaGeneratorConfigBuilder config =
        new SchemaGeneratorConfigBuilder(
                SchemaVersion.DRAFT_2020_12, OptionPreset.PLAIN_JSON) // fields as they are written
            .with(Option.DEFINITIONS_FOR_ALL_OBJECTS)
            .with(Option.MAP_VALUES_AS_ADDITIONAL_PROPERTIES)
            .without(Option.FORBIDDEN_ADDITIONAL_PROPERTIES_BY_DEFAULT); // readers ignore them
    config
        .forFields()
        .withNullableCheck(ResultsSchemaTest::isNullable)
        .withRequiredCheck(field -> !isNullable(field))
        .withPropertyNameOverrideResolver(ResultsSchemaTest::writtenName);
    ObjectNode schema = new SchemaGenerator(config.build()).generateSchema(Results.class);
    unwrap((ObjectNode) schema.path("$defs"));
    ObjectNode titled = JSON.createObjectNode();
    titled.set("$schema", schema.remove("$schema"));
    titled.put("title", "results.json of MqProof, schema " + Results.SCHEMA);
    titled.setAll(schema);
    ((ObjectNode) titled.path("properties").path("schema")).put("const", Results.SCHEMA);
    return JSON.writerWithDefaultPrettyPrinter().writeValueAsString(sorted(titled)) + "\n";
  }

  /** The groups of a row are none in the file: their fields are the row's own. */
  private static void unwrap(ObjectNode definitions) {
    ObjectNode row = (ObjectNode) definitions.path("Row");
    ArrayNode required = JSON.createArrayNode();
    Map<String, JsonNode> properties = new TreeMap<>();
    row.path("required").forEach(required::add);
    row.path("properties").properties().forEach(e -> properties.put(e.getKey(), e.getValue()));
    for (RecordComponent group : Row.class.getRecordComponents()) {
      if (group.getAccessor().isAnnotationPresent(JsonUnwrapped.class)) {
        JsonNode fields = definitions.remove(group.getType().getSimpleName());
        properties.remove(group.getName());
        fields
            .path("properties")
            .properties()
            .forEach(e -> properties.put(e.getKey(), e.getValue()));
        required.removeIf(name -> name.asText().equals(group.getName()));
        fields.path("required").forEach(required::add);
      }
    }
    row.set("required", required);
    ObjectNode own = JSON.createObjectNode();
    properties.forEach(own::set);
    row.set("properties", own);
  }

  private static boolean isNullable(FieldScope field) {
    RecordComponent component =
        Arrays.stream(
                Objects.requireNonNull(
                    field.getDeclaringType().getErasedType().getRecordComponents()))
            .filter(candidate -> candidate.getName().equals(field.getDeclaredName()))
            .findFirst()
            .orElseThrow();
    return component.getAnnotatedType().isAnnotationPresent(Nullable.class);
  }

  /** The name in the file, where it is not the component's; null where it is. */
  private static @Nullable String writtenName(FieldScope field) {
    JsonProperty written = field.getAnnotation(JsonProperty.class);
    return written == null ? null : written.value();
  }

  /** Sets have no order of their own: the same text at every run. */
  private static JsonNode sorted(JsonNode node) {
    if (node instanceof ObjectNode object) {
      object.forEach(ResultsSchemaTest::sorted);
      if (object.get("required") instanceof ArrayNode required) {
        ArrayNode names = JSON.createArrayNode();
        required.valueStream().map(JsonNode::asText).sorted().forEach(names::add);
        object.set("required", names);
      }
    } else {
      node.forEach(ResultsSchemaTest::sorted);
    }
    return node;
  }
}
