import type { KubeObject, KubeStatus } from "../../model/kubernetes.ts";
import type { ListPage, ServedObject } from "../operations/operations.ts";
import { textOf } from "./body-parts.ts";
import type { Exchange } from "./exchange.ts";
import type { Presentation } from "./present.ts";
import { presentList, presentObject, presentServed } from "./present.ts";
import type { Rendered } from "./render.ts";
import { renderValue } from "./render.ts";
import { sendReply } from "./reply.ts";

type Present = (presentation: Presentation) => Rendered | Promise<Rendered>;

/** An object that is sent as it is stored. */
export function sendServed(exchange: Exchange, served: ServedObject, presentation: Presentation): Promise<void> {
  return send(exchange, { presentation, statusCode: 200 }, (how) => presentServed(how, served));
}

interface AnswerForm {
  readonly presentation: Presentation;
  readonly statusCode: number;
}

/** The result of a write. */
export function sendObject(exchange: Exchange, object: KubeObject, answer: AnswerForm): Promise<void> {
  if (object.kind === "Status" && object.apiVersion === "v1") exchange.audit?.answeredStatus(object);
  return send(exchange, answer, (how) => presentObject(how, object));
}

export function sendList(exchange: Exchange, page: ListPage, presentation: Presentation): Promise<void> {
  return send(exchange, { presentation, statusCode: 200 }, (how) => presentList(how, page));
}

/** The Status of a deleted object, or another one. */
export function sendStatus(exchange: Exchange, status: KubeStatus, answer: AnswerForm): Promise<void> {
  exchange.audit?.answeredStatus(status);
  return send(exchange, answer, ({ form }) => renderValue(status, form.encoding));
}

async function send(exchange: Exchange, { presentation, statusCode }: AnswerForm, present: Present): Promise<void> {
  const { request, response, warnings, audit } = exchange;
  const rendered = await present(presentation);
  if (audit?.keepsResponse === true) {
    const { form } = presentation;
    const json =
      form.encoding === "json" ? rendered : await present({ ...presentation, form: { ...form, encoding: "json" } });
    audit.answered(textOf(json.body));
  }
  return sendReply(request, response, { statusCode, warnings, turns: presentation.turns, ...rendered });
}
