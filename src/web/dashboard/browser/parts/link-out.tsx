import type { ComponentChildren, JSX } from "preact";

/** A link to the forge, where there is one; only https is followed. */
export function LinkOut(props: {
  readonly href: string | undefined;
  readonly children: ComponentChildren;
}): JSX.Element {
  const { href, children } = props;
  if (href === undefined || !href.startsWith("https://")) return <>{children}</>;
  return (
    <a href={href} target="_blank" rel="noreferrer noopener">
      {children}
    </a>
  );
}
