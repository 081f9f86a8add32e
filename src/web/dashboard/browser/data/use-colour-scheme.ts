import { useEffect, useState } from "preact/hooks";

/** A number that changes when light becomes dark or dark light: what is drawn by hand is drawn again. */
export function useColourScheme(): number {
  const [changes, setChanges] = useState(0);
  useEffect(() => {
    const scheme = matchMedia("(prefers-color-scheme: dark)");
    const note = (): void => setChanges((before) => before + 1);
    scheme.addEventListener("change", note);
    addEventListener("themechange", note);
    return () => {
      scheme.removeEventListener("change", note);
      removeEventListener("themechange", note);
    };
  }, []);
  return changes;
}
