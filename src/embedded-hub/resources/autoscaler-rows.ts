import type { KubeObject } from "../../model/kubernetes.ts";
import { asJson, asKubeObject } from "../metadata/kube-json.ts";
import type { ResourceHooks } from "../operations/resource-definition.ts";
import { autoscalerColumns } from "../table/stored-columns.ts";
import { toNewAutoscaler, toOldAutoscaler } from "../types/autoscaler-forms.ts";
import { completeBuiltIn } from "../types/defaults.ts";
import { messageType } from "../types/type-registry.ts";
import { validateAutoscaler } from "../validation/validate-autoscaler.ts";
import type { BuiltInRow } from "./define.ts";
import { withoutTolerance } from "./drop-ungated.ts";
import { storedOnly } from "./stored-only.ts";

type Validate = NonNullable<ResourceHooks["validate"]>;

const row = {
  kind: "HorizontalPodAutoscaler",
  shortNames: ["hpa"],
  categories: ["all"],
  subresources: ["status"],
  columns: autoscalerColumns,
  hooks: {
    prepareForCreate: (autoscaler) => withoutTolerance(autoscaler),
    prepareForUpdate: withoutTolerance,
    validate: warned((autoscaler, old, context) => {
      // Throws 413: what v2 takes and v1 does not write back could be read in v1, and not edited.
      toNew(toOld(autoscaler));
      return validateAutoscaler(autoscaler, old, context);
    }),
  },
} as const satisfies BuiltInRow;

export const autoscalingRows: readonly BuiltInRow[] = [row];

/** The same objects in the form of v1: what has no field there is in annotations, of which those of status belong to it. */
export const oldAutoscalingRows: readonly BuiltInRow[] = [
  {
    ...row,
    columns: autoscalerColumns.map(({ cell, ...column }) => ({
      ...column,
      cell: (autoscaler, nowMs) => cell(toNew(autoscaler), nowMs),
    })),
    storage: {
      prefix: "/autoscaling/horizontalpodautoscalers/",
      apiVersion: "autoscaling/v2",
      toServed: toOld,
      toStored: toNew,
    },
    hooks: {
      prepareForCreate: (autoscaler) => {
        const { status } = toNew({ ...autoscaler, metadata: { ...autoscaler.metadata, annotations: {} } });
        return toOld(withoutTolerance({ ...toNew(autoscaler), status }));
      },
      prepareForUpdate: (autoscaler, live, { subresource }) => {
        const [now, old] = [toNew(autoscaler), toNew(live)];
        if (subresource === "status") return toOld({ ...now, spec: old["spec"] });
        return toOld(withoutTolerance({ ...now, status: old["status"] }, old));
      },
      validate: warned((autoscaler, old, context) =>
        validateAutoscaler(toNew(autoscaler), old === undefined ? undefined : toNew(old), context),
      ),
    },
  },
];

function warned(validate: Validate): Validate {
  return storedOnly(validate, "scales by HorizontalPodAutoscalers");
}

/** With the defaults of v2, which what was in annotations has not. */
function toNew(autoscaler: KubeObject): KubeObject {
  const message = messageType("autoscaling2.HorizontalPodAutoscaler");
  return asKubeObject(completeBuiltIn(message, toNewAutoscaler(asJson(autoscaler))));
}

function toOld(autoscaler: KubeObject): KubeObject {
  return asKubeObject(toOldAutoscaler(asJson(autoscaler)));
}
