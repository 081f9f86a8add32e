import { AppError, isAppError } from "../core/errors.ts";
import { textAt } from "../core/read-json.ts";

/** What API servers answer where they have nothing at the path, as an error has it; an object that is missing has a Status. */
const unserved = "answered 404: 404 page not found";

/** The error of a kind that the server does not have, in words; any other error as it is. Not what an agent loads. */
export function explainUnserved(error: unknown): unknown {
  if (!isAppError(error, "E_KUBE_NOT_FOUND") || !error.message.endsWith(unserved)) return error;
  const { message, cause, recovery, data } = error;
  if (textAt(data, "object")?.startsWith("/") !== false) return error; // a path that was asked for
  const text = `${message.slice(0, -unserved.length)}the server does not have this kind of object`;
  const remedy =
    "If this is the hub, install the chart, or start `rollcall run --install-crds`. If it is not, name the kubeconfig of the hub.";
  return new AppError("E_KUBE_NOT_FOUND", text, { cause, recovery, data, remedy });
}
