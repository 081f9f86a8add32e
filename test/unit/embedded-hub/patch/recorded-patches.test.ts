import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../../../src/core/json.ts";
import { applyJsonPatch } from "../../../../src/embedded-hub/patch/json-patch.ts";
import { applyMergePatch } from "../../../../src/embedded-hub/patch/merge-patch.ts";
import type { PatchResult } from "../../../../src/embedded-hub/patch/patch.ts";
import { applyStrategicMergePatch } from "../../../../src/embedded-hub/patch/strategic-merge-patch.ts";
import { decodeBuiltIn } from "../../../../src/embedded-hub/types/decode-built-in.ts";
import { schemaOf } from "../../../../src/embedded-hub/types/schema-of.ts";
import { messageType } from "../../../../src/embedded-hub/types/type-registry.ts";

/** What kube-apiserver 1.34 answered to random patches of ServiceAccounts. */
interface Recorded {
  readonly type: "json" | "merge" | "strategic-merge";
  readonly live: JsonObject;
  readonly patch: Json;
  readonly object?: JsonObject;
  readonly code?: number;
  readonly message?: string;
}

const file = new URL("golden/patches.json", import.meta.url);
const recorded = JSON.parse(readFileSync(file, "utf8")) as readonly Recorded[];

function applied({ type, live, patch }: Recorded): PatchResult {
  switch (type) {
    case "json":
      return applyJsonPatch(live, patch);
    case "merge":
      return applyMergePatch(live, patch);
    case "strategic-merge":
      return applyStrategicMergePatch(live, patch, schemaOf("", "v1", "ServiceAccount") ?? {});
  }
}

/** What of an object a patch can change. */
function content(object: JsonObject): JsonObject {
  const { metadata, secrets, ...rest } = object;
  const { labels, annotations, finalizers, name } = metadata as JsonObject;
  const names = (secrets as readonly JsonObject[] | undefined)?.map((secret) => ({ name: secret["name"] }));
  return JSON.parse(JSON.stringify({ ...rest, secrets: names, labels, annotations, finalizers, name })) as JsonObject;
}

describe("patches that were recorded", () => {
  it.each(recorded.map((one, index) => [`${index} ${one.type} ${one.code ?? 200}`, one] as const))(
    "%s",
    (_name, one) => {
      const result = applied(one);
      if (result.kind === "refused") {
        const { code, message } = result;
        expect({ code, ...(one.message === undefined ? {} : { message }) }).toEqual({
          code: one.code,
          ...(one.message === undefined ? {} : { message: one.message }),
        });
        return;
      }
      const decoded = decodeBuiltIn(messageType("core.ServiceAccount"), result.object);
      // What the patch made of the object is not a ServiceAccount any more.
      if (decoded.error !== undefined) expect(one.code).toBe(422);
      else expect(content(decoded.object)).toEqual(one.object);
    },
  );

  it("are of every type and outcome", () => {
    const outcomes = new Set(recorded.map(({ type, code = 200 }) => `${type} ${code}`));
    for (const type of ["json", "merge", "strategic-merge"]) expect(outcomes).toContain(`${type} 200`);
    expect(outcomes).toContain("json 422");
    expect(outcomes).toContain("strategic-merge 500");
  });
});
