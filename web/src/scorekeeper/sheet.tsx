import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";

interface Props {
  title: string;
  /** What the button says that ends it. */
  action: string;
  onEnd(): void;
  children: ComponentChildren;
}

/** A panel over the lower part of the screen. The page below it waits. */
export function Sheet({ title, action, onEnd, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useLayoutEffect(() => { // Before the next key or tap: a dialog not yet shown would leave it to what is below.
    const shown = dialog.current!;
    shown.showModal();
    return () => shown.close(); // The focus goes back to what is below.
  }, []);
  // The event `close` comes after the focus is back on what is below, whose next key would be lost; browsers send it alone
  // if Escape is pressed again and again.
  const cancel = (event: Event): void => {
    event.preventDefault();
    onEnd();
  };
  const end = (event: Event): void => {
    if ((event.currentTarget as Element).isConnected) onEnd();
  };
  return (
    <dialog ref={dialog} class="sheet" aria-labelledby={id} onCancel={cancel} onClose={end}>
      <header class="sheet-head">
        <h2 id={id}>{title}</h2>
        <button type="button" class="button plain" onClick={onEnd}>{action}</button>
      </header>
      {children}
    </dialog>
  );
}
