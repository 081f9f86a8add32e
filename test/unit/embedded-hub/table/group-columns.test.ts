import { expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import { apiServiceColumns } from "../../../../src/embedded-hub/table/group-columns.ts";

it.each<{ conditions: readonly JsonObject[]; available: string }>([
  { conditions: [], available: "Unknown" },
  { conditions: [{ type: "Other", status: "True" }], available: "Unknown" },
  { conditions: [{ type: "Available", status: "True", reason: "Local" }], available: "True" },
  { conditions: [{ type: "Available", status: "False", reason: "Down" }], available: "False (Down)" },
  { conditions: [{ type: "Available", status: "False" }], available: "False" },
])("an APIService with $conditions is available: $available", ({ conditions, available }) => {
  const service = { apiVersion: "v1", kind: "APIService", metadata: { name: "v1.a.io" }, status: { conditions } };
  expect(apiServiceColumns.slice(0, 3).map(({ cell }) => cell(service, 0))).toEqual(["v1.a.io", "Local", available]);
});
