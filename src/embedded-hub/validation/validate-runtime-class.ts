import { checkLabel } from "../../core/formats/kube-names.ts";
import type { JsonObject } from "../../core/json.ts";
import { objectAt, objectsAt, textAt, textMapAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { validateLabels } from "../metadata/validate-metadata.ts";
import { duplicateStruct, indexPath } from "../schema/field-error.ts";
import type { FieldError } from "../schema/schema.ts";
import { hold, immutable } from "./checks.ts";
import { warnOfOldLabel } from "./pod-warnings.ts";
import { validateTolerations } from "./validate-affinity.ts";
import { validateResources } from "./validate-resources.ts";

/** What is wrong with a RuntimeClass or with its change. Source: Kubernetes, pkg/apis/node/validation. */
export function validateRuntimeClass(one: KubeObject, old: KubeObject | undefined): FieldError[] {
  const handler = textAt(one, "handler") ?? "";
  const overhead = objectAt(one, "overhead");
  const scheduling = objectAt(one, "scheduling");
  return [
    ...hold(checkLabel, handler, "handler"),
    ...(overhead === undefined ? [] : validateResources({ limits: objectAt(overhead, "podFixed") ?? {} }, "overhead")),
    ...(scheduling === undefined ? [] : validateScheduling(scheduling)),
    ...(old === undefined ? [] : immutable(handler, textAt(old, "handler") ?? "", "handler")),
  ];
}

function validateScheduling(scheduling: JsonObject): FieldError[] {
  const path = "scheduling.tolerations";
  const seen = new Set<string>();
  return [
    ...validateLabels(textMapAt(scheduling, "nodeSelector"), "scheduling.nodeSelector"),
    // kube-apiserver has the field twice in these paths.
    ...validateTolerations(scheduling, `${path}.tolerations`),
    ...objectsAt(scheduling, "tolerations").flatMap((toleration, index) => {
      const [Key = "", Operator = "", Value = "", Effect = ""] = ["key", "operator", "value", "effect"].map(
        (name) => textAt(toleration, name) ?? "",
      );
      // An API server prints its own form of the object, in the order of that.
      const printed = { Key, Operator, Value, Effect };
      const text = JSON.stringify(printed);
      const { tolerationSeconds: TolerationSeconds = null } = toleration;
      if (seen.has(text)) return [duplicateStruct(indexPath(path, index), { ...printed, TolerationSeconds })];
      seen.add(text);
      return [];
    }),
  ];
}

/** Source: Kubernetes, pkg/api/node. */
export function warnOfRuntimeClass(one: KubeObject): readonly string[] {
  const keys = Object.keys(textMapAt(one, "scheduling", "nodeSelector"));
  return keys.flatMap((key) => warnOfOldLabel(key, "scheduling.nodeSelector"));
}
