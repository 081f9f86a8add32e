// patch: JSON patch, JSON merge patch and strategic merge patch, as an API server applies them to the JSON of an object.
import type { JsonObject } from "../../core/json.ts";

export type PatchResult =
  | { readonly kind: "patched"; readonly object: JsonObject }
  | {
      readonly kind: "refused";
      /**
       * 400: reason BadRequest. 413: RequestEntityTooLarge. 422: reason Invalid, without causes; the message is the same
       * for every cause, as an API server has it. 500: no reason.
       */
      readonly code: 400 | 413 | 422 | 500;
      readonly message: string;
    };

export const unprocessable: PatchResult = {
  kind: "refused",
  code: 422,
  message: "the server rejected our request due to an error in our request",
};

export function refused(code: 400 | 413 | 500, message: string): PatchResult {
  return { kind: "refused", code, message };
}
