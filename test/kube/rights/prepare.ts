import { expect } from "vitest";
import { until } from "../../support/until.ts";
import { matrixObjects } from "./accounts.ts";
import type { MatrixRequest } from "./make-request.ts";
import type { MatrixHub } from "./matrix-hub.ts";

/** Makes the accounts of the matrix, its kinds and its objects. Resolves when they are served. */
export async function prepareMatrix(hub: MatrixHub): Promise<void> {
  const admin = (
    method: string,
    target: string,
    body?: object,
  ): Promise<{ readonly code: number; readonly text: string }> => {
    const request: MatrixRequest = { account: "admin", method, target, ...(body === undefined ? {} : { body }) };
    return hub.send(request);
  };
  for (const { path, body } of matrixObjects()) {
    const { code, text } = await admin("POST", path, body);
    expect(code, `${path}: ${text}`).toBe(201);
  }
  const isServed = ({ code }: { readonly code: number }): boolean => code === 200;
  await until(() => admin("GET", "/apis/GROUP/v1/namespaces/NS/widgets"), isServed);
  await until(() => admin("GET", "/apis/GROUP/v1/gadgets"), isServed);
  const alpha = { apiVersion: "GROUP/v1", metadata: { name: "alpha" } };
  const isMade = ({ code }: { readonly code: number }): boolean => code === 201;
  await until(() => admin("POST", "/apis/GROUP/v1/namespaces/NS/widgets", { ...alpha, kind: "Widget" }), isMade);
  await until(() => admin("POST", "/apis/GROUP/v1/gadgets", { ...alpha, kind: "Gadget" }), isMade);
}
