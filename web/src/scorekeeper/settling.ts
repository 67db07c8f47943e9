// What is tapped in the moment when the screen changes was meant for the screen before.

import { useLayoutEffect, useRef } from "preact/hooks";

/** How long taps are ignored after the screen has changed, in milliseconds. */
const SETTLING = 500;
let timer: ReturnType<typeof setTimeout> | undefined;

/** Ignore taps for a moment whenever another screen is shown. Keys are not ignored: nobody types them by accident. */
export function useSettling(screen: string): void {
  const shown = useRef(screen);
  useLayoutEffect(() => {
    if (shown.current === screen) return;
    shown.current = screen;
    const { style } = document.body;
    style.pointerEvents = "none";
    clearTimeout(timer);
    timer = setTimeout(() => (style.pointerEvents = ""), SETTLING);
  }, [screen]);
}
