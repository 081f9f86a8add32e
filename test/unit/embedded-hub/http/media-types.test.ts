import { describe, expect, it } from "vitest";
import {
  checkAccepted,
  negotiateDocument,
  negotiateFailure,
  negotiateInput,
  negotiateOutput,
} from "../../../../src/embedded-hub/http/media-types.ts";

const table = "as=Table;v=v1;g=meta.k8s.io";

describe("negotiateOutput", () => {
  it("passes over shapes where there are none, and protobuf for a table", () => {
    const accept = `application/vnd.kubernetes.protobuf;${table},application/yaml;${table},application/json;q=0.5`;
    expect(negotiateOutput(accept)).toEqual({ encoding: "json" });
    expect(negotiateOutput(accept, { hasShapes: true })).toEqual({ encoding: "yaml", as: "Table", version: "v1" });
    expect(negotiateOutput(accept, { hasShapes: true, hasTable: false })).toEqual({ encoding: "json" });
  });

  it("refuses what cannot be made with 406", () => {
    for (const accept of ["text/html", "*/json", "application/yaml;stream=watch", "application/json;sv=v1"])
      expect(() => negotiateOutput(accept)).toThrow("only the following media types are accepted");
  });
});

it("checkAccepted refuses application/* where types must be named", () => {
  expect(() => checkAccepted("application/*", ["application/json"])).toThrow("Available representations");
  for (const accept of [undefined, "", "*/*", "application/json;q=0"]) checkAccepted(accept, ["application/json"]);
});

it("negotiateFailure writes lines of JSON to clients that accept no form of it", () => {
  const accepts = ["text/html", `application/json;${table}`, "application/json;pretty=1", "application/yaml", "*/*"];
  expect(accepts.map(negotiateFailure)).toEqual(["jsonInLines", "jsonInLines", "jsonInLines", "yaml", "json"]);
});

it("negotiateDocument finds the form that is wanted most", () => {
  const accepts = ["*/json", "x/y", "x/proto,application/json;q=0.5", ""];
  expect(accepts.map((accept) => negotiateDocument(accept, ["x/proto"]))).toEqual([
    "json",
    undefined,
    "protobuf",
    "json",
  ]);
});

it("negotiateInput takes parameters with values, each once", () => {
  expect([undefined, "", "APPLICATION/YAML;a=b", "application/json;"].map(negotiateInput)).toEqual([
    "json",
    "json",
    "yaml",
    "json",
  ]);
  for (const type of [";", "application/json;x", "application/json;a=b;A=c", "text/html"])
    expect(() => negotiateInput(type)).toThrow("unknown format");
});
