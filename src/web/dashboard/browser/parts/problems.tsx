import type { JSX } from "preact";
import type { FileProblem } from "../../../../model/generated/page-api.ts";
import { LinkOut } from "./link-out.tsx";

/** Problems of files, each with its place. */
export function Problems({ problems }: { readonly problems: readonly FileProblem[] }): JSX.Element {
  return (
    <ul class="problems">
      {problems.map(({ file, line, code, severity, message, link }) => (
        <li key={`${file}:${line}:${code}:${message}`} class={severity}>
          <span class="place">
            <LinkOut href={link}>
              <code>
                {file}:{line}
              </code>
            </LinkOut>{" "}
            <span class="code">{code}</span>
          </span>
          <span>{message}</span>
        </li>
      ))}
    </ul>
  );
}
