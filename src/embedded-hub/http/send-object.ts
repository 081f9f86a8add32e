import type { KubeObject } from "../../model/kubernetes.ts";
import type { ListPage, ServedObject } from "../operations/operations.ts";
import type { Exchange } from "./exchange.ts";
import type { Presentation } from "./present.ts";
import { presentList, presentObject, presentServed } from "./present.ts";
import type { Rendered } from "./render.ts";
import { renderValue } from "./render.ts";
import { sendReply } from "./reply.ts";

/** An object that is sent as it is stored. */
export function sendServed(exchange: Exchange, served: ServedObject, presentation: Presentation): Promise<void> {
  return send(exchange, 200, presentServed(presentation, served));
}

/** The result of a write. */
export function sendObject(
  exchange: Exchange,
  object: KubeObject,
  answer: { readonly presentation: Presentation; readonly statusCode: number },
): Promise<void> {
  return send(exchange, answer.statusCode, presentObject(answer.presentation, object));
}

export async function sendList(exchange: Exchange, page: ListPage, presentation: Presentation): Promise<void> {
  return send(exchange, 200, await presentList(presentation, page));
}

/** A Status or another value of meta/v1. */
export function sendMeta(
  exchange: Exchange,
  value: object,
  answer: { readonly presentation: Presentation; readonly statusCode: number },
): Promise<void> {
  return send(exchange, answer.statusCode, renderValue(value, answer.presentation.form.encoding));
}

function send({ request, response, warnings }: Exchange, statusCode: number, rendered: Rendered): Promise<void> {
  return sendReply(request, response, { statusCode, warnings, ...rendered });
}
