import type { RefObject } from "preact";
import { useEffect, useState } from "preact/hooks";

/** The inner size of an element in pixels, followed as it changes. */
export function useSize(of: RefObject<HTMLElement | null>): { readonly width: number; readonly height: number } {
  const [size, setSize] = useState({ width: 800, height: 600 });
  useEffect(() => {
    const element = of.current;
    if (!element) return undefined;
    const measure = (): void => setSize({ width: element.clientWidth, height: element.clientHeight });
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return size;
}
