import type { KubeObject } from "../../model/kubernetes.ts";
import { asJson, asKubeObject } from "../metadata/kube-json.ts";
import { applyDefaults } from "../schema/apply-defaults.ts";
import type { Schema } from "../schema/schema.ts";
import { decodeCustom } from "../types/decode-custom.ts";

/** A custom object without what the schema does not know, with its defaults. */
export function readBySchema(object: KubeObject, schema: Schema): KubeObject {
  const decoded = decodeCustom(asJson(object), schema);
  return asKubeObject(decoded.error === undefined ? applyDefaults(decoded.object, schema) : asJson(object));
}
