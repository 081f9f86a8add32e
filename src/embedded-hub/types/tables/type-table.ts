/**
 * The built-in kinds of one group and version, as facts. One table drives schemas (apply, strategic merge, OpenAPI,
 * strict decoding) and the protobuf codec.
 *
 * A field is written `<protobuf number> <type> <flag>...`:
 * - type: `string bool int32 int64 double bytes`, `Time MicroTime Quantity IntOrString RawExtension FieldsV1 JSON`, the
 *   name of a message (`Container`, or `meta.ObjectMeta` of another table), `[]T` a list, `map T` a map by string, `*T`
 *   optional (absent is not the same as zero);
 * - flags: `always` (written also when empty), `omitzero` (a message that is left out when zero), `required`,
 *   `map=<keys>` `set` `atomic` (list type, or map type), `patch=<strategies>` `key=<merge key>` (strategic merge patch),
 *   `default=<JSON>`, `enum=<percent-encoded values>` (for OpenAPI alone), `wrapped` (a list of texts that is a message of
 *   its own in protobuf).
 * A field named `...x` is a message in protobuf whose fields are directly in the JSON object.
 * The pseudo field `@` is about the message itself: `atomic`.
 */
export interface TypeTable {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  /** What the names of its definitions start with in OpenAPI. */
  readonly openApiPrefix: string;
  readonly types: Readonly<Record<string, Readonly<Record<string, string>>>>;
}
