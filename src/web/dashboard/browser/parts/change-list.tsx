import type { JSX } from "preact";
import { countOf } from "../../../../core/count-of.ts";
import type { ChangeView, FieldView, HubWorkView } from "../../../../model/generated/page-api.ts";
import { LinkOut } from "./link-out.tsx";

const signs: Readonly<Record<ChangeView["kind"], { readonly sign: string; readonly word: string }>> = {
  create: { sign: "+", word: "Creates" },
  update: { sign: "~", word: "Changes" },
  delete: { sign: "−", word: "Deletes" },
  leave: { sign: "−", word: "Leaves the fleet" },
};

/** Writes to the hub as a diff. Removals are highlighted. */
export function ChangeList(props: { readonly changes: readonly ChangeView[]; readonly count: number }): JSX.Element {
  const { changes, count } = props;
  return (
    <>
      <ul class="changes">
        {changes.map((change, index) => (
          <Change key={`${change.object} ${index}`} change={change} />
        ))}
      </ul>
      {count > changes.length && <p class="soft">And {count - changes.length} more.</p>}
    </>
  );
}

function Change({ change }: { readonly change: ChangeView }): JSX.Element {
  const { kind, object, reason, error, source, fields, fieldsLeft, hubWork } = change;
  const { sign, word } = signs[kind];
  return (
    <li class={kind}>
      <div class="head">
        <span class="sign" aria-hidden="true">
          {sign}
        </span>
        <span class="unseen">{word}</span>
        <code class="object">{object}</code>
        {source && (
          <span class="soft">
            <LinkOut href={source.link}>
              {source.file}:{source.line}
            </LinkOut>
          </span>
        )}
        {reason !== undefined && <span>{reason}</span>}
      </div>
      {error !== undefined && <p class="failure">{error}</p>}
      {fields.length > 0 && <Fields fields={fields} isNew={kind === "create"} />}
      {fieldsLeft !== undefined && <p class="soft">And {countOf(fieldsLeft, "more field")}.</p>}
      {hubWork && <HubWork work={hubWork} />}
    </li>
  );
}

/** What the hub's controllers do after the change: the sentence, and on demand each object. */
function HubWork({ work }: { readonly work: HubWorkView }): JSX.Element {
  const { effect = "the hub records the change", creates, updates, deletes, objectCount, credentials } = work;
  const shown = creates.length + updates.length + deletes.length;
  return (
    <details class="hub-work">
      <summary>Then {effect}.</summary>
      <ul>
        {creates.map((name) => (
          <li key={`+${name}`}>
            + <code>{name}</code>
          </li>
        ))}
        {updates.map((name) => (
          <li key={`~${name}`}>
            ~ <code>{name}</code>
          </li>
        ))}
        {deletes.map((name) => (
          <li key={`-${name}`}>
            − <code>{name}</code>
          </li>
        ))}
        {credentials.map(({ purpose, reason }) => (
          <li key={`${purpose} ${reason}`}>
            credential ({purpose}): {reason}
          </li>
        ))}
      </ul>
      {objectCount > shown && <p class="soft">And {objectCount - shown} more objects.</p>}
    </details>
  );
}

function Fields({ fields, isNew }: { readonly fields: readonly FieldView[]; readonly isNew: boolean }): JSX.Element {
  return (
    <table class="fields">
      <tbody>
        {fields.map(({ path, from, to, isHidden }) => (
          <tr key={path}>
            <th scope="row">{path}</th>
            <td>
              {!isNew && from !== undefined && from !== to && <del>{from}</del>}
              {to !== undefined && <ins>{to}</ins>}
              {from === undefined && to === undefined && <span class="soft">{isNew ? "set" : "not shown"}</span>}
              {isHidden && (from ?? to) !== undefined && <span class="soft"> (and a secret)</span>}
              {from !== undefined && from === to && <span class="soft"> (reverted: another writer changed it)</span>}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
