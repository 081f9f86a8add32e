import type { KubeObject } from "../../model/kubernetes.ts";
import { asJson, asKubeObject } from "../metadata/kube-json.ts";
import { applyDefaults } from "../schema/apply-defaults.ts";
import type { Schema } from "../schema/schema.ts";
import { stepsLeft } from "../schema/validation-steps.ts";
import { decodeCustom } from "../types/decode-custom.ts";

/** A custom object without what the schema does not know, with its defaults unless these would take too long. */
export function readBySchema(object: KubeObject, schema: Schema): KubeObject {
  const decoded = decodeCustom(asJson(object), schema);
  if (decoded.error !== undefined) return object;
  return asKubeObject(stepsLeft(decoded.object, schema) < 0 ? decoded.object : applyDefaults(decoded.object, schema));
}
