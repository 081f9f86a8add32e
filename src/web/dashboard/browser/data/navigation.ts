import { useEffect, useState } from "preact/hooks";

const moved = new EventTarget();

/** Navigates to a place of the page without loading it again. */
export function goTo(href: string, { isReplacing = false }: { readonly isReplacing?: boolean } = {}): void {
  if (isReplacing) history.replaceState(null, "", href);
  else history.pushState(null, "", href);
  moved.dispatchEvent(new Event("moved"));
}

/** Where one is: path and query. */
export function useLocation(): URL {
  const [url, setUrl] = useState(() => new URL(location.href));
  useEffect(() => {
    const update = (): void => setUrl(new URL(location.href));
    moved.addEventListener("moved", update);
    addEventListener("popstate", update);
    return () => {
      moved.removeEventListener("moved", update);
      removeEventListener("popstate", update);
    };
  }, []);
  return url;
}

/** Follows a plain click on a link within the page; everything else is the browser's. */
export function followLink(event: MouseEvent): void {
  const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  if (!isPlain || event.defaultPrevented || link === null || link.target !== "" || link.origin !== location.origin)
    return;
  if (link.hash !== "" && link.pathname === location.pathname) return;
  event.preventDefault();
  const isOtherView = link.pathname !== location.pathname;
  // As a browser does: the way back has no entry twice.
  goTo(link.href, { isReplacing: link.href === location.href });
  if (isOtherView) scrollTo(0, 0);
}
